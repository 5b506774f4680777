/** The reader's own sets, made up: the real import and the real rules, in the page itself, with nothing stored. */
import { writable } from "svelte/store";
import { ImportSession, loadBuiltInDataset, type Dataset } from "../../datasets/index.ts";
import type { DataController, StoredDataset } from "../data-controller.ts";

export function madeUpData(): DataController {
  const session = new ImportSession();
  const own = new Map<string, Dataset>();
  const sets = writable<readonly StoredDataset[]>([]);
  const listed = (problems: readonly { file: string; place: string | null; reason: string }[]) => ({
    shown: problems.slice(0, 200),
    total: problems.length,
  });
  const load = async (id: string) => own.get(id) ?? (await loadBuiltInDataset(id));
  const keep = async (dataset: Dataset) => {
    own.set(dataset.id, dataset);
    sets.set(
      [...own.values()].map(({ id, name, description, kind, examples }) => ({
        ...{ id, name, description, kind, createdAt: "", updatedAt: "" },
        examples: examples.length,
        variants: examples.reduce((sum, { variants }) => sum + variants.length, 0),
      })),
    );
    return dataset.id;
  };
  return {
    sets,
    openFiles: async (files) => {
      const read = await Promise.all(
        files.map(async ({ name, blob }) => ({ name, bytes: new Uint8Array(await blob.arrayBuffer()) })),
      );
      const { problems, ...preview } = await session.open(read);
      return { ...preview, problems: listed(problems) };
    },
    tryMapping: async (mapping) => {
      const { dataset, problems } = session.build(mapping, "trial");
      return {
        examples: dataset?.examples.length ?? 0,
        variants: dataset?.examples.reduce((sum, { variants }) => sum + variants.length, 0) ?? 0,
        example: dataset?.examples[0] ?? null,
        problems: listed(problems),
      };
    },
    saveImport: (mapping) => {
      const { dataset } = session.build(mapping, `own-${own.size + 1}`);
      return dataset === null ? Promise.reject(new Error("No row can be used.")) : keep(dataset);
    },
    saveDataset: keep,
    copy: async (id) =>
      keep({ ...(await load(id)), id: `${id}-copy`, name: `${(await load(id)).name}, copy` }),
    remove: async (id) => {
      own.delete(id);
      sets.update((old) => old.filter((set) => set.id !== id));
    },
    exportJson: async (id) => new Blob([JSON.stringify(await load(id))]),
    page: async (id, find, from, count) => {
      const { examples, ...dataset } = await load(id);
      const found = examples.filter(({ prompt }) => prompt.toLowerCase().includes(find.toLowerCase()));
      return { dataset, examples: found.slice(from, from + count), total: found.length };
    },
    saveExample: async (id, exampleId, example) => {
      const dataset = await load(id);
      await keep({
        ...dataset,
        examples: dataset.examples.map((old) => (old.id === exampleId ? example : old)),
      });
    },
    generateForAll: () => Promise.resolve({ added: 12, refused: 3 }),
    checkMeaning: (_id, _original, texts) =>
      Promise.resolve({
        threshold: 0.36,
        notApplied: null,
        results: texts.map((text, at) => {
          const similarity = at % 4 === 3 ? 0.21 : 0.6 + (text.length % 40) / 100;
          return {
            similarity,
            reason: similarity < 0.36 ? "It is 0.21 alike to the original; 0.36 is asked for." : null,
          };
        }),
      }),
  };
}
