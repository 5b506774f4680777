import {
  chrfDistance,
  normalisedClusterEntropy,
  pairwiseAgreement,
  rougeL,
  variantInformationAboveChance,
} from "../../../metrics/index.ts";
import type { RandomSource } from "../../../statistics/index.ts";
import type { RunIndex } from "../run-index.ts";
import type { AnswerGroups } from "./answer-groups.ts";
import { meanOverPairs, type Draft } from "./example-means.ts";
import { tokenMatchingDraft } from "./token-matching-numbers.ts";

/** Shuffles behind the chance value of each example's variant information. */
const CHANCE_SHUFFLES = 200;

/** Generation beyond the encoder's distance. Of sampled answers the texts are compared by their first. */
export function answerNumbers(
  index: RunIndex,
  { name, groups }: AnswerGroups,
  random: RandomSource,
): Draft[] {
  const { examples, repeats } = index;
  const texts = examples.map(({ wordings }) => wordings.map(({ generations }) => generations[0].text));
  const oneWording = "there is only one wording";
  const first = groups.map((ofExample) => ofExample.map(([group = ""]) => group));
  return [
    {
      id: "chrf",
      name: "chrF distance",
      meaning: "How differently two answers are spelled: character sequences, both directions. 0 to 1.",
      values: texts.map((it) => meanOverPairs(it, chrfDistance)),
      missing: oneWording,
    },
    {
      id: "rouge-l",
      name: "ROUGE-L distance",
      meaning: "How little of two answers is one common sequence of words. 0 to 1.",
      values: texts.map((it) =>
        meanOverPairs(it, (a, b) => (a.trim() === "" && b.trim() === "" ? 0 : 1 - rougeL(a, b))),
      ),
      missing: oneWording,
    },
    tokenMatchingDraft(index),
    {
      id: "agreement",
      name: `Agreement over ${name}`,
      meaning: "Share of pairs of wordings whose answers are the same. 0 to 1; higher is more stable.",
      values: first.map((it) => pairwiseAgreement(it).value),
      missing: oneWording,
    },
    {
      id: "cluster-entropy",
      name: `Entropy over ${name}`,
      meaning: "How widely answers spread over groups, 0 (one group) to 1. Not semantic entropy.",
      values: groups.map((it) => normalisedClusterEntropy(it.flat()).value),
      missing: "there are fewer than two answers",
    },
    {
      id: "variant-information",
      name: `Variant information over ${name}`,
      meaning:
        "What the wording tells about the answer beyond chance, in nats. About 0 where it does not matter.",
      ...(repeats > 1
        ? {
            values: groups.map((it, at) => {
              const stream = random.split(at);
              return variantInformationAboveChance(it, (list) => stream.shuffle(list), CHANCE_SHUFFLES).value;
            }),
          }
        : {}),
      missing:
        repeats > 1 ? oneWording : "answers were not sampled, so chance and wording cannot be told apart",
    },
  ];
}
