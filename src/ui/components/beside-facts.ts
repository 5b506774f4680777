/** What stands beside stability, in short. */
import type { Analysis } from "../controller.ts";
import { interval, num, percent, percentRange } from "../format.ts";

export interface BesideFact {
  readonly term: string;
  readonly value: string;
  readonly small: string;
}

export function besideFacts({ beside, composite }: Analysis, maxNewTokens: number): BesideFact[] {
  const { accuracyOriginal: accuracy, accuracyWorst, accuracyBest } = beside;
  const facts: BesideFact[] = [];
  if (accuracy !== null && accuracy.total > 0)
    facts.push({
      term: "Accuracy, original wording",
      value: percent(accuracy.correct / accuracy.total),
      small: `${accuracy.correct} of ${accuracy.total}`,
    });
  else facts.push({ term: "Accuracy", value: "not measured", small: "no gold answers" });
  if (accuracyWorst !== null && accuracyBest !== null)
    facts.push({
      term: "Worst to best wording",
      value: percentRange(accuracyWorst, accuracyBest),
      small: "",
    });
  facts.push(
    {
      term: `Cut off at ${maxNewTokens} tokens`,
      value: String(beside.truncated),
      small: `of ${beside.answers} answers`,
    },
    {
      term: "Loops, empty",
      value: `${beside.looping}, ${beside.empty}`,
      small: beside.constant ? "always the same answer" : "answers",
    },
    { term: "Wordings rejected", value: String(beside.rejectedVariants), small: "meaning moved" },
    {
      term: composite.complete ? "Composite, equal weights" : `Composite of ${composite.axes.length} axes`,
      value: num(composite.estimate),
      small:
        interval(composite.low, composite.high) ??
        (composite.estimate === null ? "not measured" : "no interval"),
    },
  );
  return facts;
}
