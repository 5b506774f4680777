/** Code fences, inline code, placeholders in braces, markup tags and addresses: changing a letter breaks them. */
const PROTECTED =
  /(?:```|~~~)[^]*?(?:```|~~~|$)|`[^`\n]+`|\{\{[^{}]*\}\}|\{[^{}\n]*\}|<\/?[A-Za-z][^<>\n]*>|\b(?:https?:\/\/|www\.)\S+/gu;

/** Applies a change to the free parts of a text and leaves the protected ones as they are. */
export function changeFreeText(text: string, change: (part: string) => string): string {
  let result = "";
  let from = 0;
  for (const match of text.matchAll(PROTECTED)) {
    result += change(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return result + change(text.slice(from));
}

/** The free parts of a text alone, joined by spaces. */
export function freeText(text: string): string {
  return text.replace(PROTECTED, " ");
}
