/** What the test after loading found, as one sentence beside the device. */
import type { SelfTestRecord } from "./controller.ts";

/** @param test - absent in runs made before there was such a test */
export function selfTestSentence(test: SelfTestRecord | undefined): string {
  if (test === undefined) return "This run was made before models were tested after loading.";
  const { positions, cacheDifferenceNats, referenceDifferenceNats } = test;
  const apart = (nats: number) => (nats < 0.001 ? "less than 0.001" : nats.toFixed(3));
  const cache = `read at once and token by token its probabilities differ by ${apart(cacheDifferenceNats)} nats at most (${positions} positions, ${test.toleranceNats} allowed)`;
  const reference =
    referenceDifferenceNats === null
      ? "no stored reference exists for it"
      : `from the stored reference they differ by ${apart(referenceDifferenceNats)} nats`;
  return `The model passed the test after loading: ${cache}; ${reference}.`;
}
