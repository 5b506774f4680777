/** The part of a dropped folder that is the model: people drop the folder around it, too. */
import { EngineError } from "../engine-error.ts";

/**
 * The folder that holds the uppermost config.json, as a prefix that ends in a slash, or "".
 *
 * @param name - the dropped folder, for messages
 * @throws {EngineError} `file-missing` where there is none, or where several models lie side by side
 */
export function modelRoot(name: string, paths: readonly string[]): string {
  const roots = paths
    .filter((path) => path === "config.json" || path.endsWith("/config.json"))
    .map((path) => path.slice(0, -"config.json".length))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
  const [root] = roots;
  if (root === undefined) {
    throw new EngineError(
      "file-missing",
      `${name} has no config.json, so it is not a model’s folder. Open the folder that holds config.json, tokenizer.json and the graph (model.onnx).`,
      { model: name, file: "config.json" },
    );
  }
  const besides = roots.filter((one) => depth(one) === depth(root));
  if (besides.length > 1) {
    throw new EngineError(
      "file-missing",
      `${name} holds several models: ${besides.map((one) => one.slice(0, -1)).join(", ")}. Open one of these folders.`,
      { model: name, file: "config.json" },
    );
  }
  return root;
}

function depth(prefix: string): number {
  return prefix.split("/").length;
}
