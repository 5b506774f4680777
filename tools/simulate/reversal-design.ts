/** Two models on two data sets, their scores drawn at random: is a reversal claimed where there is one, and only there? */
import { rankingReversals, type RandomSource } from "../../src/statistics/index.ts";
import { BOOTSTRAP_REPLICATIONS, type Observation } from "./pipeline-design.ts";

/** Difference of the models in units of the spread of one question's difference. */
const PLANTED = 0.9;

export class ReversalDesign {
  readonly name: string;
  readonly examples: number;
  readonly #planted: boolean;

  /** Absent: the models are alike on the first data set and differ on the second, so no order can reverse. */
  constructor(which: "planted" | "absent", examples: number) {
    this.#planted = which === "planted";
    this.name = this.#planted
      ? "two models, two data sets, the order reverses"
      : "two models, two data sets, alike on one and different on the other";
    this.examples = examples;
  }

  observe(random: RandomSource): Observation[] {
    const first = this.#planted ? PLANTED : 0;
    const datasets = [first, -PLANTED].map((difference, at) => {
      const base = Array.from({ length: this.examples }, () => random.uniform());
      // Many questions on which both models are equally stable, as greedy decoding gives them.
      const other = base.map((value) =>
        random.uniform() < 0.3 ? value + 0.2 * difference : value + 0.2 * (difference + random.normal()),
      );
      return { dataset: `set ${at}`, scores: [base, other] };
    });
    const { value } = rankingReversals(datasets, random.split("bootstrap"), {
      replications: BOOTSTRAP_REPLICATIONS,
    });
    const confirmed = value === null ? null : value.reversals.some(({ status }) => status === "confirmed");
    return [
      {
        statistic: "a ranking reversal is confirmed",
        kind: this.#planted ? "power" : "type-I",
        hit: confirmed,
      },
    ];
  }
}
