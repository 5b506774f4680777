import { describe, expect, it } from "vitest";
import { hubFileUrl, hubInfoUrl, parseHubReference } from "./hub-address.ts";

const HOST = "https://huggingface.co";

describe("parseHubReference", () => {
  it("reads a name, a name with a revision, and the address of a model's page", () => {
    expect(parseHubReference(" owner/name ", HOST)).toEqual({ id: "owner/name", revision: "main" });
    expect(parseHubReference("owner/name@v1.0", HOST)).toEqual({ id: "owner/name", revision: "v1.0" });
    expect(parseHubReference("owner/name@refs/pr/3", HOST).revision).toBe("refs/pr/3");
    expect(parseHubReference("gpt2", HOST).id).toBe("gpt2");
    expect(parseHubReference("https://huggingface.co/owner/name", HOST)).toEqual({
      id: "owner/name",
      revision: "main",
    });
    expect(parseHubReference("https://huggingface.co/owner/name/tree/abc", HOST)).toEqual({
      id: "owner/name",
      revision: "abc",
    });
    expect(parseHubReference("https://huggingface.co/owner/name/blob/main/config.json", HOST)).toEqual({
      id: "owner/name",
      revision: "main",
    });
  });

  it("refuses the address of another host, naming both", () => {
    expect(() => parseHubReference("https://elsewhere.example/owner/name", HOST)).toThrow(
      /huggingface\.co only.*elsewhere\.example/,
    );
  });

  it.each(["", "a/b/c", "../etc", "owner/..", "owner/na me", "owner/name@", "owner/name@a b", "o/n@../x"])(
    "refuses %j",
    (text) => {
      expect(() => parseHubReference(text, HOST)).toThrow(
        expect.objectContaining({ code: "reference-invalid" }),
      );
    },
  );
});

describe("addresses", () => {
  const reference = { id: "owner/name", revision: "refs/pr/3" };

  it("follow the hub's layout, with the revision as one part", () => {
    expect(hubFileUrl(HOST, reference, "onnx/model q4.onnx")).toBe(
      "https://huggingface.co/owner/name/resolve/refs%2Fpr%2F3/onnx/model%20q4.onnx",
    );
    expect(hubInfoUrl(HOST, reference)).toBe(
      "https://huggingface.co/api/models/owner/name/revision/refs%2Fpr%2F3?blobs=true",
    );
  });
});
