import type { Plugin } from "vite";

export function markdownSections(text: string): {
  readonly title: string;
  readonly lede: string;
  readonly sections: readonly { readonly id: string; readonly title: string; readonly html: string }[];
};
export function markdownPlugin(): Plugin;
