/** The sentences of the results page: what the numbers say, in plain words. Fractions in sentences, decimals in charts. */
import { axisLooks } from "./axes.ts";
import type { Analysis, AxisId, AxisResult } from "./controller.ts";
import { asSentence, capital, countWord } from "./format.ts";

const FRACTIONS: readonly (readonly [upTo: number, words: string])[] = [
  [0.15, "about a tenth"],
  [0.23, "about a fifth"],
  [0.29, "about a quarter"],
  [0.37, "about a third"],
  [0.45, "about two fifths"],
  [0.55, "about half"],
  [0.63, "about three fifths"],
  [0.71, "about two thirds"],
  [0.78, "about three quarters"],
  [0.86, "about four fifths"],
  [0.95, "about nine tenths"],
];

/** Below this a share is "hardly". */
const HARDLY = 0.07;

/** A share in words, to go before "as much" or "as far": "about a third"; "" for as much and more, null for hardly any. */
export function fractionWords(share: number): string | null {
  if (share < HARDLY) return null;
  return FRACTIONS.find(([upTo]) => share < upTo)?.[1] ?? "";
}

/** A sentence in three pieces, the middle one in bold. */
export interface Headline {
  readonly before: string;
  readonly strong: string;
  readonly after: string;
  readonly second: string;
}

/** The one sentence at the top of the results, and how many axes are above noise. */
export function headline(analysis: Analysis): Headline {
  const generation = analysis.axes.generation.estimate;
  return { ...firstSentence(generation, analysis.axes.generation.reason), second: aboveNoise(analysis) };
}

function firstSentence(estimate: number | null, reason: string | null): Omit<Headline, "second"> {
  if (estimate === null)
    return {
      before: "How far the answers change ",
      strong: "could not be measured",
      after: `. ${asSentence(reason ?? "No reason was given")}`,
    };
  const words = fractionWords(estimate);
  if (words === null)
    return {
      before: "Asked in other words, this model ",
      strong: "hardly changes its answers",
      after: ", compared with being asked something else.",
    };
  const strong = words === "" ? "as much" : `${words} as much`;
  return {
    before: "Asked in other words, this model changes its answers ",
    strong,
    after: " as when asked something else.",
  };
}

/** "Three of four axes are above noise." Axes without a test are not counted, and that is said. */
export function aboveNoise(analysis: Analysis): string {
  const tested = axisLooks.filter(({ id }) => analysis.axes[id].aboveFloor.above !== null);
  const up = tested.filter(({ id }) => analysis.axes[id].aboveFloor.above === true).length;
  const all = axisLooks.length;
  if (tested.length === 0) return "There is too little yet to tell it from noise.";
  const whole =
    tested.length === all
      ? `${countWord(all)} axes`
      : `the ${countWord(tested.length)} axes that could be tested`;
  if (tested.length === 1)
    return up === 1
      ? "The one axis that could be tested is above noise."
      : "The one axis that could be tested is within noise.";
  if (up === 0) return `None of ${whole === "four axes" ? "the four axes" : whole} is above noise.`;
  if (up === tested.length) return `All ${whole} are above noise.`;
  return `${capital(countWord(up))} of ${whole} ${up === 1 ? "is" : "are"} above noise.`;
}

const axisSentences: Readonly<Record<Exclude<AxisId, "mirroring">, (words: string | null) => string>> = {
  generation: (words) =>
    words === null
      ? "Two answers to one question hardly differ, compared with answers to unrelated questions."
      : `Two answers to one question differ ${asMuch(words, "much")} as answers to unrelated questions.`,
  activation: (words) =>
    words === null
      ? "Inside, a new wording hardly moves the model, compared with a new topic."
      : `Inside, a new wording moves the model ${asMuch(words, "far")} as a new topic does.`,
  confidence: (words) =>
    words === null
      ? "Shown its own answer again, the model’s certainty hardly shifts, compared with an unrelated prompt."
      : `Shown its own answer again, the model’s certainty shifts ${asMuch(words, "much")} as under an unrelated prompt.`,
};

function asMuch(words: string, measure: "much" | "far"): string {
  return words === "" ? `as ${measure}` : `${words} as ${measure}`;
}

/** What one axis says over the set; for a missing axis the reason. */
export function axisSentence(result: AxisResult): string {
  if (result.estimate === null) return asSentence(result.reason ?? "This axis could not be measured");
  if (result.axis !== "mirroring") return axisSentences[result.axis](fractionWords(result.estimate));
  if (result.aboveFloor.above === null)
    return "How far answers take on the style of the wording; not yet told from chance.";
  return result.aboveFloor.above
    ? "Answers take on the style of the wording."
    : "Answers do not take on the style of the wording more than chance would have it.";
}

/** The tag after the sentence. "within noise" never means that there is no effect. */
export function noiseTag(
  result: AxisResult,
): { readonly text: string; readonly kind: "ok" | "plain"; readonly why: string } | null {
  if (result.estimate === null) return null;
  const { above, reason, test } = result.aboveFloor;
  if (above === null)
    return { text: "not tested", kind: "plain", why: asSentence(reason ?? "There is no test of it here") };
  return above
    ? { text: "above noise", kind: "ok", why: test }
    : { text: "within noise", kind: "plain", why: test };
}
