/** The built page in a real Chromium, served from loopback, with every request to anywhere else refused. */
import { chromium, type Browser, type BrowserContext, type Page } from "playwright";
import { chromiumLaunch } from "../../tools/chromium.mjs";
import { startServer } from "../../tools/serve.mjs";

export interface BuiltPage {
  readonly url: string;
  readonly browser: Browser;
  /** A context of its own: own storage, own requests. */
  open(options?: VisitOptions): Promise<Visit>;
  close(): Promise<void>;
}

export interface VisitOptions extends NonNullable<Parameters<Browser["newContext"]>[0]> {
  /** With the example run; without it, what a test counts in the database is its own. */
  readonly example?: boolean;
  /** A model hub on loopback, and its store of large files: the only other origins that answer. */
  readonly hub?: { readonly host: string; readonly storeHost: string };
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Requests that left loopback; each was refused. */
  readonly refused: readonly string[];
  /** Uncaught errors and console errors. */
  readonly errors: readonly string[];
  /** Another page with the same storage. */
  again(): Promise<Page>;
}

export async function startBuiltPage(device: "wasm" | "webgpu" = "wasm"): Promise<BuiltPage> {
  const server = await startServer({ directory: "dist", port: 0 });
  const browser = await chromium.launch({ ...chromiumLaunch(device), headless: true });
  return {
    url: server.url,
    browser,
    open: async ({ example = false, hub, ...options } = {}) => {
      const origins = [new URL(server.url).origin, ...(hub ? [hub.host, hub.storeHost] : [])];
      const address = new URL(server.url);
      if (!example) address.searchParams.set("example", "none");
      if (hub) address.searchParams.set("hub", hub.host);
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        // Only one test is about it; elsewhere it would answer before a test can.
        serviceWorkers: "block",
        ...options,
      });
      // Conditions, not speed, are under test: a slow machine only takes longer.
      context.setDefaultTimeout(540_000);
      const refused: string[] = [];
      const errors: string[] = [];
      await context.route(
        (url) => !origins.includes(url.origin) && !["blob:", "data:"].includes(url.protocol),
        (route) => {
          refused.push(route.request().url());
          return route.abort();
        },
      );
      const again = async (): Promise<Page> => {
        const page = await context.newPage();
        page.on("pageerror", (error) => errors.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") errors.push(message.text());
        });
        await page.goto(address.href);
        await page.waitForFunction(() => "sago" in globalThis);
        return page;
      };
      return { context, page: await again(), refused, errors, again };
    },
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

export interface Choices {
  /** As `--model` of `npm run evaluate`; absent: the bundled one. */
  readonly model?: string;
  readonly dataset?: string;
  readonly examples: number;
  readonly variants: number;
  readonly tokens: number;
  readonly device?: "wasm" | "webgpu";
}

type Outcome = { ok: true; runId: string } | { ok: false; message: string };

/** The page's automation handle, as far as the tests use it (src/app/automation.ts). */
interface Sago {
  evaluate(dataset: { id: string }, choices: object, onProgress: (line: string) => void): Promise<Outcome>;
  prepareExport(runId: string): Promise<number>;
  exportText(): Promise<string>;
}

declare global {
  var sago: Sago;
}

function automationChoices({ model, examples, variants, tokens, device = "wasm" }: Choices) {
  return {
    modelId: model ?? null,
    examples,
    variantsPerExample: variants,
    maxNewTokens: tokens,
    device,
    seed: 7,
  };
}

/** Runs through the automation handle and gives the run's id. */
export async function evaluate(page: Page, choices: Choices): Promise<string> {
  const outcome = await page.evaluate(
    ([dataset, settings]) => globalThis.sago.evaluate({ id: dataset }, settings, () => undefined),
    [choices.dataset ?? "short-facts", automationChoices(choices)] as const,
  );
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.runId;
}

/** Starts a run without waiting for it. */
export async function begin(page: Page, choices: Choices): Promise<void> {
  await page.evaluate(
    ([dataset, settings]) => {
      void globalThis.sago.evaluate({ id: dataset }, settings, () => undefined);
    },
    [choices.dataset ?? "short-facts", automationChoices(choices)] as const,
  );
}

/** The parsed export of a stored run. */
export async function exported(page: Page, runId: string): Promise<ExportedRun> {
  const text = await page.evaluate(async (id) => {
    await globalThis.sago.prepareExport(id);
    return globalThis.sago.exportText();
  }, runId);
  return JSON.parse(text) as ExportedRun;
}

interface StoredRecord {
  readonly key: string;
  readonly runId: string;
  readonly exampleId: string;
  readonly promptId: string;
  readonly elapsedMs?: number;
}

interface ExportedEstimate {
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly reason: string | null;
}

export interface ExportedRun {
  readonly run: { readonly status: string; readonly spec: { readonly device: { readonly kind: string } } };
  readonly background: object;
  readonly generations: readonly (StoredRecord & { readonly text: string })[];
  readonly activations: readonly StoredRecord[];
  readonly scores: readonly StoredRecord[];
  readonly embeddings: readonly StoredRecord[];
  readonly analysis: {
    readonly axes: Readonly<
      Record<"generation" | "activation" | "confidence" | "mirroring", ExportedEstimate>
    >;
    readonly examples: readonly {
      readonly exampleId: string;
      readonly prompts: readonly {
        readonly promptId: string;
        readonly response: string;
        readonly distance: Readonly<Record<"generation" | "activation" | "confidence", number | null>>;
      }[];
    }[];
  };
}

/** How many records a table of the page's database holds. */
export function count(page: Page, table: string): Promise<number> {
  return page.evaluate(
    (name) =>
      new Promise<number>((resolve, reject) => {
        const open = indexedDB.open("sago");
        open.onerror = () => reject(new Error("The database cannot be opened."));
        open.onsuccess = () => {
          const request = open.result.transaction(name).objectStore(name).count();
          request.onsuccess = () => {
            resolve(request.result);
            open.result.close();
          };
          request.onerror = () => reject(new Error(`${name} cannot be counted.`));
        };
      }),
    table,
  );
}
