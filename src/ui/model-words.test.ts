import { describe, expect, it } from "vitest";
import { downloadLabel, downloadText, keptText, sourceText } from "./model-words.ts";

const commit = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";

describe("what the list of models says", () => {
  it("names the host, the branch and the commit of a hub's model", () => {
    expect(sourceText({ source: "hub", askedRevision: "main", revision: commit }, "huggingface.co")).toBe(
      "huggingface.co, main at 1a2b3c4",
    );
    expect(sourceText({ source: "hub", askedRevision: commit, revision: commit }, "huggingface.co")).toBe(
      "huggingface.co, 1a2b3c4",
    );
    expect(sourceText({ source: "folder", askedRevision: null, revision: null }, "huggingface.co")).toBe(
      "folder on this machine",
    );
  });

  it("says offline only of what was checked, and offers to go on with what is half there", () => {
    const half = { kept: { kind: "partly", bytes: 40e6 }, sizeBytes: 80e6 } as const;
    expect(keptText(half)).toMatch(/^40 of 80\sMB is here/);
    expect(downloadLabel(half)).toBe("Go on downloading");
    const whole = { kept: { kind: "checked", bytes: 80e6 }, sizeBytes: 80e6 } as const;
    expect(keptText(whole)).toMatch(/^Available offline/);
    expect(downloadLabel(whole)).toBeNull();
    expect(keptText({ kept: { kind: "none" }, sizeBytes: null })).not.toMatch(/offline/i);
  });

  it("gives a download's bytes, speed and time", () => {
    expect(
      downloadText({ id: "m", loadedBytes: 41e6, totalBytes: 88e6, bytesPerSecond: 12e6, secondsLeft: 4 }),
    ).toMatch(/^41 of 88\sMB, 12\sMB a second, .*left$/);
    expect(
      downloadText({ id: "m", loadedBytes: 0, totalBytes: 0, bytesPerSecond: null, secondsLeft: null }),
    ).not.toMatch(/NaN|null|of/);
  });
});
