// Trying an operation from the page, with the key of this tab.

import { h, fill, chip } from "./dom.js";
import { headers } from "./api.js";
import { key } from "./session.js";
import { address } from "./curl.js";
import { bodyText } from "./sample.js";
import { view } from "./schema.js";
import { notice } from "./notice.js";
import { codeBlock, colour } from "./code.js";
import { bytes } from "./format.js";

/** Longer answers are cut. */
const most = 400_000;

/** Files are not sent from here. */
export function canTry({ body }) {
  return !body || body.kind.includes("json");
}

/** The form. onChange gets the values and the body as they are typed, onRefused a 401 to a key. */
export function trial(doc, operation, { onChange, onRefused }) {
  const controls = operation.parameters.map((parameter) => [parameter.name, control(doc, operation, parameter)]);
  const values = () => Object.fromEntries(controls.map(([name, { input }]) => [name, input.value.trim()]).filter(([, value]) => value));
  const body = operation.body && bodyControl(doc, operation);
  const output = h("div", { class: "output", "aria-live": "polite" });
  const button = h("button", { class: "primary", type: "submit" }, "Send");
  let running = null;

  const submit = async (event) => {
    event.preventDefault();
    if (running) return running.abort();
    if (!operation.isPublic && !key()) return fill(output, signInFirst(operation));
    running = new AbortController();
    button.textContent = "Stop";
    try {
      await send(operation, { values: values(), body: body?.input.value }, output, running.signal, onRefused);
    } finally {
      running = null;
      button.textContent = "Send";
    }
  };
  return h("form", { class: "trial", onsubmit: submit, oninput: () => onChange(values(), body?.input.value) },
    h("div", { class: "trial-head" }, h("h4", null, "Try it"), button),
    operation.method !== "GET" && h("p", { class: "small muted" }, "This sends a real request, which may change or cost something."),
    controls.map(([, { row }]) => row),
    body?.row,
    output);
}

function bodyControl(doc, operation) {
  const id = `${operation.id}.body`;
  const text = bodyText(doc, operation);
  const input = h("textarea", { id, rows: Math.min(16, text.split("\n").length), spellcheck: "false", autocomplete: "off" }, text);
  return { input, row: h("div", { class: "control body" }, h("label", { for: id }, "Body"), input) };
}

function control(doc, operation, { name, required, schema, example, in: place }) {
  const v = view(doc, schema);
  const id = `${operation.id}.${name}`;
  const choices = v.enum ?? (v.types[0] === "boolean" ? [true, false] : null);
  const input = choices
    ? h("select", { id, required }, h("option", { value: "" }, v.default === undefined ? "not sent" : `${v.default} (default)`),
      choices.map((value) => h("option", { value }, String(value))))
    : h("input", { id, required, value: example, autocomplete: "off", spellcheck: "false", placeholder: v.default ?? (place === "path" ? "" : v.types[0] ?? "") });
  return { input, row: h("div", { class: "control" }, h("label", { for: id }, name), input) };
}

function signInFirst(operation) {
  return h("div", { class: "notice plain", role: "status" }, h("p", null, "This endpoint needs a credential. ", signInLink(operation), " to try it."));
}

function signInAgain(operation) {
  return h("div", { class: "notice plain" }, h("p", null, "The service does not accept your key, so you are signed out. ", signInLink(operation), " again."));
}

function signInLink({ id }) {
  return h("a", { href: `/?then=${encodeURIComponent(`/docs#${id}`)}` }, "Sign in");
}

async function send(operation, { values, body }, output, signal, onRefused) {
  const credential = operation.isPublic ? "" : key();
  const sent = { ...headers(credential), Accept: "*/*" };
  for (const { name } of operation.parameters.filter((parameter) => parameter.in === "header")) {
    if (values[name]) sent[name] = values[name];
  }
  if (body) sent["Content-Type"] = operation.body.kind;
  const started = performance.now();
  try {
    const response = await fetch(address(operation, values), { method: operation.method, headers: sent, body: body || undefined, signal, cache: "no-store" });
    await show(response, started, output);
    if (response.status === 401 && credential) {
      onRefused();
      output.prepend(signInAgain(operation));
    }
  } catch (error) {
    if (error.name === "AbortError") output.append(h("p", { class: "small muted" }, "Stopped."));
    else fill(output, notice("The request could not be sent, or its answer was interrupted."));
  }
}

async function show(response, started, output) {
  const kind = (response.headers.get("Content-Type") ?? "").split(";")[0];
  const requestId = response.headers.get("X-Request-Id");
  const numbers = h("span", { class: "muted small" });
  fill(output, h("p", { class: "result" },
    chip(`${response.status} ${response.statusText}`.trim(), response.ok ? "good" : "bad"), numbers),
    requestId && h("p", { class: "small muted" }, "Request ", h("code", null, requestId)));

  const block = codeBlock(kind || "No body", "");
  const code = block.querySelector("code");
  let size = 0;
  let text = "";
  const draw = (content) => {
    if (!block.isConnected && text) output.append(block);
    fill(code, content);
    numbers.textContent = `${Math.round(performance.now() - started)} ms, ${bytes(size)}`;
  };
  if (!readable(kind)) {
    await response.body?.cancel();
    output.append(h("p", { class: "small muted" }, `The answer is ${kind}, which is not shown here.`));
    return;
  }
  const decoder = new TextDecoder();
  for await (const chunk of chunks(response)) {
    size += chunk.length;
    if (text.length < most) text += decoder.decode(chunk, { stream: true });
    if (kind === "text/event-stream") draw(text);
  }
  draw(kind.includes("json") ? colour(pretty(text)) : clipped(text));
}

// Not every browser can iterate a body yet.
async function* chunks(response) {
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader.read()) yield next.value;
}

function readable(kind) {
  return kind === "" || kind.startsWith("text/") || /json|xml|javascript/.test(kind);
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return clipped(text);
  }
}

function clipped(text) {
  return text.length < most ? text : `${text.slice(0, most)}\n…`;
}
