import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { directLabels, tokenText, widestGap } from "./certainty-layout.ts";
import { fileName } from "./export.ts";
import { heatColour, heatTop, layerTicks } from "./heat-scale.ts";
import { clampMiddle, collide, everyNth, fit, textWidth } from "./labels.ts";
import { markPath, tickText, unitScale } from "./marks.ts";
import { nextIndex } from "./roving.ts";
import { labelsAbove, rulerTop } from "./ruler-layout.ts";
import { swarm } from "./swarm.ts";
import { tipPlace } from "./tip-place.ts";

describe("swarm", () => {
  it("keeps every dot at its own x and inside the strip", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { maxLength: 80 }), (xs) => {
        const dots = swarm(xs, 4, 30);
        expect(dots.map(({ x }) => x)).toEqual(xs);
        for (const { y } of dots) expect(Math.abs(y)).toBeLessThanOrEqual(30);
      }),
    );
  });
  it("does not let two dots cover each other while there is room", () => {
    const dots = swarm([10, 10, 11, 12, 40], 4, 60);
    dots.forEach((a, i) =>
      dots
        .slice(i + 1)
        .forEach((b) =>
          expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThanOrEqual(8 * Math.sqrt(0.93) - 1e-9),
        ),
    );
  });
  it("puts a lone dot in the middle", () => expect(swarm([5], 4, 30)).toEqual([{ x: 5, y: 0 }]));
});

describe("scales", () => {
  it("draws what lies outside 0 and 1 at its end", () => {
    const x = unitScale(8, 108);
    expect([x(-0.3), x(0), x(0.5), x(1.4)]).toEqual([8, 8, 58, 108]);
  });
  it("names the ends of the scale without decimals", () =>
    expect([0, 0.25, 0.5, 1].map(tickText)).toEqual(["0", "0.25", "0.50", "1"]));
  it("draws each axis with a mark of its own", () => {
    const paths = (["circle", "square", "diamond", "triangle"] as const).map((shape) => markPath(shape, 5));
    expect(new Set(paths).size).toBe(4);
    for (const path of paths) expect(path).toMatch(/^M/);
  });
  it("ends the heat map's colours at a round number above all values", () => {
    expect([heatTop([0.42, null]), heatTop([0.03]), heatTop([1.7]), heatTop([2.4])]).toEqual([
      0.5, 0.1, 2, 3,
    ]);
    expect([heatTop([]), heatTop([null]), heatTop([0])]).toEqual([1, 1, 1]);
    expect([heatColour(0, 0.5), heatColour(0.5, 0.5), heatColour(9, 0.5)]).toEqual([
      "var(--seq-0)",
      "var(--seq-8)",
      "var(--seq-8)",
    ]);
  });
  it("numbers layers as densely as there is room", () => {
    expect(layerTicks(30, 12)).toEqual([1, 5, 10, 15, 20, 25, 30]);
    expect(layerTicks(30, 4)).toEqual([1, 10, 20, 30]);
  });
  it("ends a ruler at 1, or at the next half above it", () =>
    expect([rulerTop([0.2]), rulerTop([1.2, 0.3]), rulerTop([1.7])]).toEqual([1, 1.5, 2]));
});

describe("text in charts", () => {
  it("shortens a text to its room and leaves short ones alone", () => {
    expect(fit("short", 200)).toBe("short");
    const cut = fit("lower case, no punctuation", 80);
    expect(cut.endsWith("…")).toBe(true);
    expect(textWidth(cut)).toBeLessThanOrEqual(80);
  });
  it("moves a centred text inside the chart", () => {
    const half = textWidth("W re-run 0.00") / 2;
    expect(clampMiddle(0, "W re-run 0.00", 300)).toBe(half);
    expect(clampMiddle(300, "W re-run 0.00", 300)).toBe(300 - half);
  });
  it("never lets the two names above a ruler touch while both fit", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 280, max: 700 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (width, a, b) => {
          const [first, second] = labelsAbove(
            { text: "W re-run 0.00", x: a * width },
            { text: "C unrelated 0.76", x: Math.max(a, b) * width },
            width,
          );
          if (!first || !second) throw new Error("two names were given");
          expect(collide(first, second)).toBe(false);
        },
      ),
    );
  });
  it("writes every token where there is room and every few where there is not", () =>
    expect([everyNth(20, 11), everyNth(6, 13), everyNth(0, 11)]).toEqual([1, 3, 1]));
  it("shows white space of a token by a sign", () =>
    expect([" skin", "\n", "  ", ""].map(tokenText)).toEqual(["skin", "↵", "␣", "end"]));
  it("makes a file name of a title in any script", () => {
    expect(fileName("Inside: how far each layer moves", "svg")).toBe(
      "sago-inside-how-far-each-layer-moves.svg",
    );
    expect(fileName("…", "png")).toBe("sago-chart.png");
  });
});

describe("the certainty chart", () => {
  const own = { id: "o", label: "original", probability: [0.9, 0.8, 0.9] };
  const others = [
    { id: "a", label: "polite", probability: [0.9, 0.2, 0.9] },
    { id: "b", label: "form", probability: [0.8, 0.5, 0.9] },
  ];
  it("finds the token at which the lines part", () => {
    expect(widestGap(own, others)).toBe(1);
    expect(widestGap(own, [])).toBeNull();
    expect(widestGap(own, [own])).toBeNull();
  });
  it("names the original and the deepest line there", () => {
    const labels = directLabels(
      own,
      others,
      (at) => 100 + at * 100,
      (p) => 200 - p * 170,
      400,
    );
    expect(labels.map(({ text, at }) => [text, at])).toEqual([
      ["original", 1],
      ["polite", 1],
    ]);
  });
});

describe("arrow keys", () => {
  it("go round in a row of marks", () => {
    expect([
      nextIndex("ArrowRight", 3, 4),
      nextIndex("ArrowLeft", 0, 4),
      nextIndex("End", 0, 4),
      nextIndex("Home", 3, 4),
    ]).toEqual([0, 3, 3, 0]);
  });
  it("change the row of a grid and stay at its edge", () => {
    expect([
      nextIndex("ArrowDown", 1, 6, 3),
      nextIndex("ArrowDown", 4, 6, 3),
      nextIndex("ArrowUp", 4, 6, 3),
      nextIndex("End", 3, 6, 3),
    ]).toEqual([4, 4, 1, 5]);
  });
  it("leave other keys to the page, and an empty chart alone", () => {
    expect([nextIndex("Tab", 1, 4), nextIndex("ArrowRight", 0, 0)]).toEqual([null, null]);
  });
});

it("keeps a tooltip inside the window and turns it below where there is no room above", () => {
  const anchor = { left: 2, top: 20, bottom: 40, width: 10 };
  expect(tipPlace(anchor, { width: 200, height: 60 }, { width: 360 })).toEqual({ left: 8, top: 48 });
  expect(
    tipPlace({ ...anchor, left: 350, top: 300, bottom: 320 }, { width: 200, height: 60 }, { width: 360 }),
  ).toEqual({ left: 152, top: 232 });
});
