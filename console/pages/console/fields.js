// Tables of fields: parameters, bodies and answers.

import { h, fill, chip, prose } from "./dom.js";
import { view, fields, inner, typeText } from "./schema.js";

/** Nested fields open by themselves down to this depth, if they are few. */
const openDepth = 2;
const openFields = 14;

/**
 * The fields of a value, with theirs folded inside. In requests it is worth
 * saying what is required; in answers, what may be absent.
 */
export function fieldList(doc, v, { request, depth = 0, within = [] }) {
  const objects = inner(doc, v);
  if (objects.length === 0) return bare(doc, v);
  return objects.map((object, i) => [
    objects.length > 1 && h("p", { class: "variant" }, i > 0 && "or ", object.name ? h("code", null, object.name) : "an object"),
    h("ul", { class: "fields" }, fields(doc, object).map((field) =>
      fieldRow(doc, field, { request, depth, within: object.name ? [...within, object.name] : within }))),
  ]);
}

// A value without fields, such as a plain list of strings or any JSON at all.
function bare(doc, v) {
  return h("ul", { class: "fields" }, h("li", null,
    h("div", { class: "field-head" }, h("span", { class: "type" }, typeText(doc, v))), facts(v)));
}

function fieldRow(doc, { name, schema, spellings, required, either }, { request, depth, within }) {
  const v = view(doc, schema);
  return h("li", null,
    h("div", { class: "field-head" },
      h("code", { class: "field-name" }, name),
      h("span", { class: "type" }, typeText(doc, v)),
      request && required && chip("required", "accent"),
      !request && !required && chip("optional")),
    v.description && h("p", null, prose(v.description)),
    either.length > 0 && h("p", { class: "small muted" }, "Required unless there is ", list(either), "."),
    spellings.length > 0 && h("p", { class: "small muted" }, "Also spelled ", list(spellings), "."),
    facts(v),
    nested(doc, v, { request, depth: depth + 1, within }));
}

/** A parameter of the path, query or header. */
export function parameterRow(doc, parameter) {
  const v = view(doc, parameter.schema);
  return h("li", null,
    h("div", { class: "field-head" },
      h("code", { class: "field-name" }, parameter.name),
      h("span", { class: "type" }, `${typeText(doc, v)}, in ${parameter.in}`),
      parameter.required && chip("required", "accent")),
    (parameter.description || v.description) && h("p", null, prose(parameter.description || v.description)),
    facts(v));
}

// Default, allowed values and bounds, each only when there is one.
function facts(v) {
  const allowed = v.enum ?? (v.const === undefined ? [] : [v.const]);
  const word = allowed.length > 1 ? "One of " : v.enum ? "Only " : "Always ";
  return [
    allowed.length > 0 && h("p", { class: "small" },
      h("span", { class: "muted" }, word), list(allowed.map(literal))),
    v.default !== undefined && h("p", { class: "small" }, h("span", { class: "muted" }, "Default "), h("code", null, literal(v.default))),
    v.bounds.length > 0 && h("p", { class: "small muted" }, sentence(v.bounds.join(", "))),
  ];
}

// Nested fields near the top are open at once; deeper ones, and those of a type
// that contains itself, are drawn when the reader opens them.
function nested(doc, v, { request, depth, within }) {
  const objects = inner(doc, v);
  if (objects.length === 0) return null;
  const size = objects.reduce((sum, object) => sum + fields(doc, object).length, 0);
  const open = depth <= openDepth && size <= openFields && !objects.some(({ name }) => within.includes(name));
  return fold(h("summary", null, `${size} ${size === 1 ? "field" : "fields"}`), () => fieldList(doc, v, { request, depth, within }), { open, class: "nested" });
}

/** A collapsed section whose content is drawn when it first opens. */
export function fold(summary, draw, { open = false, ...attributes } = {}) {
  const body = h("div", null, open && draw());
  let drawn = open;
  return h("details", {
    ...attributes, open,
    ontoggle: (event) => {
      if (drawn || !event.target.open) return;
      drawn = true;
      fill(body, draw());
    },
  }, summary, body);
}

function list(names) {
  return names.map((name, i) => [i > 0 && ", ", h("code", null, name)]);
}

function literal(value) {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
