/** What one side did: its time, and how many tokens it wrote. */
export interface Timing {
  readonly seconds: number;
  readonly tokens: number;
}

/** A prompt as all sides read it. */
export interface BenchPrompt {
  readonly tokenIds: readonly number[];
  readonly text: string;
}

export async function timed(work: () => Promise<number>): Promise<Timing> {
  const started = performance.now();
  const tokens = await work();
  return { seconds: (performance.now() - started) / 1000, tokens };
}
