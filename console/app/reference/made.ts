// What a request has started, so that its answer leads there.

import { encoded } from "../api";
import * as json from "../json";
import type { Answer } from "./request";

export interface Made {
  kind: "workflow" | "conversation";
  path: string;
}

const started = /^20[12]\b/;

/** The workflow or the conversation that an answer says was started; undefined of any other. */
export function madeBy(method: string, { status, body }: Pick<Answer, "status" | "body">): Made | undefined {
  if (method !== "POST" || !started.test(status)) return undefined;
  const data = json.objectOf(json.objectOf(parsed(body)).data);
  const workflow = json.textOf(json.objectOf(data.workflow).workflowId);
  if (workflow) return { kind: "workflow", path: encoded`/workflows/${workflow}` };
  const conversation = json.textOf(json.objectOf(data.run).sessionId);
  return conversation ? { kind: "conversation", path: encoded`/chat/${conversation}` } : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // not there yet, or cut
  }
}
