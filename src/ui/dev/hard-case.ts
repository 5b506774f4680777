/** A made-up analysis that is hard to draw: long texts, many questions, values out of range, holes. */
import type { Analysis, ExampleAxis, ExampleResult } from "../controller.ts";

const LONG_PROMPT =
  "You are planning a birthday party for a child who likes dinosaurs, trains and swimming. Write a short plan for the afternoon with times, two games, something to eat, and a fallback in case of rain.\nKeep it under sixty words, and do not use any brand names. 🦖 مرحبا";
const LONG_ANSWER =
  "Here is a plan:\n\n1. 14:00 Guests arrive and get a dinosaur name tag.\n2. 14:30 Egg hunt: hide twelve painted eggs in the garden.\n3. 15:15 Cake and fruit.\n4. 16:00 Train race with chairs.\n\nIf it rains, move the hunt into the living room and hide the eggs under cushions and behind the curtains";

function changed(example: ExampleResult, index: number): ExampleResult {
  const odd = (axis: ExampleAxis, value: number | null, reason: string): ExampleAxis =>
    value === null
      ? { instability: null, reason, B: null, W: null, C: null, N: null, signed: null }
      : { ...axis, instability: value, B: axis.C === null ? null : value * axis.C };
  const { generation, activation, confidence, mirroring } = example.axes;
  return {
    ...example,
    exampleId: `${example.exampleId}/${index} ü`,
    prompt: index % 3 === 0 ? LONG_PROMPT : `${example.prompt} (${index})`,
    gold: null,
    composite: index % 11 === 5 ? null : example.composite,
    complete: index % 11 !== 5,
    axes: {
      generation: odd(generation, index % 7 === 0 ? 1.31 : generation.instability, ""),
      activation: odd(activation, index % 5 === 0 ? -0.04 : activation.instability, ""),
      confidence: odd(confidence, index % 11 === 5 ? null : confidence.instability, "the answer is empty"),
      mirroring: { ...mirroring, signed: (mirroring.signed ?? 0) - 0.12 },
    },
    flags:
      index % 4 === 0
        ? [
            ...example.flags,
            {
              kind: "truncated",
              text: "3 cut off",
              why: "Three answers reached the longest length.",
              promptIds: [],
            },
            {
              kind: "close-steps",
              text: "2 close calls",
              why: "At two steps two tokens were almost equally likely.",
              promptIds: [],
            },
          ]
        : example.flags,
    prompts: example.prompts.map((prompt, at) => ({
      ...prompt,
      correct: null,
      label: prompt.family === "style" ? "lower case, no punctuation at all" : prompt.label,
      text: index % 3 === 0 ? `${LONG_PROMPT}${at}` : prompt.text,
      response: at === 3 ? "" : index % 3 === 0 ? `${LONG_ANSWER} ${at}` : prompt.response,
      meanProbability: at === 3 ? null : prompt.meanProbability,
      tokens: at === 3 ? 0 : 64,
      finish: "length",
      flags: at === 3 ? ["empty"] : ["truncated"],
    })),
  };
}

export function hardCase(analysis: Analysis): Analysis {
  const examples = [...analysis.examples, ...analysis.examples].map(changed);
  const { generation, activation, confidence, mirroring } = analysis.axes;
  return {
    ...analysis,
    examples,
    examplesPlanned: examples.length,
    examplesAnalysed: examples.length,
    exploratory: false,
    axes: {
      generation: {
        ...generation,
        estimate: 1.08,
        low: 0.97,
        high: 1.19,
        floor: { ...generation.floor, estimate: 0.93 },
      },
      activation: {
        ...activation,
        estimate: -0.02,
        low: -0.05,
        high: 0.01,
        floor: { ...activation.floor, estimate: 0 },
      },
      confidence,
      mirroring: { ...mirroring, estimate: -0.03, low: -0.06, high: -0.01 },
    },
    beside: {
      ...analysis.beside,
      accuracyOriginal: null,
      accuracyBest: null,
      accuracyWorst: null,
      truncated: 704,
      answers: 704,
      empty: 64,
      constant: true,
    },
    determinism: { reruns: 36, identical: 31, maxDistance: 0.21 },
    notes: [
      "The model gives the same answer to every question, so its stability means nothing.",
      "704 of 704 answers were cut off, which also makes answers differ.",
      "12 of 192 null edits give the model the very same tokens as the original; they count as distance 0.",
    ],
  };
}

/** The same run with so many questions: the made-up ones over and over, numbered. */
export function manyQuestions(analysis: Analysis, count: number): Analysis {
  const examples = Array.from({ length: count }, (_, at) => {
    const example = analysis.examples[at % analysis.examples.length];
    if (example === undefined) throw new Error("The made-up run has no questions.");
    const shifted = (value: number | null) => (value === null ? null : value + Math.sin(at) / 20);
    const moved = ({ instability, signed, ...rest }: ExampleAxis): ExampleAxis => ({
      ...rest,
      instability: shifted(instability),
      signed: shifted(signed),
    });
    const { generation, activation, confidence, mirroring } = example.axes;
    return {
      ...example,
      exampleId: `q${at}`,
      prompt: `${at + 1}. ${example.prompt}`,
      composite: shifted(example.composite),
      axes: {
        generation: moved(generation),
        activation: moved(activation),
        confidence: moved(confidence),
        mirroring: moved(mirroring),
      },
    };
  });
  return { ...analysis, examples, examplesPlanned: count, examplesAnalysed: count, exploratory: false };
}
