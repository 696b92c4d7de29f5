// The history of a workflow as a file.

import { get } from "../api";
import type { Workflow, WorkflowEvent } from "../types";

/** Saves a workflow with its log. */
export async function exportHistory(workflow: Workflow) {
  const path = { id: workflow.workflowId };
  const events: WorkflowEvent[] = [];
  for (let after: number | undefined; ;) {
    const page = await get("/v1/creative-agent/workflows/{id}/events", { path, query: { after } });
    events.push(...page.events);
    const last = page.events.at(-1)?.sequence;
    if (last === undefined || last === after) break;
    after = last;
  }
  const file = new Blob([JSON.stringify({ workflow, events }, null, 2)], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${workflow.workflowId}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
