import { expect, it } from "vitest";
import { estimateStorage, requestPersistence } from "./storage-space.ts";

const refuse = () => Promise.reject(new DOMException("not here", "SecurityError"));

it("reports usage, quota and whether the space is persistent", async () => {
  const manager = {
    estimate: () => Promise.resolve({ usage: 5, quota: 10 }),
    persisted: () => Promise.resolve(true),
  };
  expect(await estimateStorage(manager)).toEqual({
    available: true,
    usageBytes: 5,
    quotaBytes: 10,
    persisted: true,
  });
});

it.each([
  ["there is no storage manager", undefined],
  ["the manager cannot estimate", {}],
  ["the estimate is empty", { estimate: () => Promise.resolve({}) }],
  ["the estimate is refused", { estimate: refuse }],
])("says why there is no estimate when %s", async (_case, manager) => {
  const result = await estimateStorage(manager ?? {});
  expect(result).toEqual({ available: false, reason: expect.stringMatching(/^(This|The) browser .+/u) });
});

it("reports a granted, a denied, a refused and an impossible request for persistence", async () => {
  expect(await requestPersistence({ persist: () => Promise.resolve(true) })).toEqual({
    granted: true,
    reason: null,
  });
  for (const manager of [{ persist: () => Promise.resolve(false) }, { persist: refuse }, {}]) {
    expect(await requestPersistence(manager)).toEqual({ granted: false, reason: expect.any(String) });
  }
});
