// Reading templates and tools.

import { get } from "../api";
import { session } from "../session";
import type { Template, TemplatesReply } from "../types";
import type { Tool } from "./model";

/** All templates that the account sees, its own or the public ones: there are few enough. */
export async function loadTemplates(visibility: "all" | "own" | "public", signal?: AbortSignal): Promise<Template[]> {
  const out: Template[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page: TemplatesReply = await get("/v1/creative-agent/workflows/templates", {
      query: { visibility, offset, limit: 100 },
      signal,
    });
    out.push(...page.templates);
    offset = page.next;
  }
  return out;
}

/** What a template is found by beside its name. */
export const aboutTemplate = ({ brief, description, tags }: Template) => [brief, description, ...tags].join(" ");

export const isOwn = (template: Template) =>
  typeof template.author === "object" &&
  template.author.userId.toLowerCase() === session.value?.walletAddress.toLowerCase();

/** The tools that a step can run by their names. */
export async function loadTools(signal?: AbortSignal): Promise<Map<string, Tool>> {
  const { tools } = await get("/v1/tools", { signal });
  return new Map(
    tools
      .filter((tool) => tool.runs !== "sync")
      .map((tool) => [tool.name, { ...tool, arguments: tool.arguments.map((a) => ({ ...a, name: a.name ?? "" })) }]),
  );
}
