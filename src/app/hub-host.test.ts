import { describe, expect, it } from "vitest";
import { hubHost } from "./hub-host.ts";

describe("hubHost", () => {
  it("is huggingface.co, or what the builder chose", () => {
    expect(hubHost("", undefined)).toBe("https://huggingface.co");
    expect(hubHost("", "https://hub.example/x")).toBe("https://hub.example");
    expect(() => hubHost("", "nonsense")).toThrow(/VITE_SAGO_HUB/);
  });

  it("follows the address only to this machine, so that a link cannot lead a token elsewhere", () => {
    expect(hubHost("?hub=http://127.0.0.1:8080", "https://hub.example")).toBe("http://127.0.0.1:8080");
    for (const hub of ["https://evil.example", "http://127.0.0.1.evil.example", "nonsense", ""]) {
      expect(() => hubHost(`?hub=${encodeURIComponent(hub)}`, undefined)).toThrow(/on this machine/);
    }
    // This machine as well, but the page's policy has no form for them: refused here, where it can be said.
    for (const hub of ["http://[::1]:8080", "http://127.0.0.2:8080"])
      expect(() => hubHost(`?hub=${encodeURIComponent(hub)}`, undefined)).toThrow("localhost or 127.0.0.1");
  });
});
