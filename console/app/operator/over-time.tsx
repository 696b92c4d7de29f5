// What the nodes have seen in the last hour, day or week: one small plot for each thing.

import { useMemo, useState } from "preact/hooks";
import { get } from "../api";
import { amount, bytes, count, span } from "../format";
import { useData, useEvery } from "../hooks";
import { text } from "../texts/operator";
import type { HistoryPoint } from "../types";
import { Multiples, namesOf, type Shown } from "./multiples";
import type { Window } from "./windows";

const t = text.history;
const mean = (value: number) => amount(value.toFixed(1));

type Field = Exclude<keyof HistoryPoint, "at">;

type Lines = Omit<Shown, "series"> & { lines: { field: Field; label: string; color?: string }[] };

const plots: Lines[] = [
  {
    title: t.queue,
    lines: [
      { field: "queued", label: t.queued },
      { field: "active", label: t.active },
    ],
    format: mean,
    isCount: true,
  },
  {
    title: t.wait,
    lines: [
      { field: "waitP50Seconds", label: t.half },
      { field: "waitP95Seconds", label: t.most, color: "--violet" },
    ],
    format: span,
  },
  {
    title: t.renders,
    lines: [{ field: "completed", label: t.completed, color: "--good" }],
    format: count,
    isCount: true,
    isSum: true,
  },
  {
    title: t.failures,
    lines: [{ field: "failed", label: t.failed, color: "--bad" }],
    format: count,
    isCount: true,
    isSum: true,
  },
  { title: t.workers, lines: [{ field: "workers", label: text.health.workers }], format: mean, isCount: true },
  { title: t.nodes, lines: [{ field: "nodes", label: text.health.nodes }], format: mean, isCount: true },
  { title: t.memory, lines: [{ field: "memoryBytes", label: t.memoryMost }], format: bytes },
  { title: t.disk, lines: [{ field: "freeBytes", label: t.diskLeast }], format: bytes },
];

export function OverTime() {
  const [window, setWindow] = useState<Window>("hour");
  const history = useData(
    async (signal) => (await get("/v1/operator/history", { query: { window }, signal })).history.points,
    [window],
  );
  useEvery(60_000, history.reload);
  const points = history.data;
  const drawn = useMemo(
    () =>
      points && {
        times: points.map((point) => point.at),
        steps: namesOf(window),
        isEmpty: points.every((point) => point.nodes === null),
        plots: plots.map(({ lines, ...plot }) => ({
          ...plot,
          series: lines.map(({ field, ...line }) => ({ ...line, values: points.map((point) => point[field]) })),
        })),
      },
    [points],
  );
  return (
    <Multiples
      window={window}
      onWindow={setWindow}
      error={history.error}
      reload={history.reload}
      drawn={drawn}
      none={t.noneHelp}
      help={t.renderHelp}
    />
  );
}
