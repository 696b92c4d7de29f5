// The state of the service, from /readyz and /healthz.

import { h, chip } from "./dom.js";
import { get, Refusal } from "./api.js";
import { words } from "./format.js";

/** Asks whether every part answers. A 503 is an answer here, not an error. */
export async function serviceState(options) {
  const [ready, health] = await Promise.all([readiness(options), get("/healthz", options).catch(() => ({}))]);
  return { ...ready, version: health.version ?? "" };
}

async function readiness(options) {
  try {
    const { parts = {} } = await get("/readyz", options);
    return { up: true, parts };
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 503) throw error;
    return { up: false, parts: error.body?.details?.parts ?? {}, message: error.message };
  }
}

export function service({ up, parts, message, version }) {
  return [
    h("p", { class: "lead" }, up ? "Ready" : "Not ready", " ", chip(up ? "All parts answer" : "Degraded", up ? "good" : "bad")),
    message && h("p", null, message),
    h("ul", { class: "parts" }, Object.keys(parts).sort().map((name) =>
      h("li", { class: parts[name] === "ok" ? "good" : "bad" }, words(name), h("span", { class: "muted" }, parts[name])))),
    version && h("p", { class: "small muted" }, "Version ", h("code", null, version)),
  ];
}
