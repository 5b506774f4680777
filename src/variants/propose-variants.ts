import { commandAfter, formOf, lowerFirst, looksEnglish, questionAsCommand } from "./english-sentence.ts";
import { changeFreeText, freeText } from "./protected-text.ts";
import { textHash } from "./seeded-order.ts";

/** Another way to ask the same thing, made by rule; for people to check and edit before it is run. */
export interface ProposedVariant {
  readonly id: string;
  readonly family: "paraphrase" | "style" | "format";
  /** Name for people. */
  readonly label: string;
  readonly text: string;
}

/** How many of each family are offered at most, and in all at least (where the rules find as many). */
const PER_FAMILY = 3;
const MINIMUM = 6;

/**
 * Proposes rewordings of one prompt: sentence form and lead-ins (paraphrase), politeness and letters (style), spaces
 * and frames (format).
 *
 * The rules know word order only. A question that they cannot turn safely gets a lead-in instead of a wrong
 * sentence; a text that is not English gets frames only. Code, placeholders in braces, tags and addresses stay as
 * they are. No proposal equals the prompt or another.
 *
 * @param seed - chooses among wordings of equal standing; the same seed gives the same proposals
 * @returns at least six; none for a prompt without any text
 * @example proposeVariants("What is the capital of France?", 1)[0]?.text // "Tell me what the capital of France is."
 */
export function proposeVariants(prompt: string, seed: number): ProposedVariant[] {
  const core = prompt.trim();
  if (core === "") return [];
  const pick = (name: string, options: readonly string[]) =>
    options[textHash(`${seed}/${name}`) % options.length] ?? "";
  const english = looksEnglish(freeText(core));
  const candidates = [
    ...(english ? [...paraphrases(core, pick), ...styles(core, pick)] : []),
    ...letters(core),
    ...formats(core, english),
  ];
  const seen = new Set([core]);
  const distinct = candidates.filter(({ text }) => {
    const known = seen.has(text.trim());
    seen.add(text.trim());
    return !known;
  });
  const chosen: ProposedVariant[] = [];
  for (const family of ["paraphrase", "style", "format"] as const) {
    const ofFamily = distinct.filter((variant) => variant.family === family);
    const [first, ...others] = ofFamily;
    if (!first) continue;
    const shuffled = others
      .map((variant) => ({ variant, order: textHash(`${seed}/${variant.id}`) }))
      .sort((a, b) => a.order - b.order || (a.variant.id < b.variant.id ? -1 : 1));
    chosen.push(first, ...shuffled.slice(0, PER_FAMILY - 1).map(({ variant }) => variant));
  }
  const left = distinct.filter((variant) => !chosen.includes(variant));
  chosen.push(...left.slice(0, Math.max(0, MINIMUM - chosen.length)));
  return distinct.filter((variant) => chosen.includes(variant));
}

type Pick = (name: string, options: readonly string[]) => string;

function paraphrases(core: string, pick: Pick): ProposedVariant[] {
  const form = formOf(core);
  const of = (id: string, label: string, text: string | null): ProposedVariant[] =>
    text === null ? [] : [{ id: `rule:${id}`, family: "paraphrase", label, text }];
  const opening = pick("command", ["Tell me", "Say", "Let me know"]);
  if (form === "question") {
    const leadIn = pick("lead-in", ["Answer this question:", "Here is a question:", "My question is this:"]);
    return [
      ...of("command", "As a command", questionAsCommand(core, opening)),
      ...of(
        "wish",
        "As a wish",
        questionAsCommand(core, pick("wish", ["I would like to know", "I want to know", "I wonder"])),
      ),
      ...of("lead-in", "With a lead-in", `${leadIn} ${core}`),
      ...of(
        "closing",
        "With a closing request",
        `${core} ${pick("closing", ["Give me the answer.", "What is your answer?"])}`,
      ),
    ];
  }
  if (form === "command") {
    return [
      ...of(
        "question",
        "As a question",
        commandAfter(core, pick("question", ["Can you", "Could you", "Will you"]), "?"),
      ),
      ...of(
        "wish",
        "As a wish",
        commandAfter(core, pick("wish", ["I would like you to", "I want you to", "I need you to"]), "."),
      ),
      ...of(
        "lead-in",
        "With a lead-in",
        `${pick("lead-in", ["Here is a task:", "Your task:", "Do the following:"])} ${core}`,
      ),
    ];
  }
  return of(
    "lead-in",
    "With a lead-in",
    `${pick("lead-in", ["Respond to this:", "Reply to the following:"])} ${core}`,
  );
}

function styles(core: string, pick: Pick): ProposedVariant[] {
  const form = formOf(core);
  const thanks = pick("thanks", ["Thank you!", "Thanks in advance!", "Thank you very much."]);
  const of = (id: string, label: string, text: string): ProposedVariant => ({
    id: `rule:${id}`,
    family: "style",
    label,
    text,
  });
  const polite =
    form === "command"
      ? `${commandAfter(core, "Please", ".")} ${thanks}`
      : `${pick("excuse", ["Excuse me, I have a question.", "Hello, may I ask you something?", "Sorry to bother you."])} ${core} ${thanks}`;
  const veryPolite =
    form === "command"
      ? commandAfter(core, "Would you be so kind as to", "?")
      : `If it is not too much trouble, I would be grateful for your help with this. ${core}`;
  return [
    of("polite", "Polite", polite),
    of("very-polite", "Very polite", veryPolite),
    of("casual", "Casual", `hey, ${lowerFirst(core)}`),
  ];
}

/** Changes that need no language, only letters and marks. */
function letters(core: string): ProposedVariant[] {
  const of = (id: string, label: string, text: string): ProposedVariant => ({
    id: `rule:${id}`,
    family: "style",
    label,
    text,
  });
  const marks = /([?!？！؟])$/u.exec(core);
  return [
    of(
      "capitals",
      "Capitals",
      changeFreeText(core, (part) => part.toUpperCase()),
    ),
    of(
      "small-letters",
      "Small letters",
      changeFreeText(core, (part) => part.toLowerCase()),
    ),
    of("repeated-mark", "Repeated mark", marks ? core + (marks[1] ?? "").repeat(2) : core),
  ];
}

function formats(core: string, english: boolean): ProposedVariant[] {
  const of = (id: string, label: string, text: string | null): ProposedVariant[] =>
    text === null ? [] : [{ id: `rule:${id}`, family: "format", label, text }];
  const oneLine = !/[\n`]/u.test(core);
  const name = formOf(core) === "question" ? "Question" : "Task";
  return [
    ...of(
      "extra-spaces",
      "Extra spaces",
      changeFreeText(core, (part) => part.replace(/(?<=\S) (?=\S)/gu, "   ")),
    ),
    ...of("form", "Form to fill in", english ? `${name}: ${core}\nAnswer:` : null),
    ...of("quotes", "In quotation marks", oneLine && !/["“”]/u.test(core) ? `"${core}"` : null),
    ...of("list-item", "As a list item", oneLine ? `- ${core}` : null),
    ...of("bold", "In bold", oneLine && !core.includes("*") ? `**${core}**` : null),
    ...of("no-final-mark", "Without the final mark", oneLine ? core.replace(/[.?!。？！؟]+$/u, "") : null),
    ...of("rules", "Between lines", `---\n${core}\n---`),
    ...of("hashes", "Between hash signs", `###\n${core}\n###`),
    ...of("tags", "In tags", `<input>\n${core}\n</input>`),
    ...of("block-quote", "As a quotation", core.replace(/^/gmu, "> ")),
    ...of("brackets", "In brackets", `[${core}]`),
    ...of("numbered", "As number one", `1. ${core}`),
  ].filter(({ text }) => text.trim() !== "");
}
