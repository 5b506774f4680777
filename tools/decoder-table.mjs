/** The table of docs/decoders.md, from the rows that the tests measured. */

const BEGIN = "<!-- table from decoders.json: node tools/make-decoder-table.mjs -->";
const END = "<!-- end of the table -->";

/**
 * @typedef {object} DecoderRow
 * @property {string} architecture
 * @property {"optimum" | "genai"} export
 * @property {string} precision
 * @property {"wasm" | "webgpu"} device
 * @property {number | null} layersFound
 * @property {number} layersExpected
 * @property {number | null} maxRelativeError largest difference over the largest magnitude, over all layers
 * @property {"ok" | "unavailable"} status
 * @property {string} reason
 */

/** @param {readonly DecoderRow[]} rows */
export function decoderTable(rows) {
  const lines = [...rows]
    .sort((a, b) => a.architecture.localeCompare(b.architecture) || b.export.localeCompare(a.export))
    .map(
      (row) =>
        `| ${row.architecture} | ${row.export} | ${row.precision} | ${row.device} | ${row.layersFound ?? "none"} of ${row.layersExpected} | ${row.maxRelativeError?.toExponential(1) ?? ""} | ${row.status} | ${row.reason} |`,
    );
  return [
    "| architecture | export | precision | device | layers | max relative error | status | reason |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

/**
 * @param {string} page
 * @param {string} table
 * @throws {Error} if the page has no place for it
 */
export function replaceTable(page, table) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error("docs/decoders.md has lost the marks around its table.");
  return `${page.slice(0, from + BEGIN.length)}\n\n<!-- prettier-ignore -->\n${table}\n\n${page.slice(to)}`;
}
