// Reading JSON Schema as the API's document writes it: references, allOf, and null as one
// of several types become one plain view of what a value may be.

import { objectOf } from "../json";

/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

export interface Doc {
  info?: { title?: string; description?: string; version?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, RawOperation>>;
  security?: object[];
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, SecurityScheme> };
}

export interface SecurityScheme {
  type: string;
  in?: string;
  name?: string;
  scheme?: string;
  description?: string;
}

/** An operation as the document has it; parts of it may be references. */
export interface RawOperation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: (Parameter | Reference)[];
  requestBody?: RawContent | Reference;
  responses?: Record<string, RawContent | Reference>;
  security?: object[];
  "x-spends"?: boolean;
}

export interface Reference {
  $ref: string;
}

export interface RawContent {
  description?: string;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

/** What a value may be. */
export interface View {
  /** The name of the definition it came from. */
  name: string;
  types: string[];
  format: string;
  nullable: boolean;
  description: string;
  bounds: string[];
  properties: Record<string, Schema>;
  required: Set<string>;
  /** Groups of fields; one field of each group must be there. */
  either: string[][];
  items: Schema | null;
  /** The schema of a map's values. */
  values: Schema | null;
  /** Views, one of which fits. */
  variants: View[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
}

const ranges = [
  ["minimum", "maximum", ""],
  ["minLength", "maxLength", " characters"],
  ["minItems", "maxItems", " items"],
] as const;

export function view(doc: Doc, schema: Schema | null | undefined, seen: Set<Schema> = new Set()): View {
  const out: View = {
    name: "",
    types: [],
    format: "",
    nullable: false,
    description: "",
    bounds: [],
    properties: {},
    required: new Set(),
    either: [],
    items: null,
    values: null,
    variants: [],
  };
  merge(doc, schema ?? {}, out, new Set(seen));
  return out;
}

function merge(doc: Doc, schema: Schema, out: View, seen: Set<Schema>) {
  if (typeof schema !== "object" || seen.has(schema)) return; // true and false are schemas too
  seen.add(schema); // stops at a recursive definition
  if (schema.$ref) {
    merge(doc, resolve(doc, schema.$ref) as Schema, out, seen);
    out.name = schema.$ref.split("/").pop()!;
  }
  for (const part of schema.allOf ?? []) merge(doc, part, out, seen);
  if (schema.anyOf) choose(doc, schema.anyOf, out, seen);
  if (schema.oneOf) choose(doc, schema.oneOf, out, seen);

  if (schema.type) {
    const types = [schema.type].flat();
    out.types = types.filter((type) => type !== "null");
    out.nullable ||= types.includes("null");
  }
  const { format = out.format, description = out.description, items = out.items } = schema;
  Object.assign(out, { format, description, items });
  for (const key of ["enum", "const", "default"] as const)
    if (schema[key] !== undefined) Object.assign(out, { [key]: schema[key] });
  if (schema.examples?.length) out.example = schema.examples[0];
  if (schema.example !== undefined) out.example = schema.example;
  Object.assign(out.properties, schema.properties);
  for (const name of schema.required ?? []) out.required.add(name);
  if (schema.additionalProperties && typeof schema.additionalProperties === "object")
    out.values = schema.additionalProperties;
  for (const [least, most, unit] of ranges) {
    const text = range(schema[least], schema[most]);
    if (text) out.bounds.push(text + unit);
  }
  if (schema.pattern) out.bounds.push(`matches ${schema.pattern}`);
}

/** Bounds in words: "1 to 16", "at least 1". */
export function range(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return least === most ? `exactly ${least}` : `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? "" : `at most ${most}`;
}

// Alternatives: null makes the value nullable, ones that only require a field are a rule
// about fields, and a single one left is no alternative.
function choose(doc: Doc, options: Schema[], out: View, seen: Set<Schema>) {
  const rest = options.filter((option) => option.type !== "null");
  out.nullable ||= rest.length < options.length;
  if (rest.length > 1 && rest.every(onlyRequires)) out.either.push(rest.flatMap((option) => option.required ?? []));
  else if (rest.length === 1) merge(doc, rest[0], out, seen);
  else out.variants.push(...rest.map((option) => view(doc, option, seen)));
}

function onlyRequires(schema: Schema): boolean {
  return Array.isArray(schema.required) && Object.keys(schema).length === 1;
}

/** Follows a reference inside the document. */
export function resolve(doc: Doc, ref: string): unknown {
  const path = ref
    .replace(/^#\//, "")
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.reduce<unknown>((node, part) => objectOf(node)[part], doc) ?? {};
}

/** The type in words: "list of string", "string (date-time) or null". A recursive type is named. */
export function typeText(doc: Doc, v: View, within: string[] = []): string {
  const known = v.name && within.includes(v.name);
  return (known ? v.name : plainType(doc, v, [...within, v.name])) + (v.nullable ? " or null" : "");
}

function plainType(doc: Doc, v: View, within: string[]): string {
  if (v.variants.length > 0) return [...new Set(v.variants.map((each) => typeText(doc, each, within)))].join(" or ");
  if (v.items) return holds("list", typeText(doc, view(doc, v.items), within));
  if (v.types.includes("array")) return "list";
  if (v.values && Object.keys(v.properties).length === 0)
    return holds("map", typeText(doc, view(doc, v.values), within));
  const type = v.types.join(" or ") || (v.const !== undefined ? typeof v.const : "any");
  return v.format ? `${type} (${v.format})` : type;
}

// A list of any values is just a list; several types are held together.
function holds(holder: string, held: string): string {
  if (held === "any") return holder;
  return `${holder} of ${held.includes(" or ") ? `(${held})` : held}`;
}

/** What has fields inside a value: itself, or what its lists, maps or variants hold. */
export function inner(doc: Doc, v: View, within: string[] = []): View[] {
  if (Object.keys(v.properties).length > 0) return [v];
  if (v.name && within.includes(v.name)) return [];
  const names = [...within, v.name];
  if (v.variants.length > 0) return v.variants.flatMap((each) => inner(doc, each, names));
  const held = v.items ?? v.values;
  return held ? inner(doc, view(doc, held), names) : [];
}

/** How the document marks a second spelling of a field; where it does not, both are listed. */
const spelling = /^Another spelling of `([^`]+)`\.$/;

export interface FieldEntry {
  name: string;
  schema: Schema;
  spellings: string[];
  required: boolean;
  /** Fields that make this one unnecessary. */
  either: string[];
}

/** The fields of an object, required ones first, other spellings folded into the field they spell. */
export function fields(v: View): FieldEntry[] {
  const out = new Map<string, FieldEntry>();
  const others: [string, string][] = [];
  for (const [name, schema] of Object.entries(v.properties)) {
    const other = spelling.exec(schema.description ?? "")?.[1];
    if (other && other in v.properties) others.push([other, name]);
    else out.set(name, { name, schema, spellings: [], required: v.required.has(name), either: [] });
  }
  for (const [other, name] of others) out.get(other)?.spellings.push(name);
  for (const field of out.values()) {
    const names = [field.name, ...field.spellings];
    field.required ||= v.either.some((group) => group.every((name) => names.includes(name)));
    field.either = field.required
      ? []
      : (v.either.find((group) => group.includes(field.name)) ?? []).filter((name) => !names.includes(name));
  }
  return [...out.values()].sort((a, b) => Number(b.required) - Number(a.required));
}

const strings: Record<string, string> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  uri: "https://example.com/picture.png",
  binary: "",
};
const deepest = 5;

/** A made-up value for a schema, to show the shape of an answer. */
export function makeValue(doc: Doc, schema: Schema, depth = 0, within: string[] = []): unknown {
  const v = view(doc, schema);
  for (const given of [v.const, v.example, v.default, v.enum?.[0]]) if (given !== undefined) return given;
  const names = v.name ? [...within, v.name] : within;
  const stop = depth >= deepest || (v.name && within.includes(v.name));
  if (v.variants.length > 0) {
    const option = (schema.anyOf ?? schema.oneOf ?? []).find(({ type }) => type !== "null");
    return v.nullable || stop || !option ? null : makeValue(doc, option, depth + 1, names);
  }
  if (v.items) return stop ? [] : [makeValue(doc, v.items, depth + 1, names)];
  if (Object.keys(v.properties).length > 0) {
    return stop
      ? {}
      : Object.fromEntries(fields(v).map((field) => [field.name, makeValue(doc, field.schema, depth + 1, names)]));
  }
  if (v.values) return stop ? {} : { name: makeValue(doc, v.values, depth + 1, names) };
  switch (v.types[0]) {
    case "string":
      return strings[v.format] ?? "string";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    default:
      return v.types.length > 0 ? {} : null;
  }
}
