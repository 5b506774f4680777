/** A text of the repository, made into HTML when the page is built: see tools/markdown-sections.mjs. */
declare module "*.md?sections" {
  const text: {
    readonly title: string;
    readonly lede: string;
    readonly sections: readonly { readonly id: string; readonly title: string; readonly html: string }[];
  };
  export default text;
}
