// Reading JSON Schema as the API's document writes it: references, allOf, and
// null as one of several types become one plain view of what a value may be.

/** The pairs of bounds worth a word, with what they count. */
const ranges = [["minimum", "maximum", ""], ["minLength", "maxLength", " characters"], ["minItems", "maxItems", " items"]];

/**
 * Views a schema. name is that of the definition it came from; either lists
 * groups of fields of which one must be there; values is the schema of a map's
 * values; variants are views of which one fits.
 */
export function view(doc, schema, seen = new Set()) {
  const out = {
    name: "", types: [], format: "", nullable: false, description: "", bounds: [],
    properties: {}, required: new Set(), either: [], items: null, values: null, variants: [],
  };
  merge(doc, schema ?? {}, out, new Set(seen));
  return out;
}

function merge(doc, schema, out, seen) {
  if (schema === true || schema === false || seen.has(schema)) return;
  seen.add(schema); // stops at a recursive definition
  if (schema.$ref) {
    merge(doc, resolve(doc, schema.$ref), out, seen);
    out.name = schema.$ref.split("/").pop();
  }
  for (const part of schema.allOf ?? []) merge(doc, part, out, seen);
  for (const key of ["anyOf", "oneOf"]) if (schema[key]) choose(doc, schema[key], out, seen);

  if (schema.type) {
    const types = [schema.type].flat();
    out.types = types.filter((type) => type !== "null");
    out.nullable ||= types.includes("null");
  }
  out.nullable ||= schema.nullable === true;
  for (const key of ["format", "description", "enum", "const", "default", "items"]) {
    if (schema[key] !== undefined) out[key] = schema[key];
  }
  if (schema.examples?.length > 0) out.example = schema.examples[0];
  if (schema.example !== undefined) out.example = schema.example;
  Object.assign(out.properties, schema.properties);
  for (const name of schema.required ?? []) out.required.add(name);
  if (schema.additionalProperties && typeof schema.additionalProperties === "object") out.values = schema.additionalProperties;
  for (const [least, most, unit] of ranges) {
    const text = range(schema[least], schema[most]);
    if (text) out.bounds.push(text + unit);
  }
  if (schema.pattern) out.bounds.push(`matches ${schema.pattern}`);
}

function range(least, most) {
  if (least !== undefined && most !== undefined) return least === most ? `exactly ${least}` : `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? "" : `at most ${most}`;
}

// Alternatives: null makes the value nullable, ones that only require a field
// are a rule about fields, and a single one left is no alternative.
function choose(doc, options, out, seen) {
  const rest = options.filter((option) => option.type !== "null");
  out.nullable ||= rest.length < options.length;
  if (rest.length > 1 && rest.every(onlyRequires)) out.either.push(rest.flatMap((option) => option.required));
  else if (rest.length === 1) merge(doc, rest[0], out, seen);
  else out.variants.push(...rest.map((option) => view(doc, option, seen)));
}

function onlyRequires(schema) {
  return Array.isArray(schema.required) && Object.keys(schema).length === 1;
}

/** Follows a reference inside the document. */
export function resolve(doc, ref) {
  const path = ref.replace(/^#\//, "").split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.reduce((node, part) => node?.[part], doc) ?? {};
}

/** The type in words: "list of string", "string (date-time) or null". A recursive type is named. */
export function typeText(doc, v, within = []) {
  const known = v.name && within.includes(v.name);
  return (known ? v.name : plainType(doc, v, [...within, v.name])) + (v.nullable ? " or null" : "");
}

function plainType(doc, v, within) {
  if (v.variants.length > 0) return [...new Set(v.variants.map((each) => typeText(doc, each, within)))].join(" or ");
  if (v.items) return of("list", typeText(doc, view(doc, v.items), within));
  if (v.types.includes("array")) return "list";
  if (v.values && Object.keys(v.properties).length === 0) return of("map", typeText(doc, view(doc, v.values), within));
  const type = v.types.join(" or ") || (v.const !== undefined ? typeof v.const : "any");
  return v.format ? `${type} (${v.format})` : type;
}

// A list of any values is just a list; several types are held together.
function of(holder, held) {
  if (held === "any") return holder;
  return `${holder} of ${held.includes(" or ") ? `(${held})` : held}`;
}

/** What has fields inside a value: itself, or what its lists, maps or variants hold. */
export function inner(doc, v, within = []) {
  if (Object.keys(v.properties).length > 0) return [v];
  if (v.name && within.includes(v.name)) return [];
  const names = [...within, v.name];
  if (v.variants.length > 0) return v.variants.flatMap((each) => inner(doc, each, names));
  const held = v.items ?? v.values;
  return held ? inner(doc, view(doc, held), names) : [];
}

/** How the document marks a second spelling of a field; where it does not, both are listed. */
const spelling = /^Another spelling of `([^`]+)`\.$/;

/** The fields of an object, required ones first, other spellings folded into the field they spell. */
export function fields(doc, v) {
  const out = new Map();
  const others = [];
  for (const [name, schema] of Object.entries(v.properties)) {
    const of = spelling.exec(schema.description ?? "")?.[1];
    if (of && of in v.properties) others.push([of, name]);
    else out.set(name, { name, schema, spellings: [], required: v.required.has(name) });
  }
  for (const [of, name] of others) out.get(of)?.spellings.push(name);
  for (const field of out.values()) {
    const names = [field.name, ...field.spellings];
    field.required ||= v.either.some((group) => group.every((name) => names.includes(name)));
    field.either = field.required ? [] : (v.either.find((group) => group.includes(field.name)) ?? []).filter((name) => !names.includes(name));
  }
  return [...out.values()].sort((a, b) => b.required - a.required);
}
