import {
  copyRate,
  functionWordPercentages,
  languageStyleMatching,
  leakageSlope,
  STYLE_FEATURES,
  styleSimilarity,
  styleVector,
} from "../../../metrics/index.ts";
import type { ExampleRecords } from "../run-index.ts";
import type { AnswerGroups } from "./answer-groups.ts";
import type { Draft } from "./example-means.ts";

/** How style comes through, feature by feature and beyond the answer's meaning. First answers only. */
export function mirroringNumbers(
  examples: readonly ExampleRecords[],
  { groups, name }: AnswerGroups,
): Draft[] {
  const oneWording = "there is only one wording";
  const read = examples.map(({ wordings }) =>
    wordings.map(({ prompt, generations: [{ text }] }) => ({
      prompt: prompt.text,
      answer: text,
      promptStyle: styleVector(prompt.text),
      answerStyle: styleVector(text),
    })),
  );
  const features = STYLE_FEATURES.map(({ id, label }, at): Draft => ({
    id: `leakage-${id}`,
    name: `Leakage: ${label.toLowerCase()}`,
    meaning: "Share of the prompts’ change in this feature that shows in the answers. 0 none, 1 all.",
    values: read.map(
      (wordings) =>
        leakageSlope(
          wordings.map(({ promptStyle }) => promptStyle[at] ?? 0),
          wordings.map(({ answerStyle }) => answerStyle[at] ?? 0),
        ).value,
    ),
    missing: "the wordings do not differ in it",
  }));
  const copies = ([1, 2, 3] as const).map((order): Draft => ({
    id: `copy-${order}`,
    name: `Copy rate, ${order === 1 ? "words" : `sequences of ${order} words`}`,
    meaning: "Share of the answer that stands in its own prompt, minus the same for the other wordings.",
    values: read.map((wordings) =>
      matchedMinusOthers(wordings, (a, b) => copyRate(a.answer, b.prompt, order).value),
    ),
    missing: "the answers are shorter than that",
  }));
  return [
    {
      id: "beyond-meaning",
      name: `Mirroring beyond meaning, over ${name}`,
      meaning: "As the axis, but only between wordings whose answers are in one group.",
      values: read.map((wordings, at) => {
        const ofExample = groups[at] ?? [];
        return matchedMinusOthers(
          wordings,
          (a, b) => styleSimilarity(a.answerStyle, b.promptStyle),
          (a, b) => ofExample[a]?.[0] === ofExample[b]?.[0],
        );
      }),
      missing: "no two wordings have answers in one group",
    },
    {
      id: "lsm",
      name: "Style matching (LSM)",
      meaning:
        "Likeness in nine kinds of function words to the own prompt, minus to the others. Noisy for short texts.",
      values: read.map((wordings) => {
        const shares = wordings.map(({ prompt, answer }) => ({
          prompt: functionWordPercentages(prompt),
          answer: functionWordPercentages(answer),
        }));
        return matchedMinusOthers(shares, (a, b) => languageStyleMatching(a.answer, b.prompt).value);
      }),
      missing: oneWording,
    },
    ...copies,
    ...features,
  ];
}

/** Mean of `of(v, v)` minus mean of `of(v, w)` over the other wordings w; null where either does not exist. */
function matchedMinusOthers<T>(
  wordings: readonly T[],
  of: (answer: T, prompt: T) => number | null,
  comparable: (a: number, b: number) => boolean = () => true,
): number | null {
  let [matched, matchedCount, others, otherCount] = [0, 0, 0, 0];
  for (const [v, wording] of wordings.entries()) {
    let hasOther = false;
    for (const [w, other] of wordings.entries()) {
      if (w === v || !comparable(v, w)) continue;
      const value = of(wording, other);
      if (value === null) continue;
      hasOther = true;
      others += value;
      otherCount += 1;
    }
    const own = hasOther ? of(wording, wording) : null;
    if (own === null) continue;
    matched += own;
    matchedCount += 1;
  }
  return matchedCount === 0 || otherCount === 0 ? null : matched / matchedCount - others / otherCount;
}
