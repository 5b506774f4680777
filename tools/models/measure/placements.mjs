/** Reads from ONNX Runtime's verbose log which execution provider runs which node. */

/**
 * The session must be created with `logSeverityLevel: 0` and `ort.env.logLevel = "verbose"`; the runtime then logs, for
 * each provider, "Node(s) placed on [WebGpuExecutionProvider]. Number of nodes: n" and one line "  MatMul (name)" a node.
 * @param {readonly string[]} lines
 * @returns {Map<string, {operator: string, name: string}[]>} nodes by provider; empty if the log has no placements
 */
export function readPlacements(lines) {
  const placements = new Map();
  let current;
  for (const line of lines.filter((text) => text.includes("VerifyEachNodeIsAssignedToAnEp"))) {
    const provider =
      /Node\(s\) placed on \[(\w+)\]/.exec(line)?.[1] ?? /All nodes placed on \[(\w+)\]/.exec(line)?.[1];
    const node = /\]\s+(\w+) \((.*)\)\s*$/.exec(line);
    if (provider) placements.set(provider, (current = []));
    else if (node && current) current.push({ operator: node[1], name: node[2] });
  }
  return placements;
}

const MATRIX_PRODUCTS = new Set(["MatMul", "MatMulNBits", "FusedMatMul", "Gemm", "GatherBlockQuantized"]);

/** Matrix products (and the embedding lookup) that a provider other than the wanted one runs. */
export function misplacedProducts(placements, wanted) {
  return [...placements].flatMap(([provider, nodes]) =>
    provider === wanted ? [] : nodes.filter(({ operator }) => MATRIX_PRODUCTS.has(operator)),
  );
}
