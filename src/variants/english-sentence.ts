/** Sentence forms that the rules tell apart. Anything else is "other" and is not rewritten. */
export type SentenceForm = "question" | "command" | "other";

const BE = "is|are|was|were";
const MODAL = "can|could|will|would|shall|should|may|might|must";
/** "This" and its like are left out: before a noun they are no pronouns. */
const PRONOUN = "I|you|he|she|it|we|they|there";
const DETERMINER = "the|a|an|my|your|his|her|its|our|their|this|that|these|those";
const QUESTION_WORD = "what|who|whom|whose|which|where|when|why|how";
const QUESTION_START = new RegExp(
  `^(?:${QUESTION_WORD}|in which|in what|to which|at what|${BE}|am|do|does|did|have|has|had|${MODAL})\\b`,
  "i",
);
/** Verbs that open a command in the rules below; those that are as often nouns are left out. */
const COMMANDS = new Set(
  (
    "add analyse analyze answer arrange ask assess calculate choose classify combine compare compose compute convert " +
    "correct count create decide define describe design determine discuss draft draw edit estimate evaluate explain " +
    "express extract find finish fix generate get give guess help identify illustrate imagine include keep list make " +
    "mention name offer outline pick plan predict prepare propose prove provide put read recall recommend rephrase " +
    "reply respond review rewrite say select show sketch solve sort specify spell state suggest summarise summarize " +
    "tell think translate turn use verify write"
  ).split(" "),
);

/** The form of a text's first sentence. */
export function formOf(text: string): SentenceForm {
  const first = firstSentence(text);
  if (/\?\s*$/u.test(first.sentence) && QUESTION_START.test(first.sentence)) return "question";
  const [opening] = first.sentence.split(/\s/u);
  return opening !== undefined && COMMANDS.has(opening.toLowerCase()) ? "command" : "other";
}

/** Small words that other languages in Latin letters do not share; none of them is German, French or Spanish. */
const SMALL_WORDS = new Set(
  (
    "the of to is are were and or with what which where when why how does did this that it you your can cannot " +
    "please from they their there would should could not but have has"
  ).split(" "),
);

/** Enough small English words among the letters, or an opening command, to rewrite by English rules. */
export function looksEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  const small = words.filter((word) => SMALL_WORDS.has(word)).length;
  const latin = words.filter((word) => /^[a-z']+$/.test(word)).length;
  const [opening] = words;
  if (opening === undefined || latin < 0.8 * words.length) return false;
  return small >= 0.1 * words.length || COMMANDS.has(opening);
}

/** Splits off the first sentence; `rest` keeps its leading space. A line break ends a sentence, too. */
export function firstSentence(text: string): { readonly sentence: string; readonly rest: string } {
  const end = /[.!?]+(?=\s)|\n/u.exec(text);
  if (!end) return { sentence: text, rest: "" };
  const at = end[0] === "\n" ? end.index : end.index + end[0].length;
  return { sentence: text.slice(0, at), rest: text.slice(at) };
}

/**
 * A question as a command: "What is the capital of France?" becomes "Tell me what the capital of France is."
 *
 * Only word orders that can be turned without a parser: a question word with "be" and a noun phrase or pronoun, a
 * question word as the subject, a modal or "do" with a pronoun, and "be" with a pronoun. What follows the first
 * sentence stays.
 * @returns null where the rules cannot tell how to turn it
 */
export function questionAsCommand(question: string, opening: string): string | null {
  const { sentence, rest } = firstSentence(question);
  const turned = turnedQuestion(sentence.replace(/\s*\?+\s*$/u, ""));
  return turned === null ? null : `${opening} ${turned}.${rest}`;
}

function turnedQuestion(body: string): string | null {
  const be = new RegExp(`^(${QUESTION_WORD}) (${BE}) ((?:${DETERMINER}) .+|(?:${PRONOUN}))$`, "i").exec(body);
  if (be) {
    const [, word = "", verb = "", subject = ""] = be;
    // A participle, an adverb or a stranded preposition at the end belongs behind the verb.
    if (STRANDED.test(subject)) return null;
    return `${word.toLowerCase()} ${subject} ${verb.toLowerCase()}`;
  }
  const inverted = new RegExp(
    `^((?:${QUESTION_WORD})(?: (?!(?:${BE}|${MODAL}|do|does|did)\\b)[\\p{L}-]+){0,2}) (${BE}|${MODAL}|do) (${PRONOUN}) (.+)$`,
    "iu",
  ).exec(body);
  if (inverted) {
    const [, word = "", verb = "", subject = "", rest = ""] = inverted;
    const kept = verb.toLowerCase() === "do" ? "" : `${verb.toLowerCase()} `;
    return `${lowerFirst(word)} ${subject} ${kept}${rest}`;
  }
  const whether = new RegExp(`^(${BE}|${MODAL}) (${PRONOUN}) (.+)$`, "i").exec(body);
  if (whether) {
    const [, verb = "", subject = "", rest = ""] = whether;
    return `whether ${subject} ${verb.toLowerCase()} ${rest}`;
  }
  // The question word is the subject, so the order stays: no helping verb may stand in its usual place.
  const subjectQuestion = /^(?:who|which [\p{L}-]+) ([\p{L}-]+) .+$/iu.exec(body);
  const verb = subjectQuestion?.[1]?.toLowerCase();
  return verb !== undefined &&
    !HELPING.has(verb) &&
    /(?:s|ed)$|^(?:wrote|made|built|led|won|began|gave|sang|became|found)$/.test(verb)
    ? lowerFirst(body)
    : null;
}

const STRANDED =
  /\b(?:[\p{L}]+ing|[\p{L}]+ed|made|known|born|found|used|of|for|to|from|with|in|on|at|by|about|like|located|there|here)$/iu;
const HELPING = new Set([
  ..."do does did can could will would shall should may might must have had".split(" "),
]);

/**
 * A command in another opening: "Name a river." with "Can you" becomes "Can you name a river?". What follows the
 * first sentence stays.
 */
export function commandAfter(text: string, opening: string, mark: "?" | "."): string {
  const { sentence, rest } = firstSentence(text);
  const body = sentence.replace(/\s*([.!:]*)\s*$/u, "");
  // A colon announces what follows, so it stays.
  const end = /:\s*$/u.test(sentence) ? ":" : mark;
  return `${opening} ${lowerFirst(body)}${end}${rest}`;
}

/** The first letter small, unless the word is written in capitals or is "I". */
export function lowerFirst(text: string): string {
  return /^(?:I\b|\p{Lu}{2})/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
