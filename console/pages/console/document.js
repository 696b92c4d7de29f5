// The API's document, arranged for reading: groups of operations.

import { fresh } from "./sample.js";
import { resolve } from "./schema.js";

const methods = ["get", "post", "put", "patch", "delete", "head", "options"];

/** The groups in the order of the document's tags, each with its operations. */
export function groups(doc) {
  const out = new Map((doc.tags ?? []).map((tag) => [tag.name, { name: tag.name, description: tag.description ?? "", operations: [] }]));
  for (const [path, item] of Object.entries(doc.paths ?? {})) {
    for (const method of methods) {
      if (!item[method]) continue;
      const found = operation(doc, path, method, item);
      if (!out.has(found.tag)) out.set(found.tag, { name: found.tag, description: "", operations: [] });
      out.get(found.tag).operations.push(found);
    }
  }
  return [...out.values()].filter((group) => group.operations.length > 0);
}

function operation(doc, path, method, item) {
  const about = fresh(item[method]);
  const security = about.security ?? doc.security ?? [];
  const parameters = [...(item.parameters ?? []), ...(about.parameters ?? [])].map((each) => deref(doc, each));
  const responses = Object.entries(about.responses ?? {}).map(([status, response]) => ({ status, ...media(doc, response) }));
  const success = responses.find(({ status }) => status.startsWith("2"));
  return {
    id: about.operationId ?? `${method}${path}`.replace(/\W+/g, "-"),
    method: method.toUpperCase(),
    path,
    tag: about.tags?.[0] ?? "Other",
    summary: about.summary || path,
    description: about.description ?? "",
    deprecated: about.deprecated === true,
    parameters,
    body: about.requestBody ? media(doc, about.requestBody) : null,
    responses,
    success,
    isPublic: security.length === 0 || security.some((each) => Object.keys(each).length === 0),
    schemes: [...new Set(security.flatMap((each) => Object.keys(each)))],
    streams: success?.kind === "text/event-stream",
  };
}

// A body or response with the schema of its first media type; JSON first.
function media(doc, source) {
  const { description = "", required = false, content = {} } = deref(doc, source);
  const kinds = Object.keys(content);
  const kind = kinds.find((each) => each.includes("json")) ?? kinds[0] ?? "";
  return { description, required, kind, kinds, schema: content[kind]?.schema ?? null, example: content[kind]?.example };
}

function deref(doc, node) {
  return node.$ref ? resolve(doc, node.$ref) : node;
}
