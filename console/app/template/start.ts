// Starting a template, and what a refused start says.

import { ApiError, post } from "../api";
import { objectOf, textOf } from "../json";
import { useIntent } from "../press";
import type { Issue, Workflow } from "../types";
import { keepStarted } from "../workflow/started";
import { isMedia, type TemplateInput } from "./model";
import type { Values } from "./values";

const ofMedia = /^media_references\[\d+\]\.\w+ (cannot be used: )?/;

/** The inputs with a file from elsewhere: others were uploaded here, or made. */
const withAddress = (inputs: TemplateInput[], values: Values) =>
  inputs.filter(
    ({ name, type }) =>
      isMedia(type) &&
      [values[name]].flat().some((value) => {
        const url = textOf(value) || textOf(objectOf(value).url);
        return /^https?:/.test(url) && !url.startsWith(location.origin);
      }),
  );

/** The errors of a refused start by input, and what is left of them: a message without the places that programs use. */
export function problemsOf(error: Error | undefined, inputs: TemplateInput[], values: Values) {
  const fields: Record<string, string> = {};
  const issues = error instanceof ApiError ? ((error.failure.details?.compileErrors ?? []) as Issue[]) : []; // which details have after a refused start
  const given = withAddress(inputs, values);
  for (const { path = "", message } of issues) {
    const [, input] = /^inputs\.([\w-]+)/.exec(path) ?? [];
    if (input) fields[input] ??= message.replace(/^inputs\./, "");
    else if (ofMedia.test(message) && given.length === 1) fields[given[0].name] ??= message.replace(ofMedia, "");
  }
  if (Object.keys(fields).length) return { fields };
  return { fields, general: issues.length ? issues[0].message.replace(ofMedia, "") : error?.message };
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
