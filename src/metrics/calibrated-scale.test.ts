import { expect, it } from "vitest";
import { calibrated } from "./calibrated-scale.ts";

it("agrees with the reference value", () => {
  expect(calibrated(0.3, 0.1, 0.7).value).toBeCloseTo(0.333333, 6);
});

it("is 0 at re-runs, 1 at unrelated inputs, and not clipped beyond", () => {
  expect(calibrated(0.1, 0.1, 0.7).value).toBe(0);
  expect(calibrated(0.7, 0.1, 0.7).value).toBeCloseTo(1, 12);
  expect(calibrated(0.05, 0.1, 0.7).value).toBeLessThan(0);
  expect(calibrated(0.9, 0.1, 0.7).value).toBeGreaterThan(1);
});

it("is null with a reason where unrelated inputs hardly differ more than re-runs", () => {
  expect(calibrated(0.3, 0.1, 0.14).reason).toContain("0.040");
  expect(calibrated(0.3, 0.1, 0.15).value).not.toBeNull();
  expect(calibrated(0.3, 0.5, 0.1).value).toBeNull();
});
