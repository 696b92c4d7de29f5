// Compiled, not run: what the types say about events, bodies and answers.

import { Atelier, type AtelierError, type Workflow, type WorkflowStart } from "@atelier-project/client";

const atelier = new Atelier({ baseURL: "http://127.0.0.1:8080", apiKey: "key" });

export const body: WorkflowStart = { input: { steps: [{ id: "a", toolName: "generate_image", arguments: { prompt: "a fox" } }] } };

// @ts-expect-error: a step has a tool
export const wrong: WorkflowStart = { input: { steps: [{ id: "a", arguments: {} }] } };

export async function follow(id: string): Promise<string[]> {
  const urls: string[] = [];
  for await (const event of atelier.workflows.events(id)) {
    if (event.type === "artifact_created") urls.push(event.payload.url);
    if (event.type === "workflow_progress") urls.push(event.payload.progress.toFixed(2));
    // @ts-expect-error: no such event
    if (event.type === "workflow_exploded") urls.push("");
  }
  for await (const event of atelier.runs.events(id)) {
    if (event.type === "assistant_message_text") urls.push(event.content);
    if (event.type === "run_waiting_for_user") urls.push(event.payload.details.toolCallId);
  }
  return urls;
}

export const statusOf = ({ status }: Workflow): "completed" | string => status;
export const fieldOf = ({ field, code }: AtelierError): string => `${field ?? ""} ${code.toFixed()}`;
