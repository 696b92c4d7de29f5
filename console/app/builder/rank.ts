// The order of the tools that a search finds.

import { words } from "../format";
import type { Tool } from "../template/model";

/**
 * The tools that have a term in their name or description. Those whose name begins with it come first, then those that
 * have it at the beginning of a word of their name, elsewhere in their name, and only in their description.
 */
export function rank(tools: Tool[], term: string): Tool[] {
  const wanted = term.trim().toLowerCase().replaceAll("_", " ");
  const place = (tool: Tool) => {
    const name = words(tool.name).toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (` ${name}`.includes(` ${wanted}`)) return 1;
    if (name.includes(wanted)) return 2;
    return tool.description.toLowerCase().includes(wanted) ? 3 : 4;
  };
  return tools.filter((tool) => place(tool) < 4).sort((a, b) => place(a) - place(b)); // otherwise as they were
}
