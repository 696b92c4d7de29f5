// The first page: a sign-in card, or the account that is signed in.

import { h, fill } from "./dom.js";
import { data, Refusal } from "./api.js";
import { key, remember, forget } from "./session.js";
import { notice, failure } from "./notice.js";
import { signInCard } from "./signin.js";
import { person, balance, plan } from "./account.js";
import { serviceState, service } from "./service.js";
import { allModels, modelList } from "./models.js";
import { codeBlock } from "./code.js";
import { header } from "./header.js";

const main = document.querySelector("main");
let leaving = new AbortController(); // aborts the calls of the current view

function signedOut(message = "") {
  leaving.abort();
  forget();
  header({ onSignOut: null });
  document.title = "Sign in · atelier";
  fill(main, signInCard({ message, welcome: (accepted) => welcome(accepted) }));
  main.querySelector("input").focus();
}

function welcome(accepted) {
  try {
    remember(accepted);
  } catch {
    return fill(main, notice("This browser does not let the page keep the key for this tab. Allow storage for this site, then sign in again."));
  }
  const next = new URLSearchParams(location.search).get("then") ?? "";
  if (next === "/docs" || next.startsWith("/docs#")) location.assign(next); // only ever to our own reference
  else signedIn();
}

function signedIn() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  header({ onSignOut: () => signedOut("You are signed out.") });
  document.title = "atelier";

  const panel = (title, read, draw, attributes = {}) => {
    const body = h("div", { class: "panel-body", "aria-busy": "true" }, h("div", { class: "waiting" }));
    show(body, signal, read, draw);
    return h("section", { class: "panel", ...attributes }, title && h("h2", null, title), body);
  };
  fill(main,
    panel("", () => data("/v2/account/me", { signal }), person, { class: "person" }),
    h("div", { class: "panels" },
      panel("Balance", () => data("/v4/account/balance", { signal }), balance, { class: "panel wide" }),
      panel("Plan", () => data("/v1/subscriptions/status", { signal }), plan),
      panel("Service", () => serviceState({ signal }), service)),
    firstCall(),
    panel("Models", () => allModels({ signal }), modelList, { class: "panel plain" }));
}

// Fills a panel when its answer arrives. A 401 for any of them ends the
// session.
async function show(body, signal, read, draw) {
  try {
    const answer = await read();
    if (!signal.aborted) fill(body, draw(answer));
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Refusal && error.status === 401) return signedOut("The service no longer accepts that key. Sign in again.");
    fill(body, failure(error));
  } finally {
    body.removeAttribute("aria-busy");
  }
}

function firstCall() {
  return h("section", { class: "panel" },
    h("h2", null, "Call it"),
    codeBlock("Shell", `curl ${location.origin}/v2/account/me \\\n  -H "Authorization: Bearer $ATELIER_API_KEY"`, { wrap: true }),
    h("p", { class: "small muted" }, "Put your key in ", h("code", null, "ATELIER_API_KEY"), " first. Every endpoint is in the ",
      h("a", { href: "/docs" }, "API reference"), "."));
}

function begin() {
  if (key()) signedIn();
  else signedOut();
}

begin();
// The browser's back button can show this page as it was before a sign-out.
addEventListener("pageshow", (event) => event.persisted && begin());
