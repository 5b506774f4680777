/**
 * Imports a text as sections: `import methods from "../docs/METHODS.md?sections"` gives `{title, lede, sections}`, all
 * HTML made when the page is built. The text may hold no HTML of its own and no link but to the web or within the page,
 * so what reaches the page is the markup below and nothing else; anything more fails the build.
 */
import { readFile } from "node:fs/promises";
import { Marked } from "marked";

const SUFFIX = ".md?sections";
const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text) => text.replace(/[&<>"']/g, (mark) => escapes[mark]);

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html({ text }) {
      throw new Error(`This text may not hold HTML: ${text.trim()}`);
    },
    code({ text, lang }) {
      const name = lang === "formula" ? "formula" : "code";
      return `<p class="${name}">${escape(text)}</p>\n`;
    },
    link({ href, tokens }) {
      if (!/^(https:\/\/|#)/.test(href)) throw new Error(`This text may not link to ${href}.`);
      return `<a href="${escape(href)}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href }) {
      throw new Error(`This text may not show the image ${href}.`);
    },
  },
});

/** @returns {{title: string, lede: string, sections: {id: string, title: string, html: string}[]}} */
export function markdownSections(text) {
  const parts = [];
  let title = "";
  for (const token of marked.lexer(text)) {
    if (token.type === "heading" && token.depth === 1) title = token.text;
    else if (token.type === "heading" && token.depth === 2) parts.push({ title: token.text, tokens: [] });
    else {
      if (parts.length === 0) parts.push({ title: "", tokens: [] });
      parts.at(-1).tokens.push(token);
    }
  }
  const html = ({ tokens }) =>
    marked
      .parser(tokens)
      // A wide table scrolls by itself, and not the page.
      .replaceAll("<table>", '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
      .replaceAll("</table>", "</table></div>");
  const [first, ...rest] = parts;
  const hasLede = first !== undefined && first.title === "";
  return {
    title,
    lede: hasLede ? html(first) : "",
    sections: (hasLede ? rest : parts).map((part) => ({
      id: part.title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, ""),
      title: part.title,
      html: html(part),
    })),
  };
}

/** The Vite plugin. */
export function markdownPlugin() {
  return {
    name: "sago-markdown-sections",
    async load(id) {
      if (!id.endsWith(SUFFIX)) return null;
      const file = id.slice(0, -"?sections".length);
      this.addWatchFile(file);
      return `export default ${JSON.stringify(markdownSections(await readFile(file, "utf8")))};`;
    },
  };
}
