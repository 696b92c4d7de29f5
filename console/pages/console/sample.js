// Made-up values that fit a schema, to show the shape of a body or an answer.

import { view, fields } from "./schema.js";

const deepest = 5;

/** The project id that samples use. */
const project = "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604";

const strings = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  uuid: project,
  uri: "https://example.com/picture.png",
};

/** An operation with a new project id, where the browser can make one. */
export function fresh(operation) {
  return JSON.parse(JSON.stringify(operation).replaceAll(project, crypto.randomUUID?.() ?? project));
}

/** A valid body of an operation as text, or "" when it takes none in JSON. */
export function bodyText(doc, { body }) {
  if (!body?.kind.includes("json")) return "";
  return JSON.stringify(body.example ?? sample(doc, body.schema, { sparse: true }), null, 2);
}

/** A value for a schema. With sparse, only the required fields, or a few when none is required. */
export function sample(doc, schema, { sparse = false, depth = 0, within = [] } = {}) {
  const v = view(doc, schema);
  if (v.const !== undefined) return v.const;
  if (v.example !== undefined) return v.example;
  if (v.default !== undefined) return v.default;
  if (v.enum?.length > 0) return v.enum[0];
  const next = { sparse, depth: depth + 1, within: v.name ? [...within, v.name] : within };
  const stop = depth >= deepest || (v.name && within.includes(v.name));
  if (v.variants.length > 0) return v.nullable || stop ? null : sampleVariant(doc, schema, next);
  if (v.items) return stop ? [] : [sample(doc, v.items, next)];
  if (Object.keys(v.properties).length > 0) return stop ? {} : object(doc, v, next);
  if (v.values) return stop ? {} : { name: sample(doc, v.values, next) };
  return scalar(v);
}

function sampleVariant(doc, schema, next) {
  const options = schema.anyOf ?? schema.oneOf ?? [];
  return options.length > 0 ? sample(doc, options.find(({ type }) => type !== "null"), next) : null;
}

function object(doc, v, next) {
  const all = fields(doc, v);
  let chosen = next.sparse ? all.filter(({ required, either }) => required || either.length > 0) : all;
  if (chosen.length === 0) chosen = all.slice(0, 2);
  return Object.fromEntries(chosen.map(({ name, schema }) => [name, sample(doc, schema, next)]));
}

function scalar(v) {
  switch (v.types[0]) {
    case "string": return strings[v.format] ?? "string";
    case "integer": case "number": return 0;
    case "boolean": return false;
    case "array": return [];
    default: return v.types.length > 0 ? {} : null;
  }
}
