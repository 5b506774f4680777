import {
  formatSpread,
  predictionConsistency,
  predictionSensitivity,
  promptSensitivity,
} from "../../../metrics/index.ts";
import { quantile, standardDeviation, varianceComponents } from "../../../statistics/index.ts";
import { comparableText } from "../../../datasets/index.ts";
import { AXES } from "../../../storage/index.ts";
import type { ExampleResult } from "../../analysis-result.ts";
import { isCorrect } from "../answer-quality.ts";
import { answersApart } from "../generation-axis.ts";
import type { ExampleRecords, RunIndex } from "../run-index.ts";
import type { Draft } from "./example-means.ts";

const OF_FEW = "the wordings are too few for a useful interval";

/** Indices of other authors from the same run, and other ways to aggregate. */
export function indexNumbers({ examples, spec }: RunIndex, results: readonly ExampleResult[]): Draft[] {
  const verdicts = examples.map(({ wordings, gold }) =>
    wordings.map(({ generations }) => isCorrect(generations[0].text, gold, spec)),
  );
  const noGold = "the set has no gold answers";
  const hasGold = verdicts.some((row) => row.some((it) => it !== null));
  const accuracies = accuraciesByPlace(verdicts);
  const quantileOf = (share: number) => quantile(accuracies, share).value;
  const whole = (id: string, name: string, meaning: string, value: number | null): Draft => ({
    id,
    name,
    meaning,
    whole: { value: hasGold ? value : null, noInterval: OF_FEW },
    missing: hasGold ? "there is only one wording" : noGold,
  });
  const complete = results.map(({ axes, complete: all }) =>
    all ? AXES.map((axis) => axes[axis].instability ?? NaN) : null,
  );
  return [
    {
      id: "pss",
      name: "Prompt sensitivity (PSS)",
      meaning: "Share of pairs of wordings of which one is right and the other wrong. 0 to 1.",
      values: verdicts.map((row) => {
        const known = row.filter((it) => it !== null);
        return promptSensitivity(known.map(Number)).value;
      }),
      missing: noGold,
    },
    whole(
      "format-spread",
      "FormatSpread",
      "Accuracy of the best wording minus that of the worst. Grows with their number.",
      formatSpread(accuracies).value,
    ),
    whole(
      "accuracy-sd",
      "Spread of accuracy over wordings",
      "Standard deviation of the accuracies of single wordings.",
      standardDeviation(accuracies).value,
    ),
    whole("accuracy-5", "Accuracy, 5th percentile", "Over single wordings, empirical.", quantileOf(0.05)),
    whole("accuracy-50", "Accuracy, median", "Over single wordings, empirical.", quantileOf(0.5)),
    whole("accuracy-95", "Accuracy, 95th percentile", "Over single wordings, empirical.", quantileOf(0.95)),
    ...predictionDrafts(examples, spec.dataset.labels),
    ...varianceDrafts(examples),
    {
      id: "rms-axes",
      name: "Root mean square of the axes",
      meaning: "As the composite, but a single bad axis counts more.",
      values: complete.map((axes) =>
        axes === null ? null : Math.sqrt(axes.reduce((sum, value) => sum + value * value, 0) / axes.length),
      ),
      missing: "no question has all four axes",
    },
    {
      id: "worst-axis",
      name: "Worst axis",
      meaning: "The largest of a question’s four values.",
      values: complete.map((axes) => (axes === null ? null : Math.max(...axes))),
      missing: "no question has all four axes",
    },
  ];
}

/** Accuracy of the wordings at each place that all questions with gold answers have. */
function accuraciesByPlace(verdicts: readonly (readonly (boolean | null)[])[]): number[] {
  const judged = verdicts.filter((row) => row.some((it) => it !== null));
  const places = Math.min(...judged.map(({ length }) => length));
  if (!Number.isFinite(places)) return [];
  return Array.from({ length: places }, (_, place) => {
    const known = judged.map((row) => row[place]).filter((it) => it !== null && it !== undefined);
    return known.filter(Boolean).length / Math.max(1, known.length);
  });
}

/** Errica's indices need classes: the labels of the set, and one more for any other answer. */
function predictionDrafts(examples: readonly ExampleRecords[], labels: readonly string[] | null): Draft[] {
  const missing = labels === null ? "the set has no labels to choose from" : "there is only one wording";
  const shares =
    labels === null
      ? null
      : examples.map(({ wordings }) => classShares(wordings, labels.map(comparableText)));
  return [
    {
      id: "sensitivity",
      name: "Sensitivity (Errica)",
      meaning: "Entropy of the mean prediction over wordings. 0 (always one class) to 1.",
      ...(shares === null ? {} : { values: shares.map((it) => predictionSensitivity([it]).value) }),
      missing,
    },
    {
      id: "consistency",
      name: "Consistency (Errica)",
      meaning: "Likeness of predictions between questions of one gold class. 0 to 1; higher is more stable.",
      ...(shares === null ? {} : { values: consistencies(examples, shares) }),
      missing: labels === null ? missing : "no two questions share a gold class",
    },
  ];
}

function classShares(wordings: ExampleRecords["wordings"], labels: readonly string[]): number[] {
  const counts = new Array<number>(labels.length + 1).fill(0);
  for (const { generations } of wordings) {
    const text = comparableText(generations[0].text);
    const said = labels.findIndex((label) => text === label || text.startsWith(`${label} `));
    const at = said < 0 ? labels.length : said;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((it) => it / wordings.length);
}

function consistencies(
  examples: readonly ExampleRecords[],
  shares: readonly (readonly number[])[],
): (number | null)[] {
  return examples.map(({ gold }, at) => {
    const own = shares[at];
    if (gold === null || own === undefined) return null;
    const others = shares.filter((_, other) => other !== at && examples[other]?.gold?.[0] === gold[0]);
    if (others.length === 0) return null;
    return others.reduce((sum, other) => sum + predictionConsistency(own, other), 0) / others.length;
  });
}

/** Where the variance of the distances to the original lies, generation axis. */
function varianceDrafts(examples: readonly ExampleRecords[]): Draft[] {
  const components = varianceComponents(
    examples.map(({ original, variants }) =>
      variants.map((variant) =>
        variant.embeddings.map((embedding) =>
          answersApart({ ...original }, { ...variant, embeddings: [embedding] }),
        ),
      ),
    ),
  ).value;
  const within = components === null ? null : Math.max(0, components.withinExample);
  const between = components === null ? null : Math.max(0, components.example);
  const total = within === null || between === null ? 0 : within + between;
  const draft = (id: string, name: string, value: number | null | undefined, missing: string): Draft => ({
    id,
    name,
    meaning: "Share of the variance of the answers’ distances to the original’s.",
    whole: { value: value ?? null, noInterval: "shares of variance have no interval here" },
    missing,
  });
  const noVariance = "the distances do not vary";
  const greedy = "each wording was answered once, so wordings and chance cannot be told apart";
  return [
    draft(
      "variance-questions",
      "Variance between questions",
      total > 0 ? (between ?? 0) / total : null,
      noVariance,
    ),
    draft("variance-wordings", "Variance between wordings", components?.shares?.variant, greedy),
    draft("variance-repeats", "Variance between repeats", components?.shares?.residual, greedy),
  ];
}
