/** The address of a view: a hash, so that the page works from any folder and from disk. */

/** How the list of questions is sorted: by the composite, by one axis, or in the order of the set. */
export const SORTS = ["mean", "generation", "activation", "confidence", "mirroring", "order"] as const;
export type SortKey = (typeof SORTS)[number];

export interface ResultsView {
  readonly page: "results";
  /** Which stored run; null: the one that is there. */
  readonly runId: string | null;
  readonly sort: SortKey;
  readonly ascending: boolean;
  readonly find: string;
  readonly flaggedOnly: boolean;
}

/** What is marked in the answers. */
export interface ExampleMarks {
  readonly fresh: boolean;
  readonly gone: boolean;
  readonly doubt: boolean;
}

/** The reader's sets: the list of them, or one of them with one of its questions open. */
export interface DataView {
  readonly page: "data";
  readonly setId: string | null;
  readonly exampleId: string | null;
  readonly find: string;
}

/** Stored runs beside each other; none named: the newest ones that are there. */
export interface CompareView {
  readonly page: "compare";
  readonly runIds: readonly string[];
}

export type Route =
  | ResultsView
  | CompareView
  | ({ readonly page: "example"; readonly runId: string; readonly exampleId: string } & ExampleMarks)
  | { readonly page: "try"; readonly prompt: string }
  | { readonly page: "models" }
  | DataView
  | { readonly page: "methods" }
  | { readonly page: "about" }
  | { readonly page: "unknown"; readonly path: string };

export const dataHome: DataView = { page: "data", setId: null, exampleId: null, find: "" };

export const resultsHome: ResultsView = {
  page: "results",
  runId: null,
  sort: "mean",
  ascending: false,
  find: "",
  flaggedOnly: false,
};

/** Reads `location.hash` ("#/example/a/b?mark=new"). Whatever it holds, it gives a route; text comes back as it was. */
export function parseRoute(hash: string): Route {
  const [path, search] = splitOnce(hash.replace(/^#/, ""), "?");
  const query = new URLSearchParams(search);
  const parts = path.split("/").filter((part) => part !== "");
  const [first, second, third] = parts;
  if (first === undefined) return parseResults(query);
  if (first === "example" && second !== undefined && third !== undefined && parts.length === 3) {
    const [runId, exampleId] = [decode(second), decode(third)];
    if (runId !== null && exampleId !== null)
      return { page: "example", runId, exampleId, ...parseMarks(query.get("mark")) };
  }
  if (parts.length === 1) {
    if (first === "try") return { page: "try", prompt: query.get("prompt") ?? "" };
    if (first === "compare") {
      const runIds = (query.get("runs") ?? "").split(",").filter((id) => id !== "");
      return { page: "compare", runIds: [...new Set(runIds)] };
    }
    if (first === "data") {
      const [setId, exampleId] = [query.get("set"), query.get("question")];
      return { page: "data", setId, exampleId, find: query.get("find") ?? "" };
    }
    if (first === "models" || first === "methods" || first === "about") return { page: first };
  }
  return { page: "unknown", path };
}

/** The hash of a view; what is as by default is left out. */
export function routeHash(route: Route): string {
  switch (route.page) {
    case "results": {
      const query = new URLSearchParams();
      if (route.runId !== null) query.set("run", route.runId);
      if (route.sort !== "mean") query.set("sort", route.sort);
      if (route.ascending) query.set("ascending", "1");
      if (route.find !== "") query.set("find", route.find);
      if (route.flaggedOnly) query.set("flagged", "1");
      return withQuery("#/", query);
    }
    case "example": {
      const query = new URLSearchParams();
      const marks = [route.fresh && "new", route.gone && "lost", route.doubt && "doubt"].filter(
        (m) => m !== false,
      );
      if (marks.join() !== "new,doubt") query.set("mark", marks.join(" "));
      return withQuery(
        `#/example/${encodeURIComponent(route.runId)}/${encodeURIComponent(route.exampleId)}`,
        query,
      );
    }
    case "try": {
      const query = new URLSearchParams();
      if (route.prompt !== "") query.set("prompt", route.prompt);
      return withQuery("#/try", query);
    }
    case "compare": {
      const ids = route.runIds.map(encodeURIComponent).join(",");
      return ids === "" ? "#/compare" : `#/compare?runs=${ids}`;
    }
    case "models":
      return "#/models";
    case "data": {
      const query = new URLSearchParams();
      if (route.setId !== null) query.set("set", route.setId);
      if (route.exampleId !== null) query.set("question", route.exampleId);
      if (route.find !== "") query.set("find", route.find);
      return withQuery("#/data", query);
    }
    case "methods":
      return "#/methods";
    case "about":
      return "#/about";
    case "unknown":
      return `#${route.path}`;
  }
}

/** True when only details of the same page changed: the scroll position and the focus stay. */
export function samePage(a: Route, b: Route): boolean {
  if (a.page === "example" && b.page === "example") return a.runId === b.runId && a.exampleId === b.exampleId;
  if (a.page === "data" && b.page === "data") return a.setId === b.setId;
  return a.page === b.page;
}

function parseResults(query: URLSearchParams): ResultsView {
  return {
    page: "results",
    runId: query.get("run"),
    sort: SORTS.find((key) => key === query.get("sort")) ?? "mean",
    ascending: query.get("ascending") === "1",
    find: query.get("find") ?? "",
    flaggedOnly: query.get("flagged") === "1",
  };
}

function parseMarks(text: string | null): ExampleMarks {
  if (text === null) return { fresh: true, gone: false, doubt: true };
  const marks = new Set(text.split(" "));
  return { fresh: marks.has("new"), gone: marks.has("lost"), doubt: marks.has("doubt") };
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Null for a broken escape such as "%zz". */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
