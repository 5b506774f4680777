/** Light, dark, or as the system says; remembered on this machine. */
export type Theme = "system" | "light" | "dark";
const KEY = "sago.theme";

function stored(): Theme {
  try {
    const value = window.localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    // Storage may be refused (private windows, file://): the theme then lasts as long as the page.
    return "system";
  }
}

let theme = $state<Theme>("system");

export const currentTheme = (): Theme => theme;

export function setTheme(next: Theme): void {
  theme = next;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    if (next === "system") window.localStorage.removeItem(KEY);
    else window.localStorage.setItem(KEY, next);
  } catch {
    // As above: nothing is lost but the memory of it.
    return;
  }
}

/** Called once, before the first drawing, so that the page does not change colour under the reader's eyes. */
export function restoreTheme(): void {
  setTheme(stored());
}

export const nextTheme: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
