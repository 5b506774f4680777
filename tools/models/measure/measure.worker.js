/** Carries out one task of measure.mjs in a Web Worker: speed, or agreement with PyTorch and between batchings. */
import { disposeCache, emptyCache, leftPadded, openSession, pass, wasmMemoryBytes } from "./session.js";

/** Asks the page for the browser's processor time; null where it is not known. */
function cpuSeconds() {
  return new Promise((resolve) => {
    self.addEventListener("message", ({ data }) => resolve(data.cpuSeconds), { once: true });
    self.postMessage({ wantsCpuSeconds: true });
  });
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Tokens per second of prefill and decode, by the clock and by processor time; ids are arbitrary. */
async function speed(session, { batch, promptTokens, decodeSteps, repeats }) {
  const rows = Array.from({ length: batch }, (_, row) => ({
    ids: Array.from({ length: promptTokens }, (_, i) => BigInt(100 + ((row * 37 + i * 101) % 40000))),
    mask: Array(promptTokens).fill(1n),
  }));
  const prefill = { ms: [], cpu: [] };
  const decode = { ms: [], cpu: [] };
  // The first repeat warms kernels and memory up.
  for (let repeat = 0; repeat <= repeats; repeat++) {
    let cpu = await cpuSeconds();
    let started = performance.now();
    let { cache } = await pass(session, rows, emptyCache(batch), 1);
    if (repeat > 0) {
      prefill.ms.push(performance.now() - started);
      prefill.cpu.push((await cpuSeconds()) - cpu);
    }
    let mask = rows[0].mask;
    cpu = await cpuSeconds();
    for (let step = 0; step < decodeSteps; step++) {
      mask = [...mask, 1n];
      started = performance.now();
      ({ cache } = await pass(
        session,
        rows.map(() => ({ ids: [500n], mask })),
        cache,
        1,
      ));
      if (repeat > 0) decode.ms.push(performance.now() - started);
    }
    if (repeat > 0) decode.cpu.push((await cpuSeconds()) - cpu);
    disposeCache(cache);
  }
  return {
    prefillTokensPerSecond: (batch * promptTokens * 1000) / median(prefill.ms),
    decodeTokensPerSecond: (batch * 1000) / median(decode.ms),
    prefillTokensPerCpuSecond: (batch * promptTokens) / median(prefill.cpu),
    decodeTokensPerCpuSecond: (batch * decodeSteps) / median(decode.cpu),
  };
}

function largestDifference(a, b) {
  if (a.length !== b.length) throw new Error(`lengths ${a.length} and ${b.length}`);
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

/** Largest differences of logits between a prompt alone and the same prompt in every other arrangement. */
async function agreement(session, { prompts }) {
  const alone = [];
  let reference = 0;
  for (const prompt of prompts) {
    const { logits, vocabulary, cache } = await pass(session, leftPadded([prompt.ids]), emptyCache(1), 0);
    disposeCache(cache);
    alone.push({ logits: logits.slice(), vocabulary });
    const last = logits.subarray(logits.length - vocabulary);
    prompt.topIds.forEach((id, rank) => {
      reference = Math.max(reference, Math.abs(last[id] - prompt.topLogits[rank]));
    });
  }
  const rowsOf = (list) => leftPadded(list.map(({ ids }) => ids));
  const compare = (logits, kept, row, count) => {
    const { logits: single, vocabulary } = alone[row];
    const end = (row * kept + kept) * vocabulary;
    return largestDifference(
      logits.subarray(end - count * vocabulary, end),
      single.subarray(single.length - count * vocabulary),
    );
  };

  const rows = rowsOf(prompts);
  const length = rows[0].ids.length;
  const whole = await pass(session, rows, emptyCache(rows.length), 0);
  disposeCache(whole.cache);
  const leftPadding = Math.max(...prompts.map((p, row) => compare(whole.logits, length, row, p.ids.length)));

  // All but the last five positions first, then four at once on that past, then one: a teacher-forced continuation.
  const part = (from, to) =>
    rows.map(({ ids, mask }) => ({ ids: ids.slice(from, to), mask: mask.slice(0, to) }));
  const first = await pass(session, part(0, length - 5), emptyCache(rows.length), 1);
  const second = await pass(session, part(length - 5, length - 1), first.cache, 0);
  const third = await pass(session, part(length - 1, length), second.cache, 1);
  disposeCache(third.cache);
  const decodeAfterPast = Math.max(...prompts.map((_, row) => compare(third.logits, 1, row, 1)));
  const sequenceAfterPast = Math.max(
    ...prompts.map((_, row) => {
      const { logits: single, vocabulary } = alone[row];
      return largestDifference(
        second.logits.subarray(row * 4 * vocabulary, (row + 1) * 4 * vocabulary),
        single.subarray(single.length - 5 * vocabulary, single.length - vocabulary),
      );
    }),
  );
  return { pytorchTop5: reference, leftPadding, sequenceAfterPast, decodeAfterPast };
}

const TASKS = { speed, agreement };

self.onmessage = async ({ data }) => {
  if (!data.plan) return;
  try {
    const started = performance.now();
    const session = await openSession(data.plan);
    const loadMs = performance.now() - started;
    const results = [];
    for (const { task, ...settings } of data.tasks) {
      results.push({ task, ...settings, prompts: undefined, ...(await TASKS[task](session, settings)) });
    }
    self.postMessage({
      loadMs,
      results,
      wasmMemoryBytes: wasmMemoryBytes(),
      isolated: self.crossOriginIsolated,
    });
    await session.release();
  } catch (error) {
    self.postMessage({ error: String(error?.stack ?? error) });
  }
};
