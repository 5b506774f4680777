import { describe, expect, it } from "vitest";
import { XSS_CORPUS } from "../../../tests/xss-corpus.ts";
import { html } from "./markup.ts";

describe("html", () => {
  it.each(XSS_CORPUS)("leaves no way out of text or of a quoted attribute: $name", ({ text }) => {
    const { text: written } = html`<p title="${text}">${text}</p>`;
    const parts = /^<p title="([^]*)">([^]*)<\/p>$/.exec(written);
    for (const part of [parts?.[1], parts?.[2]]) {
      expect(part).toBeDefined();
      expect(part).not.toMatch(/[<>"']/);
      expect(part).not.toMatch(/&(?!(amp|lt|gt|quot|#39|#13);)/);
    }
  });

  it("takes its own markup as it is, one piece or a list", () => {
    const words = ["a<b", "c"].map((text) => html`<i>${text}</i>`);
    expect(html`<span>${words}</span>${html`<b>${1}</b>`}`.text).toBe(
      "<span><i>a&lt;b</i><i>c</i></span><b>1</b>",
    );
  });

  it("shows characters that HTML forbids as unknown ones", () => {
    expect(html`${"a\u0000b\u0085c\ud800d"}`.text).toBe("a\ufffdb\ufffdc\ufffdd");
  });
});
