// Starting a template, and what a refused start says.

import { ApiError, post } from "../api";
import { useIntent } from "../press";
import type { Issue, Workflow } from "../types";
import { keepStarted } from "../workflow/started";
import type { Values } from "./values";

/** The errors of a refused start by input, and those that belong to none. */
export function problemsOf(error: unknown): { fields: Record<string, string>; general?: Error } {
  const fields: Record<string, string> = {};
  const issues = error instanceof ApiError ? ((error.failure.details?.compileErrors ?? []) as Issue[]) : []; // which details have after a refused start
  for (const issue of issues) {
    const match = /^inputs\.([\w-]+)/.exec(issue.path ?? "");
    if (match) fields[match[1]] ??= issue.message.replace(/^inputs\./, "");
  }
  return { fields, general: Object.keys(fields).length ? undefined : (error as Error) };
}

/** A function that starts a template. */
export function useStart(): (templateId: string, inputs: Values) => Promise<Workflow> {
  const intend = useIntent();
  return async (templateId, inputs) => {
    const body = { workflow_id: templateId, inputs, app_source: "console" };
    const { workflow } = await intend(JSON.stringify(body), (idempotencyKey) =>
      post("/v1/creative-agent/workflows", body, { idempotencyKey }),
    );
    keepStarted(workflow);
    return workflow;
  };
}
