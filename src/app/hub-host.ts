import { hubOrigin, LOOPBACK_NAMES } from "../content-policy.ts";

/**
 * The host that models are fetched from. The page talks to no other.
 *
 * @param search - of the page's address. `?hub=ORIGIN` names another hub for development and tests; only one on
 *   this machine is accepted, since anyone can write a link
 * @param built - another hub chosen when the page was built (`VITE_SAGO_HUB`): a mirror
 * @throws {Error} with a sentence for the reader if either is no such address
 */
export function hubHost(search: string, built: string | undefined): string {
  const asked = new URLSearchParams(search).get("hub");
  if (asked !== null) {
    if (!URL.canParse(asked) || !LOOPBACK_NAMES.includes(new URL(asked).hostname)) {
      throw new Error(
        `The address of this page names the model hub "${asked}". Only a hub on this machine (${LOOPBACK_NAMES.join(" or ")}) can be named there; open the page without "?hub=".`,
      );
    }
    return new URL(asked).origin;
  }
  return hubOrigin(built);
}
