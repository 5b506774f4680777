import { describe, expect, it } from "vitest";
import { parseRoute, resultsHome, routeHash, samePage, type Route } from "./route.ts";

const example: Route = {
  page: "example",
  runId: "a/b",
  exampleId: "q 1?é",
  fresh: false,
  gone: true,
  doubt: false,
};

describe("routes", () => {
  it("gives the results for an empty hash", () => {
    expect(parseRoute("")).toEqual(resultsHome);
    expect(parseRoute("#/")).toEqual(resultsHome);
  });

  it("leaves out of the address what is as by default", () => {
    expect(routeHash(resultsHome)).toBe("#/");
    expect(routeHash({ ...example, fresh: true, gone: false, doubt: true, runId: "r", exampleId: "e" })).toBe(
      "#/example/r/e",
    );
  });

  it.each<Route>([
    {
      ...resultsHome,
      runId: "r1",
      sort: "mirroring",
      ascending: true,
      find: "a & b=c #?",
      flaggedOnly: true,
    },
    example,
    { ...example, fresh: false, gone: false, doubt: false },
    { page: "try", prompt: "Why?\n100 % & “more”" },
    { page: "models" },
    { page: "compare", runIds: [] },
    { page: "compare", runIds: ["a1", "b 2&"] },
    { page: "data", setId: null, exampleId: null, find: "" },
    { page: "data", setId: "a&b", exampleId: "q 1?é", find: "x y" },
    { page: "methods" },
    { page: "about" },
  ])("restores the view from its address: %j", (route) => {
    expect(parseRoute(routeHash(route))).toEqual(route);
  });

  it("says so when an address leads nowhere, also one with a broken escape", () => {
    expect(parseRoute("#/nowhere").page).toBe("unknown");
    expect(parseRoute("#/example/a").page).toBe("unknown");
    expect(parseRoute("#/example/%zz/b").page).toBe("unknown");
  });

  it("takes a run that is named twice once", () => {
    expect(parseRoute("#/compare?runs=a,b,,a")).toEqual({ page: "compare", runIds: ["a", "b"] });
  });

  it("ignores a sort order that does not exist", () => {
    expect(parseRoute("#/?sort=price")).toEqual(resultsHome);
  });

  it("tells a change of view from a change of page", () => {
    expect(samePage(resultsHome, { ...resultsHome, find: "x" })).toBe(true);
    expect(samePage(example, { ...example, doubt: true })).toBe(true);
    expect(samePage(example, { ...example, exampleId: "other" })).toBe(false);
    expect(samePage(resultsHome, example)).toBe(false);
  });
});
