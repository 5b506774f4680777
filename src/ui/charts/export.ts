/** Saves a drawn chart as one picture: its drawings where they stand, and the text around them. */
import { saveBlob } from "../save-blob.ts";

const SVG = "http://www.w3.org/2000/svg";
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "paint-order",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "opacity",
  "font-variant-numeric",
] as const;
const MARGIN = 16;
const TITLE_HEIGHT = 36;

/** A file name from a title: letters and digits of any script, joined by dashes. */
export function fileName(title: string, extension: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["chart"];
  return `sago-${words.slice(0, 8).join("-")}.${extension}`;
}

export async function downloadSvg(plot: HTMLElement, title: string): Promise<void> {
  const { text } = pictureOf(plot, title);
  saveBlob(new Blob([text], { type: "image/svg+xml" }), fileName(title, "svg"));
}

/** Twice the size on the screen, on the page's paper. */
export async function downloadPng(plot: HTMLElement, title: string): Promise<void> {
  const { text, width, height } = pictureOf(plot, title);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * 2;
    canvas.height = height * 2;
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("the browser gave no canvas to draw on");
    context.scale(2, 2);
    context.drawImage(image, 0, 0, width, height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (blob === null) throw new Error("the picture is too large");
    saveBlob(blob, fileName(title, "png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

function pictureOf(plot: HTMLElement, title: string): { text: string; width: number; height: number } {
  const frame = plot.getBoundingClientRect();
  const width = Math.ceil(frame.width) + 2 * MARGIN;
  const height = Math.ceil(frame.height) + 2 * MARGIN + TITLE_HEIGHT;
  const root = document.createElementNS(SVG, "svg");
  root.setAttribute("xmlns", SVG);
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(height));
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const page = getComputedStyle(document.body);
  root.append(rectangle(width, height, page.backgroundColor));
  const heading = document.createElementNS(SVG, "text");
  heading.textContent = title;
  place(heading, MARGIN, MARGIN + 16);
  heading.setAttribute("style", `font: 650 17px ${page.fontFamily}; fill: ${page.color}`);
  root.append(heading);
  const left = frame.left - MARGIN;
  const top = frame.top - MARGIN - TITLE_HEIGHT;
  for (const drawing of plot.querySelectorAll("svg")) root.append(copyDrawing(drawing, left, top));
  for (const line of textLines(plot)) root.append(writeLine(line, left, top));
  return { text: new XMLSerializer().serializeToString(root), width, height };
}

/** The drawing with its colours resolved: tokens mean nothing outside the page. */
function copyDrawing(drawing: SVGSVGElement, left: number, top: number): SVGElement {
  const copy = drawing.cloneNode(true);
  if (!(copy instanceof SVGElement)) throw new Error("a drawing that cannot be copied");
  const from = drawing.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, index) => {
    const source = from[index];
    if (source === undefined || !(element instanceof SVGElement)) return;
    const style = getComputedStyle(source);
    for (const name of STYLES) element.style.setProperty(name, style.getPropertyValue(name));
    for (const name of ["class", "tabindex", "role", "data-rove"]) element.removeAttribute(name);
  });
  const box = drawing.getBoundingClientRect();
  copy.setAttribute("x", String(box.left - left));
  copy.setAttribute("y", String(box.top - top));
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  copy.removeAttribute("class");
  copy.style.overflow = "visible";
  return copy;
}

interface TextLine {
  text: string;
  readonly left: number;
  readonly bottom: number;
  readonly height: number;
  readonly style: CSSStyleDeclaration;
}

/** The HTML text in a plot as the browser broke it into lines. */
function textLines(plot: HTMLElement): TextLine[] {
  const lines: TextLine[] = [];
  const walker = document.createTreeWalker(plot, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest("svg, .sr") !== null) continue;
    let line: TextLine | null = null;
    for (const match of (node.textContent ?? "").matchAll(/\S+/g)) {
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const box = range.getBoundingClientRect();
      if (box.width === 0) continue;
      if (line !== null && Math.abs(line.bottom - box.bottom) < 3) line.text += ` ${match[0]}`;
      else {
        line = {
          text: match[0],
          left: box.left,
          bottom: box.bottom,
          height: box.height,
          style: getComputedStyle(parent),
        };
        lines.push(line);
      }
    }
  }
  return lines;
}

function writeLine(line: TextLine, left: number, top: number): SVGElement {
  const text = document.createElementNS(SVG, "text");
  text.textContent = line.text;
  place(text, line.left - left, line.bottom - top - line.height * 0.23);
  const { fontWeight, fontSize, fontFamily, color } = line.style;
  text.setAttribute(
    "style",
    `font-weight: ${fontWeight}; font-size: ${fontSize}; font-family: ${fontFamily}; fill: ${color}`,
  );
  return text;
}

function rectangle(width: number, height: number, colour: string): SVGElement {
  const box = document.createElementNS(SVG, "rect");
  box.setAttribute("width", String(width));
  box.setAttribute("height", String(height));
  box.setAttribute("fill", colour);
  return box;
}

function place(element: SVGElement, x: number, y: number): void {
  element.setAttribute("x", String(x));
  element.setAttribute("y", String(y));
}
