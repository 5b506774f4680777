import "fake-indexeddb/auto";
import { afterEach, expect, it, vi } from "vitest";
import { eventually } from "../../tests/eventually.ts";
import { exampleRun } from "./run-fixtures.ts";
import { RunStore } from "./run-store.ts";

const store = new RunStore({ name: "live" });
afterEach(() => store.deleteEverything());

it("starts with `loading`, then follows every change until it is let go", async () => {
  const seen: unknown[] = [];
  const stop = store.watchRuns().subscribe((state) => {
    seen.push(state.state === "ready" ? state.value.map(({ id, status }) => [id, status]) : state.state);
  });
  expect(seen).toEqual(["loading"]);
  await eventually(() => expect(seen.at(-1)).toEqual([]));
  await store.createRun(exampleRun());
  await eventually(() => expect(seen.at(-1)).toEqual([["run-1", "running"]]));
  await store.updateRun("run-1", { status: "finished" });
  await eventually(() => expect(seen.at(-1)).toEqual([["run-1", "finished"]]));

  const later = vi.fn();
  const stopLater = store.watchRun("run-1").subscribe(later);
  stop();
  const before = seen.length;
  await store.deleteRun("run-1");
  await eventually(() => expect(later).toHaveBeenLastCalledWith({ state: "ready", value: null }));
  expect(seen.length).toBe(before);
  stopLater();
});

it("never calls a subscriber that left before the database was open", async () => {
  const listener = vi.fn();
  new RunStore({ name: "left-early" }).watchRuns().subscribe(listener)();
  const later = vi.fn();
  const stop = new RunStore({ name: "left-early" }).watchRuns().subscribe(later);
  await eventually(() => expect(later).toHaveBeenLastCalledWith({ state: "ready", value: [] }));
  expect(listener).toHaveBeenCalledOnce();
  stop();
});
