import { mountInterface, showStartFailure } from "./ui/index.ts";

const target = document.getElementById("app");
if (target === null) throw new Error("The page has no element to draw into.");

const madeUp = import.meta.env.DEV ? new URLSearchParams(window.location.search).get("fake") : null;

if (madeUp !== null) {
  // Made-up data, to look at the interface without a model: not part of a build.
  const { madeUpController } = await import("./ui/dev/made-up-controller.ts");
  mountInterface(target, madeUpController(madeUp));
} else {
  try {
    const { openApp } = await import("./app/index.ts");
    const { controller, automation } = await openApp(document.baseURI);
    mountInterface(target, controller);
    // The handle of `npm run evaluate`: the same controller as the Run button.
    Object.assign(globalThis, { sago: automation });
  } catch (error) {
    showStartFailure(target, error);
    throw error;
  }
}
