// The list of workflows, read page by page and kept up to date.

import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useChanges, useData, usePages } from "../hooks";
import { useThrottled } from "../query";
import type { Status } from "../status";
import { reduce, rowsToRead, type List, type ListEvent } from "./list";
import { readSummary } from "./summary";

/** What the list shows, beside the statuses. */
export interface Selection {
  kind?: string;
  tool?: string;
  model?: string;
  reason?: string;
  q?: string;
  templateId?: string;
  from?: string;
  to?: string;
}

export function useWorkflowList(statuses: Status[], selection: Selection) {
  const load = async (cursor: string | null, signal?: AbortSignal) => {
    const query = { ...selection, status: statuses.join(), cursor, limit: cursor ? 200 : 50 };
    const page = await get("/v1/creative-agent/workflows/summaries", { query, signal });
    return { items: page.workflows, nextCursor: page.nextCursor };
  };
  const deps = Object.values(selection);
  const list = usePages(load, [statuses.join(), ...deps], "workflows");
  const counts = useData(
    (signal) => get("/v1/creative-agent/workflows/counts", { query: { ...selection }, signal }),
    deps,
  );
  const round = useRef("");
  round.current = JSON.stringify([statuses, selection]);
  const latest = useRef<List>({ rows: [], ended: new Set() });
  latest.current = { ...latest.current, rows: list.data ?? [] };
  const send = (event: ListEvent) =>
    list.set((rows) => {
      if (!rows) return rows;
      latest.current = reduce({ ...latest.current, rows }, event);
      return latest.current.rows;
    });

  // The first page is merged into the list: rows that were scrolled to keep their places.
  const refresh: () => void = useThrottled(() => {
    const mine = round.current;
    counts.reload();
    const read = async () => {
      const page = await load(null);
      const rows = rowsToRead(latest.current, page);
      const found = await Promise.all(rows.map((row) => readSummary(row.workflowId, row.createdAt)));
      if (mine !== round.current) return;
      const asked = rows.map((row) => row.workflowId);
      send({ type: "refreshed", page, read: found.filter((row) => row !== undefined), asked, hasMore: list.hasMore });
      if (rowsToRead(latest.current, page).length) refresh();
    };
    read().catch(() => {}); // the next change tries again
  }, 1500);
  const [, redraw] = useState(0);
  useChanges(["workflow"], (change) => {
    if (change.kind === "workflow") send({ type: "changed", change: change.data, statuses });
    redraw((n) => n + 1);
    refresh();
  });
  useEffect(() => {
    if (list.isKept) refresh();
  }, []);
  useEffect(() => {
    if (list.data?.length === 0 && list.hasMore) list.reload(); // all that was read has left the list
  }, [list.data, list.hasMore]);
  return { ...list, counts: counts.data };
}
