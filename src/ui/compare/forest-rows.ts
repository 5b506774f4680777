/** Rows of the forest plot: the runs, under the name of their dataset. */
import type { ComparedRun } from "../controller.ts";
import { plural } from "../format.ts";

export interface ForestRow {
  readonly run: ComparedRun;
  /** Place of its contender. */
  readonly contender: number;
  /** Name of the dataset over the first of its rows; null elsewhere. */
  readonly heading: string | null;
  readonly label: string;
}

/** Datasets in the order in which they first occur, in each the contenders in theirs. */
export function forestRows(
  runs: readonly ComparedRun[],
  contenders: readonly { readonly name: string }[],
): ForestRow[] {
  const datasets = [...new Set(runs.map(({ dataset }) => dataset))];
  const placeOf = (run: ComparedRun) => contenders.findIndex(({ name }) => name === run.contender);
  return datasets.flatMap((dataset) => {
    const of = runs.filter((run) => run.dataset === dataset).sort((a, b) => placeOf(a) - placeOf(b));
    return of.map((run, at): ForestRow => ({
      run,
      contender: Math.max(0, placeOf(run)),
      heading: at === 0 ? `${dataset}, ${countsOf(of)}` : null,
      label: run.contender,
    }));
  });
}

/** "32 questions", or "16 to 64 questions" where the runs differ. */
function countsOf(runs: readonly ComparedRun[]): string {
  const counts = runs.map(({ examples }) => examples);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least === most ? "" : `${least} to `}${plural(most, "question")}`;
}

/** The last value of the scale: the largest end of an interval or floor, at most 1 where nothing lies beyond. */
export function forestEnd(runs: readonly ComparedRun[]): number {
  const values = runs.flatMap(({ axes }) =>
    Object.values(axes).flatMap(({ estimate, high, floor }) => [estimate ?? 0, high ?? 0, floor ?? 0]),
  );
  return Math.max(0.2, ...values);
}
