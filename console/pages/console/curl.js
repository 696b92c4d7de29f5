// The curl line of an operation.

import { bodyText } from "./sample.js";

/** The placeholder of a name in a shell command: WORKFLOW_ID for workflowId. */
export function placeholder(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/\W/g, "_").toUpperCase();
}

function given({ parameters }, name) {
  return parameters.find((parameter) => parameter.in === "path" && parameter.name === name)?.example;
}

/** The path with its query. Values not given stay placeholders where they are needed. */
export function address(operation, values = {}) {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] || given(operation, name) || placeholder(name)));
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && (parameter.required || values[parameter.name]))
    .map(({ name, example }) => `${encodeURIComponent(name)}=${encodeURIComponent(values[name] || example || placeholder(name))}`);
  return filled + (query.length > 0 ? `?${query.join("&")}` : "");
}

/**
 * The command. It goes to the origin that the reader's browser has reached,
 * which works for them whatever name the service gives itself.
 */
export function curl(doc, operation, values = {}, body = bodyText(doc, operation)) {
  const lines = [`curl ${operation.streams ? "-N " : ""}${quote(location.origin + address(operation, values))}`];
  if (operation.method !== "GET") lines.push(`-X ${operation.method}`);
  if (!operation.isPublic) lines.push(`-H "Authorization: Bearer $ATELIER_API_KEY"`);
  for (const { name } of operation.parameters.filter((parameter) => parameter.in === "header")) {
    if (values[name]) lines.push(`-H ${quote(`${name}: ${values[name]}`)}`);
  }
  if (body) lines.push(`-H 'Content-Type: ${operation.body.kind}'`, `-d ${quote(body)}`);
  else if (operation.body?.kind.startsWith("multipart/")) lines.push("-F FIELD=VALUE", "-F file=@FILE");
  else if (operation.body && !operation.body.kind.includes("json")) lines.push("--data-binary @FILE");
  return lines.join(" \\\n  ");
}

// Plain addresses need no quotes; everything else is quoted for a shell.
function quote(text) {
  return /^[\w:/.,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
