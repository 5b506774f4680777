import { embeddingDistance } from "../metrics/index.ts";
import type { MeaningGateRecord, PlannedPrompt, RejectedVariant } from "../storage/index.ts";
import { contentKey } from "./content-key.ts";

/**
 * The rule of the gate. Unrelated originals of the same set say how alike two prompts of this set are that do not
 * mean the same; a variant must be more like its original than nearly all of them, by a margin. On the built-in
 * sets this lets 1 to 3 % of unrelated pairs through and turns away 0, 0 and 9 of 192 paraphrases (short facts,
 * instructions, judgements, whose prompts share a frame); docs/METHODS.md has the table.
 */
export const GATE_RULE = {
  quantile: 0.95,
  margin: 0.02,
  originals: 128,
  fewestOriginals: 8,
  highest: 0.98,
} as const;

/** Cosine similarity of two sentence embeddings, 0 … 1 (negative ones count as 0); null without an embedding. */
export function similarityOf(a: Float32Array | null, b: Float32Array | null): number | null {
  return a === null || b === null ? null : 1 - embeddingDistance(a, b);
}

export interface GateThreshold {
  /** null: the gate cannot be calibrated, for the reason in `notApplied`. */
  readonly threshold: number | null;
  readonly notApplied: string | null;
  readonly unrelatedPairs: number;
  readonly unrelatedSimilarity: number | null;
}

/**
 * The similarity from which a variant counts as meaning the same.
 *
 * The quantile .95 (linear interpolation) of the similarities of all pairs of originals, plus a margin of .02. Where
 * that is above .98, the encoder finds everything alike and can turn nothing away: there is no threshold. An encoder tells topics apart, not negations: "the soup was hot" and "the soup was cold" are very much
 * alike to it, so a wording that turns the request around may pass.
 *
 * @param originals - embeddings of prompts of which no two mean the same; null entries are left out
 */
export function gateThreshold(originals: readonly (Float32Array | null)[]): GateThreshold {
  const known = originals.filter((vector) => vector !== null);
  const similarities: number[] = [];
  known.forEach((a, at) => {
    for (const b of known.slice(at + 1)) similarities.push(similarityOf(a, b) ?? 0);
  });
  if (known.length < GATE_RULE.fewestOriginals) {
    return {
      threshold: null,
      notApplied: `With ${known.length} questions in the set there are too few unrelated pairs to calibrate on; ${GATE_RULE.fewestOriginals} questions are needed.`,
      unrelatedPairs: similarities.length,
      unrelatedSimilarity: null,
    };
  }
  similarities.sort((a, b) => a - b);
  const place = (similarities.length - 1) * GATE_RULE.quantile;
  const below = similarities[Math.floor(place)] ?? 0;
  const above = similarities[Math.ceil(place)] ?? below;
  const unrelatedSimilarity = below + (place - Math.floor(place)) * (above - below);
  const threshold = unrelatedSimilarity + GATE_RULE.margin;
  const isBlind = threshold > GATE_RULE.highest;
  return {
    threshold: isBlind ? null : threshold,
    notApplied: isBlind
      ? `To this sentence encoder unrelated questions of the set are ${unrelatedSimilarity.toFixed(2)} alike, so it cannot tell whether two wordings mean the same. Another encoder may.`
      : null,
    unrelatedPairs: similarities.length,
    unrelatedSimilarity,
  };
}

/** Why a variant was turned away. */
export function rejectionReason(similarity: number | null, threshold: number): string | null {
  if (similarity === null) return "The text has no embedding, so nothing says that it means the same.";
  return similarity >= threshold
    ? null
    : `It is ${similarity.toFixed(2)} alike to the original; unrelated questions of this set reach ${(threshold - GATE_RULE.margin).toFixed(2)}, and ${threshold.toFixed(2)} is asked for.`;
}

export interface GateResult {
  /** The prompts to run: all but the rejected variants; variants carry their similarity. */
  readonly prompts: readonly PlannedPrompt[];
  readonly gate: MeaningGateRecord;
}

/**
 * Turns away the variants of a plan that do not seem to mean the same as their original. Originals and null edits
 * always stay. A function of its arguments alone.
 *
 * @param calibration - originals of the whole set, so that the threshold does not depend on the size of the run
 * @param embed - one embedding a text, null for an empty one
 * @param encoderHash - hash of the encoder's files, which determine every similarity
 */
export async function gatePrompts(
  prompts: readonly PlannedPrompt[],
  calibration: readonly string[],
  encoderHash: string,
  embed: (texts: readonly string[]) => Promise<readonly (Float32Array | null)[]>,
): Promise<GateResult> {
  const sample = calibration.slice(0, GATE_RULE.originals);
  const judged = prompts.filter(({ role }) => role !== "null-edit");
  const texts = [...new Set([...sample, ...judged.map(({ text }) => text)])];
  const vectors = await embed(texts);
  const vectorOf = new Map(texts.map((text, at) => [text, vectors[at] ?? null]));
  const { threshold, ...calibrated } = gateThreshold(sample.map((text) => vectorOf.get(text) ?? null));
  const originals = new Map(
    prompts.filter(({ role }) => role === "original").map(({ exampleId, text }) => [exampleId, text]),
  );
  const kept: PlannedPrompt[] = [];
  const rejected: RejectedVariant[] = [];
  for (const prompt of prompts) {
    const original = originals.get(prompt.exampleId);
    if (prompt.role !== "variant" || original === undefined) {
      kept.push(prompt);
      continue;
    }
    const similarity = similarityOf(vectorOf.get(original) ?? null, vectorOf.get(prompt.text) ?? null);
    const reason = threshold === null ? null : rejectionReason(similarity, threshold);
    if (reason === null) kept.push(similarity === null ? prompt : { ...prompt, similarity });
    else {
      const { role: _role, similarity: _similarity, ...named } = prompt;
      rejected.push({ ...named, similarity, reason });
    }
  }
  const { quantile, margin } = GATE_RULE;
  return {
    prompts: kept,
    gate: {
      key: contentKey({ piece: "meaning-gate", encoder: encoderHash, rule: GATE_RULE, sample, texts }),
      threshold,
      ...calibrated,
      quantile,
      margin,
      checked: prompts.filter(({ role }) => role === "variant").length,
      rejected,
    },
  };
}
