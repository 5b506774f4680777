import {
  commandAfter,
  firstSentence,
  formOf,
  looksEnglish,
  questionAsCommand,
  type SentenceForm,
} from "../english-sentence.ts";
import { freeText, hideProtected } from "../protected-text.ts";
import { NOT_ENGLISH, type Draft, type Family } from "./family.ts";

const FORMS = ["question", "command", "statement"] as const;
type Form = (typeof FORMS)[number];

const LABELS: Readonly<Record<Form, string>> = {
  question: "as a question",
  command: "as a command",
  statement: "as a statement",
};
const COMMAND_OPENINGS = ["Tell me", "Say", "Let me know"];
const QUESTION_OPENINGS = ["Can you", "Could you", "Will you"];
const STATEMENT_OPENINGS: Readonly<Record<"question" | "command", readonly string[]>> = {
  question: ["I would like to know", "I want to know", "I need to know"],
  command: ["I would like you to", "I want you to", "I need you to"],
};

/** The first sentence as a question, a command or a statement, where word order can be turned without a parser. */
export const sentenceForm: Family<"sentence-form"> = {
  id: "sentence-form",
  name: "Sentence form",
  what: "The first sentence as a question, a command or a statement.",
  scale: null,
  make: (text, _strength, { choice }) => {
    const core = text.trim();
    const hidden = hideProtected(core);
    const english = looksEnglish(freeText(core));
    return FORMS.map((form): Draft => {
      const place = { form, label: LABELS[form] };
      if (!english) return { ...place, reason: NOT_ENGLISH };
      if (hidden === null) return { ...place, reason: "The text has too many parts that must not change." };
      const is = formOf(hidden.hidden);
      const pick = (options: readonly string[]) => options[choice(form).integer(options.length)] ?? "";
      const turned = rewrite(hidden.hidden, is, form, pick);
      return turned.ok ? { ...place, text: hidden.reveal(turned.text) } : { ...place, reason: turned.reason };
    });
  },
};

type Turned = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

function rewrite(
  text: string,
  is: SentenceForm,
  to: Form,
  pick: (options: readonly string[]) => string,
): Turned {
  if (is === to) return { ok: false, reason: `The text is a ${to} already.` };
  if (is === "other") return { ok: false, reason: whyOther(text) };
  if (is === "command") {
    return {
      ok: true,
      text:
        to === "question"
          ? commandAfter(text, pick(QUESTION_OPENINGS), "?")
          : commandAfter(text, pick(STATEMENT_OPENINGS.command), "."),
    };
  }
  const opening = to === "command" ? pick(COMMAND_OPENINGS) : pick(STATEMENT_OPENINGS.question);
  const turned = questionAsCommand(text, opening);
  return turned === null
    ? {
        ok: false,
        reason: "The word order of this question cannot be turned by rule without risking a wrong sentence.",
      }
    : { ok: true, text: turned };
}

function whyOther(text: string): string {
  return /\?\s*$/u.test(firstSentence(text).sentence)
    ? "The question does not open with a question word or a helping verb, so the rules cannot turn it."
    : "The first sentence is neither a question nor a command that the rules know.";
}
