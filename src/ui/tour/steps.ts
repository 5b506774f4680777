/** What the tour shows, in order, with the numbers of the run that is shown. */
import type { Analysis, RunRecord } from "../controller.ts";
import { aboveNoise } from "../findings.ts";
import { countWord, num, plural } from "../format.ts";
import { leastStable, wordingCount } from "../questions.ts";
import { resultsHome, type Route } from "../route.ts";

export interface TourStep {
  readonly title: string;
  readonly text: string;
  /** The page it stands on. */
  readonly route: Route;
  /** Selector of what it is about; `data-tour` names parts of pages. */
  readonly target: string;
}

/**
 * Steps for a run with at least one question; what the run lacks (a noise floor, layers) is not spoken of.
 *
 * @returns no steps where nothing has been measured yet
 */
export function tourSteps(analysis: Analysis, run: RunRecord): readonly TourStep[] {
  const least = leastStable(analysis.examples);
  if (least === null) return [];
  const results: Route = { ...resultsHome, runId: analysis.runId };
  const example: Route = {
    page: "example",
    runId: analysis.runId,
    exampleId: least.exampleId,
    fresh: true,
    gone: false,
    doubt: true,
  };
  const wordings = wordingCount(least);
  const floor = analysis.axes.generation.floor.estimate;
  const part = (name: string) => `[data-tour="${name}"]`;
  return [
    {
      title: "Four things that may change",
      text: `${run.spec.model.id} was asked ${plural(analysis.examples.length, "question")}, each of them again in other words that mean the same. Four rows say how much changed: what it says, what happens inside, how sure it is, and whether it takes on the style. 0 is no change at all; 1 is as different as for unrelated questions.`,
      route: results,
      target: part("profile"),
    },
    {
      title: "Is it more than noise?",
      text: `Even a space at the end of a prompt changes an answer. The grey part of a row is what such edits do${floor === null ? "" : `, ${num(floor)} for generation`}; only what lies clearly above it tells of the wording. ${aboveNoise(analysis)}`,
      route: results,
      target: `.profile .item[data-axis="generation"]`,
    },
    {
      title: "Question by question",
      text: "A mean hides which questions move. Each dot is one question, and the line joins the four results of one. A question can be steady in what is said and shaky inside, or the other way round.",
      route: results,
      target: part("dots"),
    },
    {
      title: "One question in other words",
      text: `This is the least stable one, asked in ${countWord(wordings + 1)} wordings. Marked words are new against the answer to the original; a tint behind a word is doubt. Read across: would you take these answers to mean the same?`,
      route: example,
      target: part("answers"),
    },
    {
      title: "Inside, and how sure it is",
      text: "The map: how far each layer moved for each wording, from the first layer to the last. The curves: the model reads its own first answer again behind each wording, token by token; where they part, the wording changed how sure it was.",
      route: example,
      target: part("inside"),
    },
    {
      title: "How each number came about",
      text: "W is the same prompt once more, C are unrelated questions. The number is how far the wordings, B, lie on the way from W to C. Nothing here has to be believed: every distance can be followed to its pairs.",
      route: example,
      target: part("rulers"),
    },
    {
      title: "Run it here",
      text: "The model is loaded once and works in this browser; no prompt and no answer leaves it. Take another dataset, your own questions under Data, or another model under Models, and press Run.",
      route: results,
      target: part("run"),
    },
  ];
}
