/** Charts: D3 computes, Svelte draws. */
export { default as Certainty } from "./Certainty.svelte";
export { default as ChartFrame } from "./ChartFrame.svelte";
export { default as Glyph } from "./Glyph.svelte";
export { default as Heatmap } from "./Heatmap.svelte";
export { default as KeyMark } from "./KeyMark.svelte";
export { default as Profile } from "./Profile.svelte";
export { default as Ruler } from "./Ruler.svelte";
export { default as ShareBar } from "./ShareBar.svelte";
export { default as Strips } from "./Strips.svelte";
export { default as Tooltip } from "./Tooltip.svelte";
export { default as Twins } from "./Twins.svelte";
export { tokenText } from "./certainty-layout.ts";
