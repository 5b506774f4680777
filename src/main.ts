import { mountInterface } from "./ui/index.ts";

const target = document.getElementById("app");
if (target === null) throw new Error("The page has no element to draw into.");

// Made-up data, to look at the interface without a model: not part of a build.
if (import.meta.env.DEV && new URLSearchParams(window.location.search).has("fake")) {
  const { madeUpController } = await import("./ui/dev/made-up-controller.ts");
  mountInterface(target, madeUpController(new URLSearchParams(window.location.search).get("fake") ?? "first"));
}
