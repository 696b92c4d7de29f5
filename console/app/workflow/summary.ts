// One workflow as lists show it, with its estimated cost, which the snapshot does not have.

import { get } from "../api";
import type { WorkflowSummary } from "../types";

export async function readSummary(
  workflowId: string,
  createdAt: string,
  signal?: AbortSignal,
): Promise<WorkflowSummary | undefined> {
  const to = new Date(Date.parse(createdAt) + 1).toISOString();
  const page = await get("/v1/creative-agent/workflows/summaries", {
    query: { from: createdAt, to, limit: 200 },
    signal,
  });
  return page.workflows.find((row) => row.workflowId === workflowId);
}
