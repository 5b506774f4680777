/** HTML as text in which everything is text, unless it was made by `html` itself. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that no HTML document may hold; each is shown as the sign for an unknown one. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/gu;

/** Markup that was put together here, so that it may go into other markup as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[];

/** A template whose values are escaped for text and for quoted attributes; only markup goes in as it is. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = fixed[0] ?? "";
  parts.forEach((part, at) => (text += written(part) + (fixed[at + 1] ?? "")));
  return new Markup(text);
}

function written(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escaped(part);
  return part.map(({ text }) => text).join("");
}

function escaped(text: string): string {
  // A carriage return would be read as a line feed.
  return text
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/\r/g, "&#13;");
}
