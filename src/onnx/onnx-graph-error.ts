export type OnnxGraphErrorCode = "malformed" | "not-onnx" | "too-large" | "unsupported";

/**
 * A `.onnx` file that cannot be read or probed. `message` is a sentence for the person at the page.
 *
 * - `malformed`: the protobuf encoding is broken, or the graph contradicts itself
 * - `not-onnx`: something else was served or chosen (a web page, JSON, a Git LFS pointer, an empty file)
 * - `too-large`: a bound of the reader was passed
 * - `unsupported`: a valid graph, but the probe has no form for it
 */
export class OnnxGraphError extends Error {
  override readonly name = "OnnxGraphError";
  readonly code: OnnxGraphErrorCode;

  constructor(code: OnnxGraphErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
