import { formOf } from "../english-sentence.ts";
import { hideProtected } from "../protected-text.ts";
import type { Draft, Family } from "./family.ts";

/**
 * The choices of a plain prompt format, after the grammar of Sclar et al. 2023 (FormatSpread, arXiv 2310.11324):
 * how a field is named, how its name is written, what stands behind the name, what stands between fields.
 */
const NAMES = {
  question: ["Question", "Q", "Input", "Problem"],
  task: ["Task", "Instruction", "Input", "Request"],
} as const;
const ANSWERS = ["Answer", "Response", "Output", "Reply"] as const;
const CASINGS: readonly { readonly id: string; readonly write: (name: string) => string }[] = [
  { id: "title", write: (name) => name },
  { id: "upper", write: (name) => name.toUpperCase() },
  { id: "lower", write: (name) => name.toLowerCase() },
  { id: "bold", write: (name) => `**${name}**` },
];
const SEPARATORS = [": ", ":", " - ", ":: ", " | ", ":\n", "\t", " = ", ") "] as const;
const JOINERS = ["\n", "\n\n", " ", " | ", "\n---\n"] as const;
const FORMS = 6;

/** "Name: text" at the start of a line: a prompt that has fields already. */
const FIELD = /^(\p{Lu}[\p{L} ]{0,24}):[ \t]/gmu;

/** Plain formats around the text, or other ways to write the fields that it has. */
export const template: Family<"template"> = {
  id: "template",
  name: "Template",
  what: "Field names, their letter case, separators and spacing around the text, drawn from a small grammar.",
  scale: null,
  make: (text, _strength, { choice }) => {
    const core = text.trim();
    const hidden = hideProtected(core);
    const hasFields = hidden !== null && [...hidden.hidden.matchAll(FIELD)].length > 0;
    const draw = choice("formats");
    const combinations: Draft[] = [];
    const seen = new Set<string>();
    // Draws until enough different formats are found; the grammar has far more.
    for (let tries = 0; combinations.length < FORMS && tries < 50 * FORMS; tries += 1) {
      const made = hasFields
        ? restyled(hidden.hidden, draw.integer(CASINGS.length), draw.integer(SEPARATORS.length))
        : framed(core, draw.integer);
      if (seen.has(made.form)) continue;
      seen.add(made.form);
      combinations.push(hasFields ? { ...made, text: hidden.reveal(made.text) } : made);
    }
    return combinations;
  },
};

interface Made {
  readonly form: string;
  readonly label: string;
  readonly text: string;
}

function framed(core: string, draw: (n: number) => number): Made {
  const names = NAMES[formOf(core) === "question" ? "question" : "task"];
  const [name, answer] = [draw(names.length), draw(ANSWERS.length)];
  const [casing, separator, joiner] = [draw(CASINGS.length), draw(SEPARATORS.length), draw(JOINERS.length)];
  const write = CASINGS[casing]?.write ?? String;
  const between = SEPARATORS[separator] ?? ": ";
  const [question, reply] = [write(names[name] ?? "Task"), write(ANSWERS[answer] ?? "Answer")];
  return {
    form: [name, answer, casing, separator, joiner].join("-"),
    label: `${shown(question + between)} … ${shown((JOINERS[joiner] ?? "\n") + reply + between)}`,
    text: `${question}${between}${core}${JOINERS[joiner] ?? "\n"}${(reply + between).trimEnd()}`,
  };
}

function restyled(hidden: string, casing: number, separator: number): Made {
  const write = CASINGS[casing]?.write ?? String;
  const between = SEPARATORS[separator] ?? ": ";
  const text = hidden.replace(FIELD, (_field, name: string) => `${write(name)}${between}`);
  return {
    form: `fields-${casing}-${separator}`,
    label: `fields as ${shown(write("Name") + between)}`,
    text,
  };
}

/** White space made visible, for a label. */
function shown(text: string): string {
  return `“${text.replaceAll("\n", "↵").replaceAll("\t", "⇥").trim()}”`;
}
