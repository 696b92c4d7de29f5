// The tools that a stage is made of, in the order in which people look for them.

import { words } from "../format";
import { rank } from "../parts/rank";
import type { Tool } from "../template/model";
import { describe } from "../texts/arguments";
import { kindName } from "../texts/builder";
import type { Tools } from "./connect";

export const toolName = (tool: Tool) => words(tool.name);

/** What a tool does. */
export const descriptionOf = (tool: Tool) =>
  describe(
    tool.description,
    tool.arguments.map((argument) => argument.name),
  );

const kinds = ["image", "video", "audio", "model", "json"];
const makes = /^generate_/; // most templates begin with one of these

/** The tools that a stage is made of, by what they make. Those of a conversation make nothing in a template. */
export const offered = (tools: Tools) =>
  [...tools.values()]
    .filter((tool) => tool.runs !== "session")
    .sort(
      (a, b) =>
        kinds.indexOf(a.produces ?? "") - kinds.indexOf(b.produces ?? "") ||
        Number(makes.test(b.name)) - Number(makes.test(a.name)),
    );

/** The tools for a term, the best first: what makes something new of the kind that is named comes before all else. */
export function findTools(tools: Tool[], term: string): Tool[] {
  const found = rank(tools, term, toolName, (tool) => `${descriptionOf(tool)} ${kindName(tool.produces ?? "")}`);
  const wanted = term.trim().toLowerCase();
  const isNamed = (tool: Tool) =>
    makes.test(tool.name) &&
    [tool.name.replace(makes, ""), kindName(tool.produces ?? "").toLowerCase()].some((name) => name.startsWith(wanted));
  return [...found.filter(isNamed), ...found.filter((tool) => !isNamed(tool))];
}
