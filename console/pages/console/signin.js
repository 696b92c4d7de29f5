// The sign-in card.

import { h, fill } from "./dom.js";
import { data } from "./api.js";
import { notice, failure } from "./notice.js";

/** Draws the card. welcome is called with a key that the service has accepted. */
export function signInCard({ message = "", welcome }) {
  const field = h("input", {
    id: "key", type: "password", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
    placeholder: "00000000-0000-0000-0000-000000000000", required: true, "aria-describedby": "key-help",
  });
  const button = h("button", { class: "primary", type: "submit" }, "Sign in");
  const status = h("div", null, message && notice(message, { tone: "plain" }));

  const submit = async (event) => {
    event.preventDefault();
    const credential = field.value.trim();
    if (!credential) return field.focus();
    if (/[^\x21-\x7e]/.test(credential)) { // a header cannot carry it, and no key looks like that
      fill(status, notice("That is not an API key: it has characters that no key has."));
      return field.focus();
    }
    button.disabled = true;
    fill(status);
    try {
      await data("/v2/account/me", { credential });
      welcome(credential);
    } catch (error) {
      fill(status, failure(error));
      field.select();
    } finally {
      button.disabled = false;
    }
  };

  return h("section", { class: "signin" },
    h("h1", null, "Sign in"),
    h("p", { class: "muted" }, "With an API key of this service."),
    status,
    h("form", { onsubmit: submit },
      h("label", { for: "key" }, "API key"),
      field,
      button),
    h("div", { class: "help", id: "key-help" },
      h("h2", null, "Where is my key?"),
      h("p", null, h("code", null, "atelier serve"), " printed one when it started for the first time. Make another with"),
      h("pre", null, h("code", null, "atelier key create WALLET")),
      h("p", { class: "muted" }, "The key stays in this tab and is removed when you close it.")));
}
