// The right end of the bar at the top: signing in or out.

import { h, fill } from "./dom.js";

/** Shows sign out when there is something to sign out of, or the link given. */
export function header({ onSignOut, signInLink = "" }) {
  fill(document.querySelector("#session"),
    onSignOut && h("button", { class: "quiet", type: "button", onclick: onSignOut }, "Sign out"),
    !onSignOut && signInLink && h("a", { class: "quiet", href: signInLink }, "Sign in"));
}
