/**
 * Draws the icons of the installed page from `public/favicon.svg`: `node tools/make-icons.mjs`.
 *
 * Launchers take pictures of fixed sizes, and cut a maskable one to their own shape: all that matters lies in its
 * inner circle of 80 % (https://www.w3.org/TR/appmanifest/#icon-masks).
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright";
import { chromiumLaunch } from "./chromium.mjs";

const FOLDER = join("public", "icons");
const PAPER = "#fbfbf8";
const ICONS = [
  { name: "icon-192.png", size: 192, share: 1, paper: "transparent" },
  { name: "icon-512.png", size: 512, share: 1, paper: "transparent" },
  { name: "maskable-512.png", size: 512, share: 0.72, paper: PAPER },
  { name: "apple-180.png", size: 180, share: 0.86, paper: PAPER },
];

const svg = await readFile(join("public", "favicon.svg"), "utf8");
await mkdir(FOLDER, { recursive: true });
const browser = await chromium.launch({ ...chromiumLaunch("wasm"), headless: true });
const page = await browser.newPage({ colorScheme: "light" });
for (const { name, size, share, paper } of ICONS) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>html,body{margin:0;height:100%;background:${paper}}body{display:grid;place-items:center}svg{width:${share * 100}%}</style>${svg}`,
  );
  await writeFile(join(FOLDER, name), await page.screenshot({ omitBackground: true }));
}
await browser.close();
