/**
 * Style and format wordings of an original prompt, made by rule. They keep every word that carries meaning, so
 * the expected answer stays the same.
 *
 * A wording takes the original and its set's `manner`: "question", "task" or "judgement". Nothing may follow
 * the original where it can end in a text to work on, or a "Thank you" would become part of that text.
 */

const byManner = (texts) => (prompt, manner) => texts[manner](prompt);
const decapitalised = (prompt) => prompt.charAt(0).toLowerCase() + prompt.slice(1);
const words = (prompt) => prompt.split(" ");

const veryPolite = byManner({
  question: (p) => `Would you be so kind as to answer this question for me? ${p} Thank you very much!`,
  task: (p) => `Would you be so kind as to help me with this, please? I would be most grateful. ${p}`,
  judgement: (p) => `If it is not too much trouble, would you please give me your judgement? ${p}`,
});

const casual = byManner({
  question: (p) => `hey, quick question: ${decapitalised(p)}`,
  task: (p) => `hey, got a sec? ${decapitalised(p)}`,
  judgement: (p) => `ok, next one, you ready? ${decapitalised(p)}`,
});

const formal = byManner({
  question: (p) => `I should be obliged if you would provide an answer to the following enquiry. ${p}`,
  task: (p) => `I hereby request your assistance with the following assignment. ${p}`,
  judgement: (p) => `Kindly consider the following matter and state your conclusion. ${p}`,
});

const excited = byManner({
  question: (p) => `I love quizzes, this is so much fun! ${p}`,
  task: (p) => `This is so exciting, I can't wait to see what you come up with! ${p}`,
  judgement: (p) => `Oh, I do enjoy these, let's go! ${p}`,
});

const hesitant = byManner({
  question: (p) => `Um, sorry to bother you, this may be a silly thing to ask. ${p}`,
  task: (p) => `Um, I'm sorry to trouble you with this, I wasn't sure whom to ask. ${p}`,
  judgement: (p) => `Well, I'm really not sure about this myself, so I thought I'd ask. ${p}`,
});

const repeatedMarks = (prompt) => prompt.replaceAll("?", "???").replace(/\.$/, "!!!");

export const styles = [
  { id: "very-polite", label: "very polite", word: veryPolite },
  { id: "capitals", label: "all in capitals", word: (prompt) => prompt.toUpperCase() },
  { id: "casual", label: "casual", word: casual },
  { id: "formal", label: "very formal", word: formal },
  { id: "repeated-marks", label: "??? and !!!", word: repeatedMarks },
  { id: "excited", label: "excited", word: excited },
  { id: "hesitant", label: "hesitant", word: hesitant },
];

const form = byManner({
  question: (p) => `Question: ${p}\nAnswer:`,
  task: (p) => `Task: ${p}\nResponse:`,
  judgement: (p) => `Question: ${p}\nAnswer:`,
});

const heading = byManner({
  question: (p) => `# Question\n\n${p}`,
  task: (p) => `# Task\n\n${p}`,
  judgement: (p) => `# Question\n\n${p}`,
});

const tags = byManner({
  question: (p) => `<question>${p}</question>`,
  task: (p) => `<task>${p}</task>`,
  judgement: (p) => `<question>${p}</question>`,
});

const json = byManner({
  question: (p) => JSON.stringify({ question: p }),
  task: (p) => JSON.stringify({ task: p }),
  judgement: (p) => JSON.stringify({ question: p }),
});

/** Marks at a word's end or beginning go; those inside ("ten-year-old", "people's", "3.5") stay. */
function lowerCase(prompt) {
  return words(prompt.toLowerCase())
    .map((word) => word.replace(/^['"(]+|[?!.,;:'")]+$/g, ""))
    .join(" ");
}

/** Lines of at most 20 characters, broken between words. */
function lineBreaks(prompt) {
  const lines = [];
  for (const word of words(prompt)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= 20)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

const bullets = (prompt) => prompt.replace(/(?<=[?!.:]) (?=\p{Lu})/gu, "\n").replace(/^/gm, "- ");
const titleCase = (prompt) => prompt.replace(/(?<=^|[ '])\p{Ll}/gu, (letter) => letter.toUpperCase());

export const formats = [
  { id: "form", label: "form to fill in", word: form },
  { id: "extra-spaces", label: "extra spaces", word: (prompt) => words(prompt).join("   ") },
  { id: "lower-case", label: "lower case, no punctuation", word: lowerCase },
  { id: "line-breaks", label: "line breaks", word: lineBreaks },
  { id: "quotes", label: "in quotation marks", word: (prompt) => `"${prompt}"` },
  { id: "bullets", label: "bullet points", word: bullets },
  { id: "heading", label: "under a heading", word: heading },
  { id: "title-case", label: "Every Word Capitalised", word: titleCase },
  { id: "bold", label: "bold in Markdown", word: (prompt) => `**${prompt}**` },
  { id: "tags", label: "between tags", word: tags },
  { id: "json", label: "as JSON", word: json },
];

/**
 * Two different wordings of a pool for the example at `index`. In a pool of odd size n, each round of n
 * examples uses every wording twice, and (n - 1) / 2 rounds use every pair once.
 */
export function twoOf(pool, index) {
  const first = index % pool.length;
  const round = Math.floor(index / pool.length);
  const distance = 1 + (round % ((pool.length - 1) / 2));
  return [pool[first], pool[(first + distance) % pool.length]];
}
