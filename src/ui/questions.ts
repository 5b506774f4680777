/** Which questions the list shows, in which order, and how they rank. */
import { greatest } from "d3-array";
import { axisLooks } from "./axes.ts";
import type { AxisId, ExampleResult } from "./controller.ts";
import type { ResultsView, SortKey } from "./route.ts";

/**
 * The number that stands for an axis of one question: the signed value for mirroring (its sign says whether
 * style is copied or avoided), the instability for the others. Null where it could not be measured.
 */
export function shownValue(example: ExampleResult, axis: AxisId): number | null {
  const { signed, instability } = example.axes[axis];
  return axis === "mirroring" ? (signed ?? instability) : instability;
}

function sortValue(example: ExampleResult, sort: SortKey): number | null {
  if (sort === "order") return null;
  return sort === "mean" ? example.composite : shownValue(example, sort);
}

/** Place of each question by falling composite, 1 for the least stable; ties share the better place, missing ones come last. */
export function ranks(
  examples: readonly ExampleResult[],
  value = (example: ExampleResult) => example.composite,
): ReadonlyMap<string, number> {
  const falling = examples.flatMap((example) => value(example) ?? []).sort((a, b) => b - a);
  const places = new Map<number, number>();
  falling.forEach((measured, ahead) => {
    if (!places.has(measured)) places.set(measured, ahead + 1);
  });
  return new Map(
    examples.map((example) => {
      const own = value(example);
      const place = own === null ? undefined : places.get(own);
      return [example.exampleId, place ?? falling.length + 1];
    }),
  );
}

/** The question of the largest composite, the first of equals; null where none was measured. */
export function leastStable(examples: readonly ExampleResult[]): ExampleResult | null {
  return (
    greatest(
      examples.filter(({ composite }) => composite !== null),
      ({ composite }) => composite ?? 0,
    ) ?? null
  );
}

/** The questions of the list: found, flagged, sorted. Where nothing was measured a question stays last, whichever way it is sorted. */
export function listedQuestions(examples: readonly ExampleResult[], view: ResultsView): ExampleResult[] {
  const wanted = view.find.trim().toLocaleLowerCase();
  const found = examples.filter(
    (example) =>
      (wanted === "" || example.prompt.toLocaleLowerCase().includes(wanted)) &&
      (!view.flaggedOnly || example.flags.length > 0),
  );
  if (view.sort === "order") return view.ascending ? found : found.reverse();
  const way = view.ascending ? 1 : -1;
  return found.sort((a, b) => {
    const [x, y] = [sortValue(a, view.sort), sortValue(b, view.sort)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return way * (x - y);
  });
}

/** More dots would not fit a strip at the smallest size that can be seen, and only fill it evenly. */
const MOST_DOTS = 750;

/** Every how many questions one has its dot: 1 where there is room for all. */
export function dotStride(questions: number): number {
  return Math.max(1, Math.ceil(questions / MOST_DOTS));
}

/**
 * The questions that are drawn as dots, the same on every axis: all of them, or an even choice from the least stable
 * to the most stable.
 */
export function dottedQuestions(examples: readonly ExampleResult[]): readonly ExampleResult[] {
  const stride = dotStride(examples.length);
  if (stride === 1) return examples;
  return leastStableFirst(examples).filter((_, place) => place % stride === 0);
}

/** By falling composite; those without one last. */
export function leastStableFirst(examples: readonly ExampleResult[]): ExampleResult[] {
  const place = ranks(examples);
  return [...examples].sort(
    (a, b) => (place.get(a.exampleId) ?? Infinity) - (place.get(b.exampleId) ?? Infinity),
  );
}

/** How many wordings a question was asked in, beside the original and the null edits. */
export function wordingCount(example: ExampleResult): number {
  return example.prompts.filter(({ role }) => role === "variant").length;
}

/** The four numbers of a question as one sentence, for those who do not see the glyph. */
export function glyphLabel(example: ExampleResult, write: (value: number | null) => string): string {
  return axisLooks
    .map(({ id, name }) => {
      const value = shownValue(example, id);
      return `${name} ${value === null ? "not measured" : write(value)}`;
    })
    .join(", ");
}
