import { calibrated } from "../../../metrics/index.ts";
import { answersApart } from "../generation-axis.ts";
import type { MeasuredAxes } from "../joint-bootstrap.ts";
import type { PromptRecords, RunIndex } from "../run-index.ts";
import { meanOverPairs, type Draft } from "./example-means.ts";

const isWhole = ({ generations }: PromptRecords): boolean =>
  generations.every(({ finish }) => finish === "eos");

/**
 * The generation axis with and without answers that were cut off, on the same questions and on the run's own scale; and
 * how often the device had to decide between two tokens that were almost equally likely.
 */
export function answerDefects({ examples }: RunIndex, { generation }: MeasuredAxes): Draft[] {
  const { rerun, unrelated } = generation.means;
  const onScale = (distance: number | null): number | null =>
    distance === null || generation.reason !== null
      ? null
      : calibrated(distance, rerun, unrelated[0] ?? NaN).value;
  const someCutOff = examples.some(({ wordings }) => !wordings.every(isWhole));
  const without = examples.map(({ wordings }) =>
    onScale(meanOverPairs(wordings.filter(isWhole), answersApart)),
  );
  const missing = someCutOff
    ? (generation.reason ?? "no question has two answers that were not cut off")
    : "no answer was cut off";
  return [
    {
      id: "generation-whole-answers",
      name: "Generation without answers that were cut off",
      meaning: "The first axis over those pairs of wordings whose answers ended by themselves.",
      ...(someCutOff ? { values: without } : {}),
      missing,
    },
    {
      id: "generation-same-questions",
      name: "The same questions, with all their answers",
      meaning:
        "To compare with the line above: far from it, the axis is partly about where answers were cut.",
      ...(someCutOff
        ? {
            values: examples.map(({ wordings }, at) =>
              without[at] === null ? null : onScale(meanOverPairs(wordings, answersApart)),
            ),
          }
        : {}),
      missing,
    },
    {
      id: "close-steps",
      name: "Steps decided by less than .001",
      meaning:
        "Share of tokens whose two best candidates were closer than .001 (logits): another device may decide otherwise.",
      values: examples.map(({ wordings }) => {
        const all = wordings.flatMap(({ generations }) => generations);
        const tokens = all.reduce((sum, { tokenIds: { length } }) => sum + length, 0);
        return tokens === 0
          ? null
          : all.reduce((sum, { closeSteps: { length } }) => sum + length, 0) / tokens;
      }),
      missing: "there are no tokens",
    },
  ];
}
