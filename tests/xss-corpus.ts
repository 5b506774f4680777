/**
 * Texts that would do something if a page took them for more than text. Each sets `globalThis[MARK]` or calls
 * `alert` if a browser ever runs it, so a test opens them, waits for the page, and asks whether either happened.
 *
 * They are written for this project, one for each way that text becomes code: elements, attributes that the
 * text breaks out of, addresses, SVG and MathML, comments and raw-text elements, templates, JSON inside a
 * script, CSV cells, style, character references, broken and unusual characters.
 */

/** The property of the global object that a vector sets when it runs. */
export const XSS_MARK = "sagoXss";

const RUN = `globalThis.${XSS_MARK}=1;alert(1)`;

export interface XssVector {
  /** What the text tries to leave or to become. */
  readonly name: string;
  readonly text: string;
}

export const XSS_CORPUS: readonly XssVector[] = [
  { name: "script element", text: `<script>${RUN}</script>` },
  { name: "script element, mixed case and a slash", text: `<ScRiPt/x>${RUN}</sCrIpT >` },
  { name: "image whose source fails", text: `<img src=x onerror="${RUN}">` },
  { name: "image without a closing bracket", text: `<img src=x onerror=${RUN} x=` },
  { name: "image, line feeds for spaces", text: `<img\nsrc=x\nonerror\n=\n"${RUN}"\n>` },
  { name: "SVG that loads", text: `<svg onload="${RUN}"></svg>` },
  { name: "SVG script", text: `<svg><script>${RUN}</script></svg>` },
  {
    name: "SVG animation",
    text: `<svg><animate attributeName=x dur=1s onbegin="${RUN}"></animate></svg>`,
  },
  {
    name: "MathML with HTML inside",
    text: `<math><mtext><img src=x onerror="${RUN}"></mtext></math>`,
  },
  { name: "details that toggle", text: `<details open ontoggle="${RUN}">x</details>` },
  { name: "field with the focus", text: `<input autofocus onfocus="${RUN}">` },
  { name: "media whose source fails", text: `<video><source onerror="${RUN}"></video>` },
  { name: "frame with a script address", text: `<iframe src="javascript:${RUN}"></iframe>` },
  { name: "frame with a document", text: `<iframe srcdoc="<script>parent.${XSS_MARK}=1</script>"></iframe>` },
  { name: "link with a script address", text: `<a href="javascript:${RUN}">open</a>` },
  { name: "Markdown link with a script address", text: `[open](javascript:${encodeURIComponent(RUN)})` },
  { name: "Markdown image with a data address", text: `![x](data:text/html,<script>${RUN}</script>)` },
  { name: "bare script address", text: `javascript:${RUN}` },
  { name: "data address", text: `data:text/html,<script>parent.${XSS_MARK}=1</script>` },
  { name: "out of a double-quoted attribute", text: `" onmouseover="${RUN}" autofocus onfocus="${RUN}` },
  { name: "out of a single-quoted attribute", text: `' onmouseover='${RUN}' autofocus onfocus='${RUN}` },
  { name: "out of a title", text: `</title><script>${RUN}</script>` },
  { name: "out of a text area", text: `</textarea><img src=x onerror="${RUN}">` },
  { name: "out of a style element", text: `</style><img src=x onerror="${RUN}">` },
  { name: "out of a JSON text in a script", text: `</script><script>${RUN}</script>` },
  { name: "into a script's comment state", text: `<!--<script>"</script><script>${RUN}</script>` },
  { name: "out of a comment", text: `--><img src=x onerror="${RUN}"><!--` },
  { name: "out of CDATA", text: `]]><img src=x onerror="${RUN}">` },
  { name: "out of a string in a script", text: `";${RUN};//` },
  { name: "out of a template literal", text: "`;" + RUN + ";//${" + RUN + "}" },
  { name: "template braces", text: `{{constructor.constructor('${RUN}')()}}` },
  { name: "Svelte's raw block", text: `{@html '<img src=x onerror="${RUN}">'}` },
  { name: "base and refresh", text: `<base href="//x.invalid/"><meta http-equiv=refresh content="0">` },
  {
    name: "form whose button has an action",
    text: `<form><button formaction="javascript:${RUN}">x</button>`,
  },
  { name: "style with an address", text: `<div style="background:url(javascript:${RUN})">x</div>` },
  { name: "character references", text: `&lt;img src=x onerror=&#34;${RUN}&#34;&gt;` },
  { name: "script line separators", text: `\u2028${RUN}\u2029` },
  { name: "spreadsheet formula", text: `=HYPERLINK("javascript:${RUN}","x")` },
  { name: "names of an object's own parts", text: "__proto__" },
  { name: "right-to-left override", text: `\u202e<img src=x onerror="${RUN}">\u202c` },
];
