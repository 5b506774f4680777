/** Reading ONNX graphs, finding their residual stream, and adding outputs to them. The only door of this folder. */
export { OnnxGraphError, type OnnxGraphErrorCode } from "./onnx-graph-error.ts";
export { ElementType } from "./onnx-graph.ts";
export type { OnnxFunction, OnnxGraph, OnnxInitialiser, OnnxNode, OnnxValueInfo } from "./onnx-graph.ts";
export { readOnnxGraph } from "./read-onnx-graph.ts";
export { blocksOf, dequantise } from "./block-quantised.ts";
export { foldGraph } from "./fold-graph.ts";
export { planFolding, type FoldedMatrix, type FoldingPlan } from "./plan-folding.ts";
export type { ReaderBounds } from "./wire-reader.ts";
export { findResidualStream, type ResidualStream } from "./residual-stream.ts";
export { appendProbe, buildProbe, ProbeInput, ProbeOutput, type Probe, type ProbeTensor } from "./probe.ts";
