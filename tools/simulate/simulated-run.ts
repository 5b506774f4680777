/**
 * Runs drawn at random from a made-up world in which the truth is known. They are made of the same records as real
 * runs, so that the whole analysis can be tried on them; no model is involved.
 */
import { encodeCentred, encodeFloat16 } from "../../src/metrics/index.ts";
import type { RandomSource } from "../../src/statistics/index.ts";
import type { PlannedPrompt, RunBundle, ScoreRecord } from "../../src/storage/index.ts";
import { syntheticBundle } from "../../tests/fixtures/synthetic-bundle.ts";

export interface World {
  /** Answers to each prompt: 1 is greedy. */
  readonly repeats: number;
  /** False: a rewording does no more than a null edit, and no answer follows the style of its prompt. */
  readonly effect: boolean;
}

const VARIANTS = 5;
const NULL_EDITS = 3;
const LAYERS = 2;
const HIDDEN = 8;
const EMBEDDING = 10;
const TOKENS = 2;
/** Tokens of the shared partition. */
const PARTITION = 4;
const CANDIDATES = 4;
const RUN_ID = "simulated";

/** How a prompt is worded, and how an answer looks that follows it. */
const STYLES: readonly { readonly ask: (it: string) => string; readonly tell: (it: string) => string }[] = [
  { ask: (it) => `What is ${it}?`, tell: (it) => `It is ${it}.` },
  { ask: (it) => `WHAT IS ${it.toUpperCase()}?!`, tell: (it) => `IT IS ${it.toUpperCase()}!!` },
  {
    ask: (it) => `Please tell me, would you, what ${it} is. Thank you!`,
    tell: (it) => `Thank you, please: ${it}`,
  },
  { ask: (it) => `What    is    ${it}   ?`, tell: (it) => `It    is    ${it}   .` },
  { ask: (it) => `- name: ${it}\n- meaning:`, tell: (it) => `- ${it}\n- done` },
  { ask: (it) => `Explain ${it}!`, tell: (it) => `Explain it so: ${it}` },
];

/**
 * A finished run of `examples` questions. Answers repeat themselves (zero inflation and ties): each prompt draws from
 * the few answers that its question has, and half of the internal states do not move at all.
 */
export function simulatedRun(world: World, examples: number, random: RandomSource): RunBundle {
  const frame = syntheticBundle({ examples: 1, variants: 1, layers: LAYERS, repeats: world.repeats });
  const questions = Array.from({ length: examples }, (_, at) => questionOf(world, at, random));
  const golds = Object.fromEntries(questions.map(({ id, gold }) => [id, [gold]]));
  const records = questions.map((question, at) => recordsOf(world, question, questions, at, random));
  return {
    run: {
      ...frame.run,
      id: RUN_ID,
      spec: { ...frame.run.spec, seed: random.integer(1_000_000), examples },
      prompts: questions.flatMap(({ prompts }) => prompts),
      golds,
    },
    background: null,
    generations: records.flatMap(({ generations }) => generations),
    activations: records.flatMap(({ activations }) => activations),
    scores: records.flatMap(({ scores }) => scores),
    embeddings: records.flatMap(({ embeddings }) => embeddings),
  };
}

interface Candidate {
  readonly text: string;
  readonly style: number;
  readonly embedding: Float32Array;
}

interface Question {
  readonly id: string;
  readonly topic: string;
  readonly gold: string;
  readonly prompts: readonly PlannedPrompt[];
  readonly candidates: readonly Candidate[];
  /** How far this question's internal states move, (0, 1]. */
  readonly size: number;
  readonly state: Float64Array;
  readonly logits: Float64Array;
}

function questionOf({ repeats }: World, at: number, random: RandomSource): Question {
  const id = `q${at}`;
  const topic = `topic${at}`;
  const size = 0.2 + 0.8 * random.uniform();
  const normals = (length: number) => Float64Array.from({ length }, () => random.normal());
  const meaning = normals(EMBEDDING);
  const candidates = Array.from({ length: CANDIDATES }, (_, which): Candidate => {
    const embedding = unit(meaning.map((value) => value + size * random.normal()));
    const style = random.integer(STYLES.length);
    return { text: `${topic} answer ${which}`, style, embedding };
  });
  const text = (style: number) => STYLES[style]?.ask(topic) ?? topic;
  const prompt = (
    promptId: string,
    role: PlannedPrompt["role"],
    style: number,
    tail = "",
  ): PlannedPrompt => ({
    exampleId: id,
    promptId,
    role,
    family: role === "variant" ? "style" : role,
    label: promptId,
    text: text(style) + tail,
  });
  const prompts = [
    prompt("original", "original", 0),
    ...Array.from({ length: VARIANTS }, (_, v) => prompt(`v${v + 1}`, "variant", v + 1)),
    ...Array.from({ length: NULL_EDITS }, (_, e) => prompt(`n${e + 1}`, "null-edit", 0, " ".repeat(e + 1))),
  ];
  const gold = candidates[repeats > 1 ? 0 : random.integer(2)]?.text ?? topic;
  return {
    id,
    topic,
    gold,
    prompts,
    candidates,
    size,
    state: normals(LAYERS * HIDDEN),
    logits: normals(TOKENS * (PARTITION + 1)).map((it) => 2 * it),
  };
}

/** Chance that a prompt draws its question's usual answer; the rest is spread over the others. */
function usualShare({ effect }: World, role: PlannedPrompt["role"]): number {
  if (!effect) return 0.6;
  return role === "variant" ? 0.45 : 0.8;
}

/** How far, in units of the question's size, a prompt moves the internal states. */
function moveOf({ effect }: World, role: PlannedPrompt["role"], random: RandomSource): number {
  if (random.uniform() < 0.4) return 0;
  return !effect || role === "variant" ? 1 : 0.6;
}

function recordsOf(
  world: World,
  question: Question,
  questions: readonly Question[],
  at: number,
  random: RandomSource,
) {
  const { id, prompts, size, state, logits } = question;
  const names = (promptId: string) => ({ key: `${id}/${promptId}`, runId: RUN_ID, exampleId: id, promptId });
  const drawn = prompts.map((prompt, place) => {
    const answers = Array.from({ length: world.repeats }, () =>
      answerOf(world, question, prompt, place, random),
    );
    const move = moveOf(world, prompt.role, random);
    const residual = new Float32Array((LAYERS + 1) * HIDDEN);
    state.forEach((value, index) => (residual[HIDDEN + index] = value + move * size * random.normal()));
    const scored = logits.map((value) => value + 1.5 * move * size * random.normal());
    return { prompt, answers, residual, scored };
  });
  const generations = drawn.flatMap(({ prompt, answers }, place) =>
    answers.map(({ text }, repeat) => ({
      ...names(prompt.promptId),
      repeat,
      // Distinct for every prompt: a null edit with the original's tokens would not be a prompt of its own.
      promptTokenIds: Int32Array.of(place),
      tokenIds: Int32Array.of(1, 2),
      text,
      finish: "eos" as const,
      logProbNats: Float32Array.of(-0.5, -0.1),
      entropyNats: Float32Array.of(0.5, 0.2),
      topIds: new Int32Array(0),
      topLogProbNats: new Float32Array(0),
      topK: 0,
      tokenTexts: ["", text],
      closeSteps: [],
      elapsedMs: 1,
    })),
  );
  const embeddings = drawn.flatMap(({ prompt, answers }) =>
    answers.map(({ embedding }, repeat) => ({ ...names(prompt.promptId), repeat, vector: embedding })),
  );
  const mean = new Float32Array(LAYERS * HIDDEN);
  const activations = drawn.map(({ prompt, residual }) => ({
    ...names(prompt.promptId),
    pooling: "last-prompt-token" as const,
    layers: LAYERS,
    hiddenSize: HIDDEN,
    ...encodeCentred(residual, mean, LAYERS, HIDDEN),
  }));
  const score = (
    promptExampleId: string,
    promptId: string,
    relation: ScoreRecord["relation"],
    of: Float64Array,
  ): ScoreRecord => ({
    ...names(promptId),
    promptExampleId,
    relation,
    logProbNats: new Float32Array(TOKENS).fill(-0.5),
    entropyNats: new Float32Array(TOKENS).fill(0.5),
    partitionSize: PARTITION,
    partitionIds: null,
    partitionLogProbs: encodeFloat16(partitionOf(of)),
  });
  const scores = drawn.map(({ prompt, scored }) => score(id, prompt.promptId, prompt.role, scored));
  // As many unrelated pairs for each question as a run of 32 questions plans: about 200 in all.
  const others = Array.from({ length: Math.min(6, questions.length - 1) }, (_, step) => {
    const other = questions[(at + 1 + step * 5) % questions.length];
    if (!other || other === question) return null;
    const elsewhere = logits.map((value) => value / 2 + 2 * random.normal());
    return score(other.id, "original", "unrelated", elsewhere);
  });
  return {
    generations,
    embeddings,
    activations,
    scores: [...scores, ...others.filter((it) => it !== null)],
  };
}

function answerOf(
  world: World,
  { candidates }: Question,
  { role }: PlannedPrompt,
  place: number,
  random: RandomSource,
): { readonly text: string; readonly embedding: Float32Array } {
  // In a sampled world with an effect each wording has a usual answer of its own, so that wording tells about answers.
  const usual = world.effect && world.repeats > 1 && role === "variant" ? place % CANDIDATES : 0;
  const which =
    random.uniform() < usualShare(world, role)
      ? usual
      : (usual + 1 + random.integer(CANDIDATES - 1)) % CANDIDATES;
  const candidate = candidates[which];
  if (!candidate) throw new RangeError(`There is no answer ${which}.`);
  const follows = world.effect && random.uniform() < 0.35;
  const style = follows && role !== "null-edit" ? place : candidate.style;
  return { text: STYLES[style]?.tell(candidate.text) ?? candidate.text, embedding: candidate.embedding };
}

/** Log-probabilities of the partition's tokens; the last outcome is "other" and is left out. */
function partitionOf(logits: Float64Array): Float32Array {
  const logs = new Float32Array(TOKENS * PARTITION);
  for (let token = 0; token < TOKENS; token += 1) {
    const row = logits.subarray(token * (PARTITION + 1), (token + 1) * (PARTITION + 1));
    const total = Math.log(row.reduce((sum, value) => sum + Math.exp(value), 0));
    for (let at = 0; at < PARTITION; at += 1) logs[token * PARTITION + at] = (row[at] ?? 0) - total;
  }
  return logs;
}

function unit(vector: Float64Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => value / norm);
}
