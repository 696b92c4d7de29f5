// The list of workflows as it is scrolled through: pages that were read, and what the stream says of them.

import { isOver, type Status } from "../status";
import type { ChangedWorkflow, WorkflowSummary } from "../types";

export interface Page {
  items: WorkflowSummary[];
  nextCursor: string | null;
}

export interface List {
  rows: WorkflowSummary[];
  /** Workflows that are over, and whose rows are read again: the stream does not tell their steps and cost. */
  ended: ReadonlySet<string>;
}

export type ListEvent =
  /** The stream says that a workflow has changed; statuses are those that the list shows, none for all. */
  | { type: "changed"; change: ChangedWorkflow; statuses: Status[] }
  /** The newest page was read again, and rows after it one by one. */
  | { type: "refreshed"; page: Page; read: WorkflowSummary[]; asked: string[]; hasMore: boolean };

/** The list after an event. */
export function reduce(list: List, event: ListEvent): List {
  if (event.type === "changed") {
    const { change, statuses } = event;
    const isGone =
      statuses.length > 0 &&
      !statuses.includes(change.status) &&
      list.rows.some((row) => row.workflowId === change.workflowId);
    return {
      rows: isGone ? list.rows.filter((row) => row.workflowId !== change.workflowId) : list.rows,
      ended: isOver(change.status) ? new Set([...list.ended, change.workflowId]) : list.ended,
    };
  }
  const { page, read, asked, hasMore } = event;
  const fresh = new Map(read.map((row) => [row.workflowId, row]));
  const rows = fresh.size ? list.rows.map((row) => fresh.get(row.workflowId) ?? row) : list.rows;
  const done = new Set([...asked, ...page.items.map((row) => row.workflowId)]);
  const merged = merge(rows, page, hasMore);
  const left = new Set(merged.map((row) => row.workflowId));
  return { rows: merged, ended: new Set([...list.ended].filter((id) => !done.has(id) && left.has(id))) };
}

const mostRead = 20; // rows that are read one by one, at a time

/** The rows that are read one by one after a page: of workflows that are over and that the page does not have. */
export function rowsToRead(list: List, page: Page): WorkflowSummary[] {
  if (!list.ended.size) return [];
  const shown = new Set(page.items.map((row) => row.workflowId));
  return list.rows
    .filter((row) => list.ended.has(row.workflowId) && !shown.has(row.workflowId) && isAfter(page, row))
    .slice(0, mostRead);
}

const madeAt = (row: WorkflowSummary) => Date.parse(row.createdAt);

/** Compares the places of rows in the list: the newest is first. */
const compare = (a: WorkflowSummary, b: WorkflowSummary) =>
  madeAt(b) - madeAt(a) || (a.workflowId < b.workflowId ? 1 : a.workflowId > b.workflowId ? -1 : 0);

/** Reports whether a row is after the ones of a page. */
const isAfter = (page: Page, row: WorkflowSummary) =>
  page.nextCursor !== null && (!page.items.length || compare(row, page.items.at(-1)!) > 0);

/**
 * Puts the newest page before what follows it in the list. Rows that the page does not have
 * any more no longer match. Only the beginning is looked at, not all that was scrolled through.
 */
function merge(old: WorkflowSummary[], page: Page, hasMore: boolean): WorkflowSummary[] {
  const at = old.findIndex((row) => isAfter(page, row));
  if (at >= 0) return [...page.items, ...old.slice(at)];
  const last = old.at(-1);
  return hasMore && last ? page.items.filter((row) => compare(row, last) <= 0) : page.items; // what follows is not read yet
}
