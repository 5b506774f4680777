/** Loads a text-generation model from its folder: configuration, tokenizer, graph with probe, session. */
import {
  appendProbe,
  buildProbe,
  findResidualStream,
  OnnxGraphError,
  readOnnxGraph,
  type OnnxGraph,
} from "../onnx/index.ts";
import { rowsTogether } from "./decoding/batch-size.ts";
import { Decoder } from "./decoding/decoder.ts";
import { SharedPrefixes } from "./decoding/shared-prefix.ts";
import { chooseDevice, type DeviceChoice, type DeviceSurroundings } from "./device.ts";
import { EngineError, messageOf } from "./engine-error.ts";
import { externalFiles, graphCandidates, type GraphFile } from "./files/graph-file.ts";
import { readModelConfig, type ModelConfig } from "./files/model-config.ts";
import type { ModelFolder } from "./files/model-folder.ts";
import { describeDecoder } from "./graph/decoder-graph.ts";
import { foldForWasm, type FoldedGraph } from "./graph/folding.ts";
import type { Runtime } from "./runtime/open-session.ts";
import type { GraphSession } from "./runtime/tensor.ts";
import { nearestChoice } from "./self-test/nearest-choice.ts";
import { selfTest, selfTestTolerance } from "./self-test/self-test.ts";
import { selfTestSequences } from "./self-test/sequences.ts";
import { ChatTemplate } from "./text/chat-template.ts";
import { findThinkingMarks, type ThinkingMarks } from "./text/thinking-marks.ts";
import { ModelTokenizer } from "./text/tokenizer.ts";
import type { SelfTestRecord } from "./contract.ts";
import type { LoadedModel, LoadProgress, LoadRequest } from "./types.ts";

export interface LoadedDecoder {
  readonly decoder: Decoder;
  readonly prefixes: SharedPrefixes;
  readonly tokenizer: ModelTokenizer;
  readonly template: ChatTemplate | null;
  readonly endTokenIds: ReadonlySet<number>;
  readonly thinking: ThinkingMarks | null;
  readonly description: LoadedModel;
}

/** @throws {EngineError} naming the file or the device that is in the way */
export async function loadDecoder(
  folder: ModelFolder,
  request: LoadRequest,
  surroundings: DeviceSurroundings,
  runtime: Pick<Runtime, "open">,
  runtimeVersion: string,
  onProgress: (progress: LoadProgress) => void,
): Promise<LoadedDecoder> {
  const device = await chooseDevice(request.device, surroundings);
  const config = readModelConfig(
    await folder.requiredJson("config.json"),
    await folder.json("generation_config.json"),
  );
  const tokenizer = new ModelTokenizer(
    await folder.requiredJson("tokenizer.json"),
    await folder.requiredJson("tokenizer_config.json"),
  );
  const templateSource = tokenizer.chatTemplate ?? (await folder.text("chat_template.jinja"));
  const template = templateSource === null ? null : new ChatTemplate(templateSource, tokenizer.specialTokens);
  const opened = await openGraph(folder, config, device, request, runtime, surroundings, onProgress);
  const endTokenIds =
    config.endTokenIds.length > 0
      ? config.endTokenIds
      : tokenizer.endTokenId === null
        ? []
        : [tokenizer.endTokenId];
  const { decoder } = opened;
  const tested = await testLoaded(folder, config, request, opened, tokenizer);
  const description: LoadedModel = {
    identity: {
      id: folder.id,
      source: request.source.kind,
      revision: request.source.kind === "hub" ? request.source.revision : null,
      filesHash: await folder.filesHash(),
      dtype: opened.file.dtype,
      layers: config.layers,
      hiddenSize: config.hiddenSize,
      vocabularySize: decoder.shape.vocabularySize,
    },
    device: {
      kind: opened.device.kind,
      adapter: opened.device.adapter,
      threads: opened.device.threads,
      // Part of every piece's key, as the last bits of its numbers depend on it.
      runtime: opened.folded ? `${runtimeVersion}, quantised weights as 32-bit floats` : runtimeVersion,
      reason: opened.device.reason,
    },
    contextLength: config.contextLength,
    chatTemplate: template === null ? null : { defaultSystemPrompt: template.defaultSystemPrompt },
    activations:
      opened.unavailable === null
        ? { available: true, layers: config.layers }
        : { available: false, reason: opened.unavailable },
    batchInvariant: decoder.shape.graph.batchInvariant,
    batchRows: rowsTogether(decoder, opened.device.kind),
    selfTest: tested,
  };
  return {
    decoder,
    prefixes: new SharedPrefixes(decoder),
    tokenizer,
    template,
    endTokenIds: new Set(endTokenIds),
    thinking: findThinkingMarks(tokenizer),
    description,
  };
}

/** Frees the model and says what to choose instead if it fails. */
async function testLoaded(
  folder: ModelFolder,
  config: ModelConfig,
  request: LoadRequest,
  { decoder, file, device }: OpenedGraph,
  tokenizer: ModelTokenizer,
): Promise<SelfTestRecord> {
  const { graph, vocabularySize } = decoder.shape;
  const ids = Math.min(vocabularySize, config.vocabularySize ?? vocabularySize);
  const sequences = selfTestSequences({ id: folder.id, source: request.source.kind }, tokenizer, ids);
  // Some half-precision exports keep 32-bit inputs and outputs; their format tells.
  const rounded =
    graph.arithmetic === "float32" && /f(p)?16$/.test(file.dtype) ? "rounded" : graph.arithmetic;
  try {
    return await selfTest(decoder, sequences, selfTestTolerance(rounded), () => performance.now());
  } catch (error) {
    await decoder.session.dispose();
    if (!(error instanceof EngineError) || error.code !== "self-test-failed") throw error;
    const next = await nearestChoice(folder, config, device.kind, file.dtype);
    const where = `${file.dtype} on ${device.kind === "webgpu" ? "WebGPU" : "WASM"}`;
    throw new EngineError(error.code, `${error.message} It was ${where}. ${next}`, error.details, error);
  }
}

interface OpenedGraph {
  readonly decoder: Decoder;
  readonly file: GraphFile;
  readonly device: DeviceChoice;
  /** Quantised weights were turned into 32-bit floats. */
  readonly folded: boolean;
  /** Why there are no activations, or null. */
  readonly unavailable: string | null;
}

/** On the chosen device, or on WebAssembly if nobody insisted on the GPU and it refuses the model. */
async function openGraph(
  folder: ModelFolder,
  config: ModelConfig,
  device: DeviceChoice,
  request: LoadRequest,
  runtime: Pick<Runtime, "open">,
  surroundings: DeviceSurroundings,
  onProgress: (progress: LoadProgress) => void,
): Promise<OpenedGraph> {
  try {
    return await openGraphOn(folder, config, device, request.dtype, runtime, surroundings, onProgress);
  } catch (error) {
    if (!(device.kind === "webgpu" && device.free)) throw error;
    if (!(error instanceof EngineError) || error.code !== "session-failed") throw error;
    const fallback = await chooseDevice("wasm", surroundings);
    const reason = `${fallback.reason} The GPU (${device.adapter ?? "unnamed"}) refused the model: ${error.message}`;
    return openGraphOn(
      folder,
      config,
      { ...fallback, reason },
      request.dtype,
      runtime,
      surroundings,
      onProgress,
    );
  }
}

async function openGraphOn(
  folder: ModelFolder,
  config: ModelConfig,
  device: DeviceChoice,
  dtype: string | null,
  runtime: Pick<Runtime, "open">,
  { mostWeightBytes }: DeviceSurroundings,
  onProgress: (progress: LoadProgress) => void,
): Promise<OpenedGraph> {
  const file = await findGraphFile(folder, config, device, dtype);
  const report = (progress: { loadedBytes: number; totalBytes: number; file: string }): void =>
    onProgress({ phase: "download", ...progress });
  const [graphBytes] = await folder.binaries([file.path], report);
  if (!graphBytes)
    throw new EngineError("file-missing", `${file.path} could not be read.`, { file: file.path });
  const stored = readGraph(graphBytes, file.path);
  const locations = new Set<string>();
  for (const { external } of stored.initialisers.values()) if (external) locations.add(external.location);
  const weights = externalFiles(file.path, [...locations], config.externalData);
  const data = await folder.binaries(
    weights.map(({ path }) => path),
    report,
  );
  onProgress({ phase: "session" });
  const byLocation = new Map(weights.map(({ location }, i) => [location, data[i] ?? new Uint8Array()]));
  const whole: FoldedGraph =
    device.kind === "wasm"
      ? foldForWasm(graphBytes, stored, byLocation, mostWeightBytes)
      : { bytes: graphBytes, graph: stored, computedData: [], folded: false, note: null };
  const { graph } = whole;
  const residual = findResidualStream(graph, config.layers);
  const probe = buildProbe(graph, residual);
  const session = await runtime.open(device, {
    graph: appendProbe(whole.bytes, probe),
    externalData: [...byLocation].map(([location, bytes]) => ({ path: location, data: bytes })),
    computedData: whole.computedData,
    graphOptimizationLevel: file.graphOptimizationLevel,
    configEntries: file.configEntries,
    residentOutputs: graph.outputs.map(({ name }) => name).filter((name) => /^present[._]/.test(name)),
  });
  try {
    const decoder = new Decoder(session, {
      graph: describeDecoder(graph, session.inputs, { heads: config.keyValueHeads, width: config.headSize }),
      points: probe.points,
      hiddenSize: config.hiddenSize,
      vocabularySize: logitWidth(session, config),
      largestTopK: probe.largestTopK,
    });
    return {
      decoder,
      file,
      device: whole.note === null ? device : { ...device, reason: `${device.reason} ${whole.note}` },
      folded: whole.folded,
      unavailable: residual.status === "found" ? null : residual.reason,
    };
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

async function findGraphFile(
  folder: ModelFolder,
  config: ModelConfig,
  device: DeviceChoice,
  dtype: string | null,
): Promise<GraphFile> {
  const candidates = graphCandidates(config, device.kind, dtype);
  for (const candidate of candidates) if (await folder.has(candidate.path)) return candidate;
  const tried = candidates.map(({ path }) => path).join(", ");
  throw new EngineError(
    "file-missing",
    `Model ${folder.id} has none of the graph files ${tried}. It needs an ONNX export for the browser.`,
    { model: folder.id, tried },
  );
}

function readGraph(bytes: Uint8Array, path: string): OnnxGraph {
  try {
    return readOnnxGraph(bytes);
  } catch (error) {
    if (!(error instanceof OnnxGraphError)) throw error;
    throw new EngineError("graph-unsupported", `${path}: ${messageOf(error)}`, { file: path }, error);
  }
}

/** The logits may be wider than the vocabulary that config.json names (padded to a round number). */
function logitWidth(session: GraphSession, config: ModelConfig): number {
  const width = session.outputs.find(({ name }) => name === "logits")?.dims.at(-1);
  if (typeof width === "number" && width > 0) return width;
  if (config.vocabularySize !== null) return config.vocabularySize;
  throw new EngineError(
    "graph-unsupported",
    "Neither the graph nor config.json names the size of the vocabulary.",
  );
}
