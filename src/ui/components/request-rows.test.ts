import { describe, expect, it } from "vitest";
import { hostCounts, requestRows } from "./request-rows.ts";

const asked = (url: string, times = 1) => ({ url, from: ["the page"], times, firstAt: 0, bytes: null });
const base = "https://class.example/sago/?hub=x#/about";

describe("the page's requests", () => {
  it("shortens what lies in the page's own folder and nothing else", () => {
    const rows = requestRows(
      [
        asked("https://class.example/sago/"),
        asked("https://class.example/sago/assets/main.js"),
        asked("https://class.example/other"),
        asked("https://huggingface.co/a/b/resolve/c/config.json"),
      ],
      base,
    );
    expect(rows.map(({ shown }) => shown)).toEqual([
      "the page",
      "assets/main.js",
      "https://class.example/other",
      "https://huggingface.co/a/b/resolve/c/config.json",
    ]);
  });

  it("counts every host, its own first and only where it was asked", () => {
    expect(hostCounts([], base)).toEqual([]);
    expect(hostCounts([asked("https://huggingface.co/a", 2)], base)).toEqual([
      { host: "huggingface.co", times: 2 },
    ]);
    expect(
      hostCounts([asked("https://huggingface.co/a", 2), asked("https://class.example/sago/", 3)], base),
    ).toEqual([
      { host: "class.example", times: 3 },
      { host: "huggingface.co", times: 2 },
    ]);
  });
});
