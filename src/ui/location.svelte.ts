/** The current view, read from the address bar and written to it. */
import { createSubscriber } from "svelte/reactivity";
import { parseRoute, routeHash, type Route } from "./route.ts";

const subscribe = createSubscriber((update) => {
  window.addEventListener("hashchange", update);
  window.addEventListener("sago:replaced", update);
  return () => {
    window.removeEventListener("hashchange", update);
    window.removeEventListener("sago:replaced", update);
  };
});

/** Reactive where it is read in a component. */
export function currentRoute(): Route {
  subscribe();
  return parseRoute(window.location.hash);
}

export function go(route: Route): void {
  window.location.hash = routeHash(route);
}

/** Changes the address without a step in the history: for sorting, searching and toggles. */
export function refine(route: Route): void {
  window.history.replaceState(window.history.state, "", routeHash(route));
  // replaceState fires no event of its own.
  window.dispatchEvent(new Event("sago:replaced"));
}
