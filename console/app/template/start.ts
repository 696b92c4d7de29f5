// Starting a template, and what a refused start says.

import { useRef } from "preact/hooks";
import { ApiError, post, randomId } from "../api";
import type { Workflow } from "../workflow/model";
import type { Values } from "./inputs";

/** The errors of a refused start by input, and those that belong to none. */
export function problemsOf(error: unknown): { fields: Record<string, string>; general?: Error } {
  const fields: Record<string, string> = {};
  const issues: { path?: string; message: string }[] = error instanceof ApiError ? error.body?.details?.compileErrors ?? [] : [];
  for (const issue of issues) {
    const match = /^inputs\.([\w-]+)/.exec(issue.path ?? "");
    if (match) fields[match[1]] ??= issue.message.replace(/^inputs\./, "");
  }
  return { fields, general: Object.keys(fields).length ? undefined : (error as Error) };
}

/** A function that starts a template. Its key stays the same until the request changes or is refused. */
export function useStart(): (templateId: string, inputs: Values) => Promise<Workflow> {
  const intent = useRef({ request: "", key: "" });
  return async (templateId, inputs) => {
    const body = { workflow_id: templateId, inputs, app_source: "console" };
    const request = JSON.stringify(body);
    if (intent.current.request !== request) intent.current = { request, key: randomId() };
    try {
      const answer = await post("/v1/creative-agent/workflows", body, { idempotencyKey: intent.current.key });
      intent.current.request = "";
      return answer.workflow;
    } catch (error) {
      if (error instanceof ApiError && error.status) intent.current.request = "";
      throw error;
    }
  };
}
