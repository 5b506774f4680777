/** The sentences of the example page: what happened to one question, and what its four numbers say. */
import type { AxisLook } from "./axes.ts";
import type { Analysis, ExampleDetail, ExamplePrompt, ExampleResult } from "./controller.ts";
import { asSentence, capital, countWord, num, pValue } from "./format.ts";
import { fractionWords } from "./findings.ts";
import { tokenText } from "./charts/certainty-layout.ts";

const plainAnswer = (text: string) =>
  text
    .normalize("NFKC")
    .toLocaleLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const variantsOf = (example: ExampleResult) => example.prompts.filter(({ role }) => role === "variant");

/** A sentence with one part in bold. */
export interface Lede {
  readonly before: string;
  readonly strong: string;
  readonly after: string;
}

/** What the wordings did to the answer: who lost or found the right one, or how many answers there are. */
export function exampleLede(example: ExampleResult): Lede {
  const variants = variantsOf(example);
  const original = example.prompts.find(({ role }) => role === "original");
  if (variants.length === 0 || original === undefined)
    return { before: "No other wording has been answered yet.", strong: "", after: "" };
  const gold = example.gold?.[0];
  const judged = variants.filter(({ correct }) => correct !== null);
  if (gold !== undefined && original.correct !== null && judged.length > 0)
    return goldLede(gold, original.correct, judged);
  return answersLede(original, variants);
}

function goldLede(gold: string, originalRight: boolean, judged: readonly ExamplePrompt[]): Lede {
  const right = judged.filter(({ correct }) => correct === true).length;
  const wrong = judged.length - right;
  const of = (count: number) => `${capital(countWord(count))} of ${countWord(judged.length)} new wordings`;
  if (originalRight)
    return wrong === 0
      ? { before: "Every wording gets the right answer, ", strong: gold, after: "." }
      : {
          before: `${of(wrong)} ${wrong === 1 ? "loses" : "lose"} the right answer, `,
          strong: gold,
          after: ".",
        };
  return right === 0
    ? { before: "No wording gets the right answer, ", strong: gold, after: "." }
    : {
        before: `Asked in the original words it is wrong; ${of(right).toLowerCase()} ${right === 1 ? "finds" : "find"} the right answer, `,
        strong: gold,
        after: ".",
      };
}

function answersLede(original: ExamplePrompt, variants: readonly ExamplePrompt[]): Lede {
  const different = new Set(variants.map(({ response }) => plainAnswer(response)));
  const same = variants.filter(
    ({ response }) => plainAnswer(response) === plainAnswer(original.response),
  ).length;
  if (same === variants.length)
    return {
      before: `All ${countWord(variants.length)} new wordings get `,
      strong: "the same answer",
      after: ", word for word.",
    };
  return {
    before: `${capital(countWord(variants.length))} new wordings get `,
    strong: different.size === 1 ? "one other answer" : `${countWord(different.size)} different answers`,
    after:
      same === 0
        ? "; none is the first one word for word."
        : `; ${countWord(same)} ${same === 1 ? "is" : "are"} the first one word for word.`,
  };
}

/** Title over the answers: "Eight wordings, six answers". */
export function answersTitle(example: ExampleResult): string {
  const asked = example.prompts.filter(({ role }) => role !== "null-edit");
  const answers = new Set(asked.map(({ response }) => plainAnswer(response))).size;
  return `${capital(countWord(asked.length))} ${asked.length === 1 ? "wording" : "wordings"}, ${countWord(answers)} ${answers === 1 ? "answer" : "answers"}`;
}

export interface Verdict {
  readonly text: "follows" | "does not follow" | "unclear" | "not varied here";
  readonly kind: "warn" | "ok" | "plain";
}

/** Below this a share counts as not following; above it, with the whole interval above 0, as following. */
const SMALL_SHARE = 0.2;

/** Does a feature of the prompt come back in the answer? Only where the interval says so. */
export function mirrorVerdict(slope: number | null, low: number | null, high: number | null): Verdict {
  if (slope === null) return { text: "not varied here", kind: "plain" };
  if (low !== null && low > 0 && slope >= SMALL_SHARE) return { text: "follows", kind: "warn" };
  if (high !== null && low !== null && high < SMALL_SHARE && low > -SMALL_SHARE)
    return { text: "does not follow", kind: "ok" };
  return { text: "unclear", kind: "plain" };
}

/** The smallest and largest value of a feature: "3 to 100", or one number. */
export function featureRange(values: readonly number[]): string {
  if (values.length === 0) return "–";
  const text = (value: number) => num(value, Number.isInteger(value) ? 0 : 1);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return text(low) === text(high) ? text(low) : `${text(low)} to ${text(high)}`;
}

/** Everything that a ruler shows, or why there is none. */
export type RulerReading =
  | { readonly known: false; readonly reason: string }
  | {
      readonly known: true;
      readonly value: number;
      readonly from: { readonly name: string; readonly value: number };
      readonly to: { readonly name: string; readonly value: number };
      readonly end: { readonly name: string; readonly value: number } | null;
      readonly stray: number | null;
      /** The left side of "… = 0.68". */
      readonly formula: string;
    };

/** Raw values of one axis of one question, as the ruler takes them. The numbers come from the analysis; nothing is computed anew. */
export function rulerReading(example: ExampleResult, look: AxisLook): RulerReading {
  const { B, W, C, N, instability, signed, reason } = example.axes[look.id];
  const missing = {
    known: false,
    reason: asSentence(reason ?? "This axis could not be measured for this question"),
  } as const;
  if (look.id === "mirroring") {
    if (B === null || C === null || signed === null) return missing;
    return {
      known: true,
      value: signed,
      from: { name: "other prompts", value: C },
      to: { name: "own prompt", value: B },
      end: null,
      stray: null,
      formula: `${num(B)} − ${num(C)}`,
    };
  }
  if (B === null || C === null || instability === null) return missing;
  const start = W ?? 0;
  return {
    known: true,
    value: instability,
    from: { name: "W re-run", value: start },
    to: { name: "B wordings", value: B },
    end: { name: "C unrelated", value: C },
    stray: N,
    formula: `(${num(B)} − ${num(start)}) / (${num(C)} − ${num(start)})`,
  };
}

/** One sentence under each ruler. */
export function rulerSentence(example: ExampleResult, look: AxisLook, detail: ExampleDetail | null): string {
  const value = example.axes[look.id].instability;
  if (value === null) return "";
  const words = fractionWords(value);
  const way =
    words === null
      ? "hardly move towards"
      : words === ""
        ? "lie as far apart as"
        : `drift ${words} of the way to`;
  switch (look.id) {
    case "generation":
      return words === ""
        ? "The answers lie as far apart as answers to unrelated questions."
        : `The answers ${way} answers to unrelated questions.`;
    case "activation":
      return `${words === null ? "The inside hardly moves" : `The inside moves ${words === "" ? "as far" : `${words} as far`} as for a new topic`}${peakText(detail)}.`;
    case "confidence":
      return `Shown its own first answer again, the model’s certainty ${words === null ? "hardly shifts" : `shifts ${words === "" ? "as much" : `${words} as much`} as under an unrelated prompt`}${doubtText(detail)}.`;
    case "mirroring":
      return mirrorSentence(detail);
  }
}

function peakText(detail: ExampleDetail | null): string {
  const rows = detail?.layerHeat ?? [];
  const layers = rows[0]?.calibrated.length ?? 0;
  let best = 0;
  let top = -Infinity;
  for (let layer = 0; layer < layers; layer += 1) {
    const known = rows.flatMap((row) => row.calibrated[layer] ?? []);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    if (known.length > 0 && mean > top) [best, top] = [layer + 1, mean];
  }
  return best === 0 ? "" : `, most at layer ${best} of ${layers}`;
}

function doubtText(detail: ExampleDetail | null): string {
  const distance = detail?.certainty?.positionDistance ?? [];
  const at = distance.indexOf(Math.max(...distance));
  const token = detail?.certainty?.tokens[at];
  return token === undefined ? "" : `; most of all at “${tokenText(token)}”`;
}

function mirrorSentence(detail: ExampleDetail | null): string {
  const features = detail?.mirroring.features ?? [];
  const following = features
    .filter(({ slope, slopeLow, slopeHigh }) => mirrorVerdict(slope, slopeLow, slopeHigh).text === "follows")
    .map(({ label }) => label.toLowerCase());
  const first =
    following.length === 0
      ? "No feature of the wording clearly comes back in the answers."
      : `What comes back: ${following.join(", ")}.`;
  const chance = detail?.mirroring.expectedByChance ?? null;
  const p = detail?.mirroring.pValue ?? null;
  const second =
    chance === null ? "" : ` Chance alone gives ${num(chance)}${p === null ? "" : ` (${pValue(p)})`}.`;
  return first + second;
}

/** "21 pairs × 30 layers" and the like: what the raw values are means of. */
export function pairsText(look: AxisLook, example: ExampleResult, analysis: Analysis): string {
  const k = variantsOf(example).length;
  const asked = k + 1;
  switch (look.id) {
    case "generation":
      return `${(asked * k) / 2} pairs of answers`;
    case "activation": {
      const layers = analysis.axes.activation.layers?.length ?? null;
      return `${(asked * k) / 2} pairs${layers === null ? "" : ` × ${layers} layers`}`;
    }
    case "confidence":
      return `${k} wordings, same answer`;
    case "mirroring":
      return `${asked} answers with their own prompt, ${asked * k} with another`;
  }
}

/** How the answers fill a grid: columns, rows that the first card spans, columns left over in the last row. */
export function answerGrid(
  width: number,
  variants: number,
): { columns: number; firstRows: number; rest: number } {
  const columns = width >= 1140 ? 4 : width >= 860 ? 3 : width >= 560 ? 2 : 1;
  if (columns <= 2) return { columns, firstRows: 1, rest: columns === 1 ? 0 : variants % 2 };
  const firstRows = Math.max(1, Math.min(columns === 4 ? 2 : 3, Math.ceil(variants / (columns - 1))));
  const beside = firstRows * (columns - 1);
  const over = variants - beside;
  return { columns, firstRows, rest: over <= 0 ? -over : (columns - (over % columns)) % columns };
}
