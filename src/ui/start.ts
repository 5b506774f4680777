/** What is on the page before the interface, and instead of it when it cannot start. */

/** @param error - what went wrong, with a message for the reader */
export function showStartFailure(target: HTMLElement, error: unknown): void {
  const box = document.createElement("main");
  box.className = "wrap head";
  const title = document.createElement("h1");
  title.textContent = "Sago could not start";
  const text = document.createElement("p");
  text.className = "lede";
  text.setAttribute("role", "alert");
  const reason = error instanceof Error ? error.message : "No reason was given.";
  text.textContent = `${reason} What is stored in this browser is safe. Reload the page; if that does not help, the files it was served with may be incomplete.`;
  box.append(title, text);
  target.replaceChildren(box);
}
