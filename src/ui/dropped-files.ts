/** The files of a folder that a person drops or picks, however the browser hands them out. */

export interface PickedFile {
  /** With the folder's own name in front: `my-model/onnx/model.onnx`. */
  readonly path: string;
  readonly file: File;
}

export interface PickedFolder {
  readonly name: string;
  readonly files: readonly PickedFile[];
}

/** More than any model has; whoever drops a whole disk hears of it soon. */
const MOST_FILES = 2000;

/** @throws {Error} with a sentence for the reader if it holds no files, or far too many */
export function pickedFolder(files: readonly PickedFile[]): PickedFolder {
  // Hidden folders (a version control's) hold copies of what is beside them.
  const seen = files.filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")));
  const name = seen[0]?.path.split("/")[0];
  if (name === undefined) {
    throw new Error("This folder holds no files. Open the folder that holds the model’s config.json.");
  }
  assertBearable(seen.length);
  return { name, files: seen };
}

function assertBearable(count: number): void {
  if (count > MOST_FILES) {
    throw new Error(
      `This folder holds more than ${MOST_FILES} files. Open the one folder that holds the model’s config.json.`,
    );
  }
}

/** Of an `<input type="file" webkitdirectory>`. */
export function filesOfInput(list: FileList): PickedFile[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || `files/${file.name}`, file }));
}

/** Of a drop. Entries must be taken before the first wait: afterwards the browser has forgotten them. */
export async function filesOfDrop(transfer: Pick<DataTransfer, "items">): Promise<PickedFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files: PickedFile[] = [];
  for (const entry of entries) {
    await collectEntry(entry, entry.isDirectory ? "" : "files/", files);
  }
  return files;
}

async function collectEntry(entry: FileSystemEntry, prefix: string, files: PickedFile[]): Promise<void> {
  const path = prefix + entry.name;
  if (isFile(entry)) {
    assertBearable(files.length);
    files.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    return;
  }
  if (!isFolder(entry) || entry.name.startsWith(".")) return;
  const reader = entry.createReader();
  // A reader gives its entries a hundred at a time, then none.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const one of some) await collectEntry(one, `${path}/`, files);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** The parts of a folder's handle that are used; older type libraries do not know them. */
export interface FolderHandle {
  readonly kind: "directory";
  readonly name: string;
  values(): AsyncIterable<FolderHandle | { readonly kind: "file"; getFile(): Promise<File> }>;
}

/** Of the folder picker, where the browser has one: it shows no warning of an upload that does not happen. */
export async function filesOfHandle(folder: FolderHandle, prefix = ""): Promise<PickedFile[]> {
  const files: PickedFile[] = [];
  const path = `${prefix}${folder.name}/`;
  for await (const child of folder.values()) {
    if (child.kind === "file") {
      const file = await child.getFile();
      files.push({ path: path + file.name, file });
    } else if (!child.name.startsWith(".")) files.push(...(await filesOfHandle(child, path)));
    assertBearable(files.length);
  }
  return files;
}

/** The browser's folder picker; null where it has none. */
export function folderPicker(): (() => Promise<FolderHandle>) | null {
  const pick: unknown = (globalThis as { showDirectoryPicker?: unknown }).showDirectoryPicker;
  return typeof pick === "function" ? () => Promise.resolve(pick.call(globalThis) as FolderHandle) : null;
}
