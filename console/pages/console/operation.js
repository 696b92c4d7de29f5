// One operation of the reference: parameters and responses on the left, how
// to call it on the right.

import { h, fill, chip, prose } from "./dom.js";
import { view, inner } from "./schema.js";
import { fieldList, parameterRow, fold } from "./fields.js";
import { curl } from "./curl.js";
import { sample } from "./sample.js";
import { codeBlock, colour } from "./code.js";
import { trial, canTry } from "./trial.js";

export function operationSection(doc, operation, { onRefused }) {
  const { id, method, path, summary, description, deprecated, isPublic } = operation;
  const command = codeBlock("Shell", curl(doc, operation), { wrap: true });
  const follow = (values, text) => fill(command.querySelector("code"), curl(doc, operation, values, text));
  return h("section", { class: "operation", id, "aria-labelledby": `${id}-title` },
    h("h3", { id: `${id}-title` }, h("a", { href: `#${id}` }, summary)),
    h("p", { class: "endpoint" },
      badge(method),
      h("code", { class: "path" }, breakable(path)),
      isPublic ? chip("public", "good") : h("a", { class: "chip", href: "#authentication", title: who(doc, operation) }, "needs a credential"),
      deprecated && chip("deprecated", "warn")),
    h("div", { class: "columns" },
      h("div", { class: "takes" },
        description && h("p", null, prose(description)),
        parameters(doc, operation),
        body(doc, operation),
        responses(doc, operation)),
      h("div", { class: "calls" },
        command,
        canTry(operation) && trial(doc, operation, { onChange: follow, onRefused }),
        answer(doc, operation))));
}

export function badge(method) {
  return h("span", { class: `method method-${method.toLowerCase()}` }, method === "DELETE" ? "DEL" : method);
}

function who(doc, { schemes }) {
  return schemes.map((name) => doc.components?.securitySchemes?.[name]?.description ?? name).join(" ");
}

/** A path that may be broken after a slash, with its parameters set off. */
export function breakable(path) {
  return path.split(/(\{\w+\})|(?<=\/)/).filter(Boolean).map((part) =>
    [part.startsWith("{") ? h("span", { class: "hole" }, part) : part, part.endsWith("/") && h("wbr")]);
}

function parameters(doc, operation) {
  if (operation.parameters.length === 0) return null;
  return [h("h4", null, "Parameters"),
    h("ul", { class: "fields" }, operation.parameters.map((parameter) => parameterRow(doc, parameter)))];
}

function body(doc, operation) {
  if (!operation.body) return null;
  return [h("h4", null, "Body ", h("span", { class: "type" }, operation.body.kind)),
    operation.body.description && h("p", null, prose(operation.body.description)),
    fieldList(doc, view(doc, operation.body.schema), { request: true })];
}

function responses(doc, operation) {
  return [h("h4", null, "Answers"),
    h("div", { class: "responses" }, operation.responses.map((response) => responseRow(doc, response)))];
}

// The success response is open; errors look alike and are drawn when opened.
function responseRow(doc, { status, description, kind, schema }) {
  const good = status.startsWith("2");
  const head = [
    h("span", { class: `status status-${status.charAt(0)}` }, status),
    h("span", null, prose(description)),
    kind && !kind.includes("json") && h("code", { class: "type" }, kind),
  ];
  if (!schema || Object.keys(schema).length === 0) return h("div", { class: "response" }, head);
  return fold(h("summary", null, head), () => answerFields(doc, view(doc, schema)), { class: "response", open: good });
}

// Most answers have the same envelope around data; one line mentions it, so that
// the fields that differ begin at the top.
function answerFields(doc, v) {
  const data = v.properties.data;
  const wrapped = data && Object.keys(v.properties).length === 2 && view(doc, v.properties.status).const === "success";
  const within = wrapped ? view(doc, data) : v;
  if (!wrapped || inner(doc, within).length === 0) return fieldList(doc, v, { request: false });
  return [
    h("p", { class: "small muted" }, "In ", h("code", null, "data"), " of the success envelope:"),
    fieldList(doc, within, { request: false }),
  ];
}

function answer(doc, { success }) {
  if (!success?.schema || !success.kind.includes("json") || inner(doc, view(doc, success.schema)).length === 0) return null;
  const text = JSON.stringify(sample(doc, success.schema), null, 2);
  return codeBlock(`Shape of the ${success.status} answer`, colour(text));
}
