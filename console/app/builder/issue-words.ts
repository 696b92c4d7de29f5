// Issues in the words of the forms: the service names places and tools as the document does.

import { words } from "../format";
import type { StageNode } from "../template/derive";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/builder";
import { parsePath, type Issue } from "./document";

/** An issue whose message names its field in words, and its tools as people know them, with its place. */
export function issueInWords(issue: Issue, node: StageNode | undefined, isTool: (name: string) => boolean): Issue {
  const { message, path } = issue;
  const isPlaced = path !== "" && message.startsWith(path + " ");
  const said = (isPlaced ? message.slice(path.length + 1) : message).replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) =>
    isTool(name) ? words(name) : name,
  );
  const field = fieldName(path, node);
  const part = node?.label ?? (path.startsWith("inputs") ? text.inputs : "");
  if (isPlaced) return { ...issue, place: part, message: `${field} ${said}` };
  const isNamed = said.startsWith(field);
  return { ...issue, place: [part, !isNamed && field].filter(Boolean).join(" · "), message: said };
}

/** The name of the field of a place: of an argument, or of what else a stage, an input or the template has. */
function fieldName(path: string, node: StageNode | undefined): string {
  const parts = parsePath(path);
  const argument = node && node.argsPath.every((part, i) => parts[i] === part) && parts[node.argsPath.length];
  if (typeof argument === "string") return labelOf(argument);
  const name = parts.filter((part) => typeof part === "string").at(-1) ?? "";
  return text.fieldNames[name] ?? words(name);
}
