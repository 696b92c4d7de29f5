// Starting a template: what it would cost, and the start itself.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post, randomId } from "../api";
import { useSettled } from "../hooks";
import type { Workflow } from "../workflow/model";
import { filled, lacking, type Values } from "./inputs";
import type { TemplateInput } from "./model";

export interface Estimate {
  cost: { spark?: string; usd?: string };
  coveredByPlan?: boolean;
  sufficient?: boolean;
  warnings?: (string | { message: string })[];
}

/** The estimated cost of a start with these values, once they are complete. */
export function useEstimate(templateId: string, inputs: TemplateInput[], values: Values): Estimate | undefined {
  const settled = useSettled(values, 600);
  const [estimate, setEstimate] = useState<Estimate>();
  useEffect(() => {
    setEstimate(undefined);
    if (!templateId || Object.keys(lacking(inputs, settled)).length) return;
    const abort = new AbortController();
    post("/v1/creative-agent/workflows/estimate", { workflow_id: templateId, inputs: filled(inputs, settled) }, { signal: abort.signal }).then((data) => setEstimate(data.estimate), () => {});
    return () => abort.abort();
  }, [templateId, settled]);
  return estimate;
}

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
