// The API's document, arranged for reading: groups of operations.

import {
  resolve,
  type Doc,
  type Parameter,
  type RawContent,
  type RawOperation,
  type Reference,
  type Schema,
} from "./schema";

const methods = ["get", "post", "put", "patch", "delete", "head", "options"];

export interface Content {
  description: string;
  kind: string;
  schema: Schema | null;
  example?: unknown;
  /** It may also be an event stream. */
  streams: boolean;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  deprecated: boolean;
  parameters: Parameter[];
  body: Content | null;
  responses: (Content & { status: string })[];
  success?: Content & { status: string };
  isPublic: boolean;
  spends: boolean;
}

export interface Group {
  id: string;
  name: string;
  description: string;
  operations: Operation[];
}

/** The groups in the order of the document's tags, each with its operations. */
export function groups(doc: Doc): Group[] {
  const out = new Map<string, Group>();
  const group = (name: string, description = "") => {
    if (!out.has(name))
      out.set(name, { id: "group-" + name.toLowerCase().replace(/\W+/g, "-"), name, description, operations: [] });
    return out.get(name)!;
  };
  for (const tag of doc.tags ?? []) group(tag.name, tag.description);
  for (const [path, item] of Object.entries(doc.paths ?? {})) {
    for (const method of methods) {
      if (!item[method]) continue;
      const found = readOperation(doc, path, method, item[method]);
      group(found.tag).operations.push(found);
    }
  }
  return [...out.values()].filter(({ operations }) => operations.length > 0);
}

function readOperation(doc: Doc, path: string, method: string, about: RawOperation): Operation {
  const security: object[] = about.security ?? doc.security ?? [];
  const responses = Object.entries(about.responses ?? {}).map(([status, response]) => ({
    status,
    ...readContent(doc, response),
  }));
  return {
    id: about.operationId ?? `${method}${path}`.replace(/\W+/g, "-"),
    method: method.toUpperCase(),
    path,
    tag: about.tags?.[0] ?? "Other",
    summary: about.summary || path,
    description: about.description ?? "",
    deprecated: about.deprecated === true,
    parameters: (about.parameters ?? []).map((each) => deref(doc, each)),
    body: about.requestBody ? readContent(doc, about.requestBody) : null,
    responses,
    success: responses.find(({ status }) => status.startsWith("2")),
    isPublic: security.length === 0 || security.some((each) => Object.keys(each).length === 0),
    spends: about["x-spends"] === true,
  };
}

// A body or response with the schema of its first media type; JSON first.
function readContent(doc: Doc, source: RawContent | Reference): Content {
  const { description = "", content = {} } = deref(doc, source);
  const kinds = Object.keys(content);
  const kind = kinds.find((each) => each.includes("json")) ?? kinds[0] ?? "";
  return {
    description,
    kind,
    schema: content[kind]?.schema ?? null,
    example: content[kind]?.example,
    streams: kinds.includes("text/event-stream"),
  };
}

function deref<T>(doc: Doc, node: T | Reference): T {
  return "$ref" in (node as object) ? (resolve(doc, (node as Reference).$ref) as T) : (node as T);
}

/** All names and texts of an operation, for the search. */
export function operationWords(doc: Doc, operation: Operation): string {
  const out = [operation.method, operation.path, operation.summary, operation.id, operation.tag, operation.description];
  for (const { name, description = "", schema } of operation.parameters)
    out.push(name, description, schema?.description ?? "");
  const seen = new Set<Schema>();
  collect(doc, operation.body?.schema, out, seen);
  collect(doc, operation.success?.schema, out, seen);
  return out.join("\n").toLowerCase();
}

function collect(doc: Doc, schema: Schema | boolean | null | undefined, out: string[], seen: Set<Schema>) {
  if (!schema || typeof schema !== "object" || seen.has(schema)) return;
  seen.add(schema);
  if (schema.$ref) collect(doc, resolve(doc, schema.$ref) as Schema, out, seen);
  if (schema.description) out.push(schema.description);
  if (schema.enum) out.push(schema.enum.join(" "));
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    out.push(name);
    collect(doc, each, out, seen);
  }
  for (const each of [
    schema.items,
    schema.additionalProperties,
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ])
    collect(doc, each, out, seen);
}
