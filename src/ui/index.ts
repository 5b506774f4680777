/** The interface: one function that puts it on the page, and the controller that it talks to. */
import { mount } from "svelte";
import App from "./App.svelte";
import type { Controller } from "./controller.ts";
import { restoreTheme } from "./theme.svelte.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/chrome.css";
import "./styles/controls.css";
import "./styles/run-bar.css";
import "./styles/figures.css";
import "./styles/profile.css";
import "./styles/questions.css";
import "./styles/example.css";
import "./styles/rulers.css";
import "./styles/try.css";
import "./styles/models.css";
import "./styles/data.css";
import "./styles/compare.css";
import "./styles/tour.css";

export type {
  Controller,
  ControllerState,
  DatasetChoice,
  Failure,
  FormatChoice,
  Kept,
  LibraryState,
  Loading,
  ModelChoice,
  ModelDownload,
  ModelLibrary,
  Phase,
  Readable,
  RunChoices,
  RunCost,
  StorageUse,
  TryController,
  TryRow,
  TrySettings,
  TryState,
  TryVariant,
} from "./controller.ts";

export { showStartFailure } from "./start.ts";

/** Draws the interface into `target`, in the remembered colours. */
export function mountInterface(target: HTMLElement, controller: Controller): void {
  restoreTheme();
  target.replaceChildren();
  mount(App, { target, props: { controller } });
}
