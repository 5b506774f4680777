/**
 * The known-answer test after each load of a language model: a few short passes over fixed tokens, before anything
 * is measured with it. A model that computes nonsense is turned away here, not discovered in the results.
 */
import type { SelfTestRecord } from "../contract.ts";
import { disposeBlock, packBlock, type CacheBlock } from "../decoding/cache-block.ts";
import type { Decoder } from "../decoding/decoder.ts";
import type { Arithmetic } from "../graph/decoder-graph.ts";
import type { NextTokens } from "../decoding/next-token.ts";
import { EngineError } from "../engine-error.ts";
import { SELF_TEST_STEPS, type SelfTestSequence } from "./sequences.ts";

/** What failed, told apart for the page and the tests. */
export type SelfTestFault = "not-finite" | "constant" | "cache" | "reference";

/** Likeliest tokens compared at each position. */
const TOP_K = 8;
/** Two distributions whose eight likeliest log-probabilities and whose entropies are this near are the same one. */
const SAME_NATS = 1e-6;

/**
 * How far two ways to compute one log-probability may lie apart, in nats. A broken cache, a wrong position or a
 * mask that hides the context moves them by whole nats.
 *
 * - 0.02 for 32-bit arithmetic: the fixtures stay below 1e-4, the bundled model below 1e-3.
 * - 0.25 where numbers are rounded on the way: 16-bit floats (the logits of such models reach 32, where neighbouring
 *   float16 numbers are 0.03 apart, and each layer rounds), and `MatMulNBits`, which may round activations to 8 bit.
 * - 3 where activations are quantised by one scale for the whole tensor, which one pass and single steps choose
 *   differently by design: SmolLM2 quantised this way differs by 1.4.
 */
export function selfTestTolerance(arithmetic: Arithmetic): number {
  return { float32: 0.02, rounded: 0.25, "dynamic-int8": 3 }[arithmetic];
}

/**
 * Reads two sequences once in one pass each, and again with their last tokens one by one through the cache, both
 * rows together where the graph allows it; compares the two ways, and the first with the stored reference if there
 * is one. All tokens are given, none is chosen.
 *
 * @param toleranceNats - see `selfTestTolerance`
 * @throws {EngineError} `self-test-failed`, with the `fault` and the figures in its details
 */
export async function selfTest(
  decoder: Decoder,
  sequences: readonly [SelfTestSequence, SelfTestSequence],
  toleranceNats: number,
  now: () => number,
): Promise<SelfTestRecord> {
  const began = now();
  const whole = [];
  for (const { tokenIds } of sequences) whole.push(await finite(() => inOnePass(decoder, tokenIds)));
  refuseConstant(whole);
  const together = decoder.shape.graph.batchInvariant ? [sequences] : sequences.map((one) => [one]);
  const stepped: Row[][] = [];
  for (const rows of together) {
    stepped.push(
      ...(await finite(() =>
        stepByStep(
          decoder,
          rows.map(({ tokenIds }) => tokenIds),
        ),
      )),
    );
  }
  const cache = compare(whole.flat(), stepped.flat(), toleranceNats);
  if (!cache.passed) {
    throw failed(
      "cache",
      `reading a text token by token gives other probabilities than reading it at once (up to ${cache.differenceNats.toFixed(2)} nats apart, ${toleranceNats} allowed), so its cache is not handled as its graph expects.`,
      { differenceNats: cache.differenceNats, toleranceNats },
    );
  }
  const known = sequences.flatMap(({ reference }) => (reference === null ? [] : rowsOfReference(reference)));
  const stored = known.length === 0 ? null : compare(known, whole.flat(), toleranceNats);
  if (stored !== null && !stored.passed) {
    throw failed(
      "reference",
      `its probabilities are not those of the stored reference (up to ${stored.differenceNats.toFixed(2)} nats apart, ${toleranceNats} allowed).`,
      { differenceNats: stored.differenceNats, toleranceNats },
    );
  }
  return {
    positions: cache.positions,
    toleranceNats,
    cacheDifferenceNats: cache.differenceNats,
    cacheSameTop: cache.sameTop,
    referenceDifferenceNats: stored?.differenceNats ?? null,
    referenceSameTop: stored?.sameTop ?? null,
    elapsedMs: now() - began,
  };
}

/** One position's distribution: its likeliest tokens, the likeliest first. */
interface Row {
  readonly ids: readonly number[];
  readonly logProbNats: readonly number[];
  readonly entropyNats: number;
}

interface Comparison {
  readonly passed: boolean;
  readonly positions: number;
  /** Positions at which both have the same likeliest token. */
  readonly sameTop: number;
  /** Largest difference in the log-probability of the expected likeliest token. */
  readonly differenceNats: number;
}

/**
 * A likeliest token may differ where the two best are nearer to each other than the tolerance allows them to move.
 * A token that is not among the eight kept has at most the log-probability of the eighth.
 */
function compare(expected: readonly Row[], got: readonly Row[], toleranceNats: number): Comparison {
  let differenceNats = 0;
  let sameTop = 0;
  for (const [index, { ids, logProbNats }] of expected.entries()) {
    const other = got[index];
    const place = other?.ids.indexOf(ids[0] ?? -1) ?? -1;
    const logProb = place >= 0 ? other?.logProbNats[place] : other?.logProbNats.at(-1);
    if (place === 0) sameTop += 1;
    differenceNats = Math.max(differenceNats, Math.abs((logProbNats[0] ?? NaN) - (logProb ?? NaN)));
    const ahead = (other?.logProbNats[0] ?? NaN) - (logProb ?? NaN);
    differenceNats = Math.max(differenceNats, ahead / 2);
  }
  return {
    passed: expected.length === got.length && differenceNats <= toleranceNats,
    positions: expected.length,
    sameTop,
    differenceNats,
  };
}

/** The last `SELF_TEST_STEPS` + 1 distributions of a sequence that is read at once. */
async function inOnePass(decoder: Decoder, tokenIds: Int32Array): Promise<Row[]> {
  const { next, cache } = await decoder.sequence(
    sequenceRequest(tokenIds, tokenIds.length - SELF_TEST_STEPS - 1),
    goOn,
  );
  disposeBlock(cache);
  return Array.from({ length: next.rows }, (_, row) => rowOf(next, row));
}

/** The same distributions of each sequence, the last tokens read one by one, all sequences in one block. */
async function stepByStep(decoder: Decoder, sequences: readonly Int32Array[]): Promise<Row[][]> {
  const rows: Row[][] = [];
  const blocks: CacheBlock[] = [];
  let block: CacheBlock | null = null;
  try {
    for (const tokenIds of sequences) {
      const prompt = tokenIds.subarray(0, tokenIds.length - SELF_TEST_STEPS);
      const { next, cache } = await decoder.sequence(sequenceRequest(prompt, prompt.length - 1), goOn);
      blocks.push(cache);
      rows.push([rowOf(next, 0)]);
    }
    block = packBlock(
      decoder.session,
      decoder.shape.graph.padding,
      blocks.map((one) => ({ block: one, row: 0 })),
    );
    for (let left = SELF_TEST_STEPS; left > 0; left -= 1) {
      const tokens = Int32Array.from(sequences, (tokenIds) => tokenIds.at(-left) ?? 0);
      const stepping: CacheBlock = block;
      const stepped = await decoder.step(stepping, tokens, TOP_K, false);
      block = stepped.block;
      rows.forEach((ofSequence, row) => ofSequence.push(rowOf(stepped.next, row)));
    }
    return rows;
  } finally {
    for (const one of blocks) disposeBlock(one);
    disposeBlock(block);
  }
}

function sequenceRequest(tokenIds: Int32Array, distributionsFrom: number) {
  return {
    tokenIds,
    prefix: null,
    distributionsFrom,
    topK: TOP_K,
    givenIds: new Int32Array(0),
    pool: null,
    lastLogits: false,
  };
}

const goOn = (): Promise<void> => Promise.resolve();

function rowOf(next: NextTokens, row: number): Row {
  const [from, to] = [row * next.k, (row + 1) * next.k];
  return {
    ids: [...next.topIds.subarray(from, to)],
    logProbNats: [...next.topLogProbNats.subarray(from, to)],
    entropyNats: next.entropyNats[row] ?? NaN,
  };
}

function rowsOfReference({ topIds, topLogProbNats }: NonNullable<SelfTestSequence["reference"]>): Row[] {
  return topIds.map((id, at) => ({ ids: [id], logProbNats: [topLogProbNats[at] ?? NaN], entropyNats: NaN }));
}

/** Both sequences end in the same token: a model that reads its context tells them apart there. */
function refuseConstant(whole: readonly (readonly Row[])[]): void {
  const [one, other] = whole.map((rows) => rows.at(-1));
  if (one === undefined || other === undefined) throw new RangeError("Two sequences are compared.");
  const same =
    Math.abs(one.entropyNats - other.entropyNats) <= SAME_NATS &&
    one.logProbNats.every((value, at) => Math.abs(value - (other.logProbNats[at] ?? NaN)) <= SAME_NATS);
  if (same) {
    throw failed("constant", "different texts give exactly the same probabilities.", {
      entropyNats: one.entropyNats,
    });
  }
}

async function finite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "numbers-invalid") throw error;
    throw failed("not-finite", "it computes numbers that are not finite.", {}, error);
  }
}

function failed(
  fault: SelfTestFault,
  what: string,
  details: Readonly<Record<string, number>>,
  cause?: unknown,
): EngineError {
  return new EngineError(
    "self-test-failed",
    `The model failed the test after loading: ${what}`,
    { fault, ...details },
    cause,
  );
}
