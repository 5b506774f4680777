import { describe, expect, it } from "vitest";
import { filesOfDrop, filesOfHandle, pickedFolder, type FolderHandle } from "./dropped-files.ts";

const file = (name: string) => new File(["x"], name);

/** A dropped folder, as browsers hand it out: entries in portions. */
function folderEntry(name: string, children: readonly object[]): object {
  return {
    name,
    isFile: false,
    isDirectory: true,
    createReader: () => {
      const portions = [children.slice(0, 1), children.slice(1), []];
      return { readEntries: (done: (entries: unknown) => void) => done(portions.shift()) };
    },
  };
}
function fileEntry(name: string): object {
  return {
    name,
    isFile: true,
    isDirectory: false,
    file: (done: (one: File) => void) => done(file(name)),
  };
}
function drop(...entries: object[]): Pick<DataTransfer, "items"> {
  const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
  // @ts-expect-error only what is used of it
  return { items };
}

describe("a dropped folder", () => {
  it("is walked through, in portions, without hidden folders", async () => {
    const model = folderEntry("tiny", [
      fileEntry("config.json"),
      folderEntry("onnx", [fileEntry("model.onnx"), fileEntry("model.onnx_data")]),
      folderEntry(".git", [fileEntry("HEAD")]),
    ]);
    const { name, files } = pickedFolder(await filesOfDrop(drop(model)));
    expect(name).toBe("tiny");
    expect(files.map(({ path }) => path)).toEqual([
      "tiny/config.json",
      "tiny/onnx/model.onnx",
      "tiny/onnx/model.onnx_data",
    ]);
  });

  it("may be several files without a folder", async () => {
    const { files } = pickedFolder(
      await filesOfDrop(drop(fileEntry("config.json"), fileEntry("model.onnx"))),
    );
    expect(files.map(({ path }) => path)).toEqual(["files/config.json", "files/model.onnx"]);
  });

  it("is refused when it is empty, or a whole disk", () => {
    expect(() => pickedFolder([])).toThrow(/no files/);
    const many = Array.from({ length: 2001 }, (_, index) => ({ path: `a/${index}`, file: file("x") }));
    expect(() => pickedFolder(many)).toThrow(/more than 2000/);
  });
});

describe("a folder's handle", () => {
  it("is walked through with its own name in front", async () => {
    const handle = (name: string, children: readonly unknown[]) =>
      ({
        kind: "directory",
        name,
        values: async function* () {
          yield* children;
        },
      }) as FolderHandle;
    const leaf = (name: string) => ({ kind: "file", getFile: () => Promise.resolve(file(name)) });
    const files = await filesOfHandle(
      handle("tiny", [leaf("config.json"), handle("onnx", [leaf("model.onnx")])]),
    );
    expect(files.map(({ path }) => path)).toEqual(["tiny/config.json", "tiny/onnx/model.onnx"]);
  });
});
