import { get } from "svelte/store";
import { describe, expect, it } from "vitest";
import { RequestLog } from "./request-log.ts";

describe("the log of requests", () => {
  it("keeps one line an address, with everyone who asked it, in the order of the first request", () => {
    const log = new RequestLog();
    log.add([
      { url: "https://a/2", from: "the engine", at: 20, bytes: 5 },
      { url: "https://a/1", from: "the page", at: 10, bytes: null },
    ]);
    log.add([
      { url: "https://a/2", from: "the encoder", at: 30, bytes: null },
      { url: "https://a/2", from: "the engine", at: 40, bytes: 7 },
    ]);
    expect(get(log.state)).toEqual([
      { url: "https://a/1", from: ["the page"], times: 1, firstAt: 10, bytes: null },
      { url: "https://a/2", from: ["the engine", "the encoder"], times: 3, firstAt: 20, bytes: 12 },
    ]);
  });
});
