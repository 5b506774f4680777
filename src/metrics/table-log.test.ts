import { describe, expect, it } from "vitest";
import { tableLog } from "./table-log.ts";

describe("tableLog", () => {
  it("agrees with Math.log from the smallest normal number to the largest", () => {
    let worst = 0;
    for (let at = 0; at < 20_000; at += 1) {
      const x = 2 ** (-1021 + (at * 2044) / 20_000) * (1 + (at % 977) / 977);
      const expected = Math.log(x);
      worst = Math.max(worst, Math.abs(tableLog(x) - expected) / (2e-16 + 4e-16 * Math.abs(expected)));
    }
    expect(worst).toBeLessThanOrEqual(1);
  });

  it("is exact enough next to 1 and at the edges of the table's intervals", () => {
    for (const x of [1, 1 - 2 ** -53, 1 + 2 ** -52, 0.5, 2, 1 + 1 / 2048, 1 + 1 / 4096, 0.7, 1e-300]) {
      expect(Math.abs(tableLog(x) - Math.log(x))).toBeLessThanOrEqual(
        3e-16 * Math.max(1, Math.abs(Math.log(x))),
      );
    }
  });
});
