import { describe, expect, it } from "vitest";
import { contentPolicy, modelHosts } from "./content-policy.ts";

describe("the content security policy", () => {
  it("lets scripts come from the page alone, with no inline script and no eval but WebAssembly's", () => {
    expect(contentPolicy()).toContain("script-src 'self' 'wasm-unsafe-eval';");
    expect(contentPolicy()).not.toMatch(/unsafe-inline|'unsafe-eval'|\s\*|https?:[ ;]/);
  });

  it("asks the page's host, the hub and this machine, and no other", () => {
    expect(contentPolicy()).toContain("connect-src 'self' https://huggingface.co ");
    expect(contentPolicy("https://mirror.example/hub")).toContain(
      "connect-src 'self' https://mirror.example http://localhost:* http://127.0.0.1:*;",
    );
    expect(contentPolicy("https://mirror.example")).not.toContain("huggingface");
  });

  it("takes an empty name for none, and refuses one that is no web address", () => {
    expect(modelHosts("")).toEqual(modelHosts());
    expect(() => modelHosts("mirror.example")).toThrow("no http address");
    expect(() => modelHosts("javascript:alert(1)")).toThrow("no http address");
  });
});
