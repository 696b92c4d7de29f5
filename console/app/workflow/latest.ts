// What the stream has said about workflows. Rows of a list are combined with it when they are
// drawn, so that a change costs the same in a list of any length.

import { onChange } from "../live";
import { isOver } from "../status";
import type { ChangedWorkflow, WorkflowSummary } from "../types";

interface News {
  data: ChangedWorkflow;
  /** The row that it was combined with, and the result. */
  of?: WorkflowSummary;
  row?: WorkflowSummary;
}

const news = new Map<string, News>(); // by workflow
const most = 5_000;

onChange((change) => {
  if (change.kind !== "workflow") return;
  const { data } = change;
  news.delete(data.workflowId);
  news.set(data.workflowId, { data });
  if (news.size > most) news.delete(news.keys().next().value!);
});

/**
 * A row as it is now. The same row gives the same object until something changes. That a
 * workflow is over is shown with its steps and its cost, which the stream does not tell: when
 * the row is read again.
 */
export function latest(row: WorkflowSummary): WorkflowSummary {
  const n = news.get(row.workflowId);
  if (!n) return row;
  if (n.of !== row) {
    n.of = row;
    n.row =
      Date.parse(n.data.updatedAt) >= Date.parse(row.updatedAt) && !isOver(n.data.status) ? { ...row, ...n.data } : row;
  }
  return n.row!;
}
