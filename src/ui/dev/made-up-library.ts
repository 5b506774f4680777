/** A list of models in every state, for looking at the page without a hub. */
import { writable } from "svelte/store";
import type { LibraryState, ModelChoice, ModelLibrary } from "../controller.ts";

const commit = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";

function choice(changes: Partial<ModelChoice> & Pick<ModelChoice, "id">): ModelChoice {
  const base: ModelChoice = {
    id: "",
    name: changes.id.split("@")[0] ?? "",
    source: "hub",
    role: "language",
    revision: commit,
    askedRevision: "main",
    page: "https://huggingface.co/",
    licence: "apache-2.0",
    gated: false,
    formats: [
      { dtype: "q4", bytes: 310e6, refusal: null },
      { dtype: "q8", bytes: 520e6, refusal: null },
      {
        dtype: "fp16",
        bytes: 990e6,
        refusal: "WASM has no 16-bit floats, so fp16 would not run there. Choose q4, q8 or fp32, or WebGPU.",
      },
    ],
    dtype: "q4",
    device: "auto",
    sizeBytes: 310e6,
    note: "q4, from huggingface.co",
    kept: { kind: "none" },
  };
  return { ...base, ...changes };
}
const onPage = {
  source: "bundled",
  revision: null,
  askedRevision: null,
  page: null,
  kept: { kind: "page" },
} as const;

const models = [
  choice({
    ...onPage,
    id: "SmolLM2-135M-Instruct",
    licence: "Apache-2.0",
    formats: [{ dtype: "q4", bytes: 101e6, refusal: null }],
    sizeBytes: 101e6,
    note: "q4, comes with this page",
  }),
  choice({ id: "example-lab/quiet-0.5b-instruct@a", kept: { kind: "checked", bytes: 310e6 } }),
  choice({ id: "example-lab/loud-1b@b", kept: { kind: "partly", bytes: 120e6 }, gated: true, licence: null }),
  choice({ id: "example-lab/half-precision@c", dtype: "fp16", sizeBytes: 990e6, device: "wasm" }),
  choice({ id: "example-lab/on-its-way-with-a-rather-long-name-instruct-2026@d" }),
  choice({
    id: "folder:my-finetune",
    name: "my-finetune",
    source: "folder",
    revision: null,
    askedRevision: null,
    page: null,
    licence: null,
    formats: [{ dtype: "fp32", bytes: 1.2e9, refusal: null }],
    dtype: "fp32",
    sizeBytes: 1.2e9,
    note: "fp32, from a folder",
    kept: { kind: "folder" },
  }),
];

export function madeUpLibrary(): ModelLibrary {
  const state = writable<LibraryState>({
    models,
    encoders: [
      choice({
        ...onPage,
        id: "all-MiniLM-L6-v2",
        role: "encoder",
        licence: "Apache-2.0",
        dtype: "q8",
        device: "wasm",
        formats: [{ dtype: "q8", bytes: 23.4e6, refusal: null }],
        sizeBytes: 23.4e6,
        note: "q8, comes with this page",
      }),
    ],
    modelId: "SmolLM2-135M-Instruct",
    encoderId: "all-MiniLM-L6-v2",
    picked: false,
    host: "huggingface.co",
    hasToken: false,
    download: {
      id: "example-lab/on-its-way-with-a-rather-long-name-instruct-2026@d",
      loadedBytes: 41e6,
      totalBytes: 310e6,
      bytesPerSecond: 12e6,
      secondsLeft: 22,
    },
  });
  return {
    state: { subscribe: state.subscribe },
    lookUp: () =>
      Promise.reject(
        new Error(
          "huggingface.co shows no model of that name to everyone (401). Check how it is spelled there.",
        ),
      ),
    openFolder: async (folder) => {
      throw new Error(`${(await folder).name} cannot be used: it lacks tokenizer.json, onnx/model.onnx.`);
    },
    giveToken: (token) => state.update((old) => ({ ...old, hasToken: token !== null && token !== "" })),
    use: (id) => state.update((old) => ({ ...old, modelId: id, picked: true })),
    set: (id, changes) =>
      state.update((old) => ({
        ...old,
        models: old.models.map((model) => (model.id === id ? { ...model, ...changes } : model)),
      })),
    download: () => Promise.reject(new Error("The connection broke after 41 MB of 310 MB. Try again.")),
    stopDownload: () => state.update((old) => ({ ...old, download: null })),
    remove: (id) => {
      state.update((old) => ({ ...old, models: old.models.filter((model) => model.id !== id) }));
      return Promise.resolve();
    },
  };
}
