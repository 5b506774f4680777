import { afterAll, beforeAll, describe, expect, it } from "vitest";
import reference from "../../tests/fixtures/minilm-reference.json";
import { EncoderClient } from "./index.ts";

const encoder = new EncoderClient();

beforeAll(async () => {
  const loaded = await encoder.load(
    {
      kind: "bundled",
      id: "all-MiniLM-L6-v2",
      baseUrl: new URL("/models/all-MiniLM-L6-v2/", location.href).href,
    },
    () => undefined,
  );
  expect(loaded.dimensions).toBe(384);
}, 600_000);

afterAll(() => encoder.terminate());

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i += 1) {
    dot += (a[i] ?? NaN) * (b[i] ?? NaN);
    aa += (a[i] ?? NaN) ** 2;
    bb += (b[i] ?? NaN) ** 2;
  }
  return dot / Math.sqrt(aa * bb);
}

function present(vector: Float32Array | null | undefined): Float32Array {
  if (!vector) throw new Error("A text has no embedding.");
  return vector;
}

describe("the sentence encoder on WebAssembly", () => {
  it("agrees with the fp32 reference on 20 sentences", async () => {
    const bytes = Uint8Array.from(atob(reference.embeddingsFloat32Base64), (character) =>
      character.charCodeAt(0),
    );
    const expected = new Float32Array(bytes.buffer);
    const vectors = await encoder.embed(reference.sentences);
    expect(vectors).toHaveLength(20);
    vectors.forEach((vector, i) => {
      expect(cosine(present(vector), expected.subarray(i * 384, (i + 1) * 384))).toBeGreaterThan(0.99);
      expect(Math.hypot(...present(vector))).toBeCloseTo(1, 5);
    });
  });

  it("gives a text the same vector in any company", async () => {
    const [first = "", second = ""] = reference.sentences;
    const alone = await encoder.embed([first]);
    const among = await encoder.embed([second, "x", first, `${second} ${second} ${second}`]);
    expect(among[2]).toEqual(alone[0]);
  });

  it("hands out the tokens' vectors, of which a short text's one vector is nearly the mean", async () => {
    const [first = ""] = reference.sentences;
    const [vector] = await encoder.embed([first]);
    const [embedded, none] = await encoder.embedTokens([first, " "]);
    expect(none).toBeNull();
    expect(embedded?.vector).toEqual(vector);
    const { rows = 0, dimensions = 0, values = [] } = embedded?.tokens ?? {};
    expect(dimensions).toBe(384);
    expect(rows).toBeGreaterThan(3);
    expect(values).toHaveLength(rows * dimensions);
    const mean = Float32Array.from({ length: dimensions }, (_, at) => {
      let sum = 0;
      for (let row = 0; row < rows; row += 1) sum += values[row * dimensions + at] ?? NaN;
      return sum / rows;
    });
    // The two special tokens are in the one vector and not among the tokens.
    expect(cosine(mean, present(vector))).toBeGreaterThan(0.9);
  });

  it("has no vector for an empty text", async () => {
    expect(await encoder.embed(["", " \n\t"])).toEqual([null, null]);
  });

  it("reads all of a text that is longer than it can read at once", async () => {
    const long = "The ferry leaves at nine. ".repeat(60);
    const [whole, start, other] = await encoder.embed([
      `${long}${"Bees make honey from nectar. ".repeat(60)}`,
      long,
      "Bees make honey from nectar. ".repeat(30),
    ]);
    expect(cosine(present(whole), present(start))).toBeLessThan(0.95);
    expect(cosine(present(whole), present(other))).toBeGreaterThan(0.3);
  });
});
