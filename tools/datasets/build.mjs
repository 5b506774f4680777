/**
 * Builds src/datasets/built-in/*.json from the rows beside this script, which are written by hand.
 *
 *   node tools/datasets/build.mjs            writes the files
 *   node tools/datasets/build.mjs --check    exits with 1 if a file differs from what would be written
 */
import { readFileSync, writeFileSync } from "node:fs";
import { formats, styles, twoOf } from "./wordings.mjs";

const source = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), "utf8"));
const target = (name) => new URL(`../../src/datasets/built-in/${name}.json`, import.meta.url);

const shared = { license: "Apache-2.0", language: "en" };

const shortFacts = {
  head: {
    id: "short-facts",
    name: "Short facts",
    description: "Questions of general knowledge with a short answer, compared with accepted answers.",
    kind: "short-answer",
    ...shared,
  },
  manner: "question",
  paraphraseLabels: ["in other words", "as a command", "turned around"],
  rows: source("short-facts").map(([prompt, gold, ...paraphrases]) => ({ prompt, gold, paraphrases })),
};

const instructions = {
  head: {
    id: "instructions",
    name: "Instructions",
    description: "Explain, list, advise, summarise, write: answers in free text, with no single right one.",
    kind: "free-text",
    ...shared,
  },
  manner: "task",
  paraphraseLabels: ["in other words", "as a question", "as a wish"],
  rows: source("instructions").map(([prompt, ...paraphrases]) => ({ prompt, paraphrases })),
};

const judgements = {
  head: {
    id: "judgements",
    name: "Judgements",
    description: "Is a review positive or negative, is a claim true or false: half of the set each.",
    kind: "classification",
    ...shared,
    labels: ["positive", "negative", "true", "false"],
  },
  manner: "judgement",
  paraphraseLabels: ["in other words", "in other words, again", "in yet other words"],
  rows: interleaved(source("judgements")),
};

/**
 * One example of each label in every block of four, in changing order, so that any first part of the set is
 * balanced. Row n of one label has its counterpart in row n of another ("the soup was hot", "the soup was
 * cold"); the shifts keep counterparts apart.
 */
function interleaved(byLabel) {
  const orders = [
    ["positive", "true", "negative", "false"],
    ["false", "negative", "true", "positive"],
    ["true", "positive", "false", "negative"],
    ["negative", "false", "positive", "true"],
  ];
  const shifts = { positive: 0, true: 0, negative: 6, false: 6 };
  return byLabel.positive.flatMap((_, block) =>
    orders[block % orders.length].map((label) => {
      const rows = byLabel[label];
      const [prompt, ...paraphrases] = rows[(block + shifts[label]) % rows.length];
      return { prompt, gold: [label], paraphrases };
    }),
  );
}

function dataset({ head, manner, paraphraseLabels, rows }) {
  const examples = rows.map(({ prompt, gold, paraphrases }, index) => ({
    id: `${head.id}-${String(index + 1).padStart(2, "0")}`,
    prompt,
    ...(gold === undefined ? {} : { gold }),
    variants: [
      ...paraphrases.map((text, at) => ({
        id: `paraphrase-${at + 1}`,
        family: "paraphrase",
        label: paraphraseLabels[at],
        prompt: text,
      })),
      ...byRule("style", twoOf(styles, index), prompt, manner),
      ...byRule("format", twoOf(formats, index), prompt, manner),
    ],
  }));
  return { schema: "sago-dataset/1", ...head, examples };
}

const byRule = (family, wordings, prompt, manner) =>
  wordings.map(({ id, label, word }) => ({
    id: `${family}-${id}`,
    family,
    label,
    prompt: word(prompt, manner),
  }));

const files = {
  "short-facts": dataset(shortFacts),
  instructions: dataset(instructions),
  judgements: dataset(judgements),
  background: source("background"),
};

const check = process.argv.includes("--check");
for (const [name, content] of Object.entries(files)) {
  const text = `${JSON.stringify(content, null, 1)}\n`;
  if (!check) {
    writeFileSync(target(name), text);
  } else if (readFileSync(target(name), "utf8") !== text) {
    console.error(
      `src/datasets/built-in/${name}.json differs from its source. Run node tools/datasets/build.mjs.`,
    );
    process.exitCode = 1;
  }
}
