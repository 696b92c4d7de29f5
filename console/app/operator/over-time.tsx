// What the nodes have seen in the last hour, day or week: one small plot for each thing.

import { useMemo, useState } from "preact/hooks";
import { get } from "../api";
import { amount, bytes, count, span } from "../format";
import { useData, useEvery } from "../hooks";
import { Choices } from "../parts/field";
import { Empty, Failure } from "../parts/notice";
import Plot, { type Series } from "../parts/plot";
import { text } from "../texts/operator";
import type { HistoryPoint } from "../types";
import { stepsOf, windows, type Window } from "./windows";

const t = text.history;
const mean = (value: number) => amount(value.toFixed(1));

type Field = Exclude<keyof HistoryPoint, "at">;

interface Shown {
  title: string;
  lines: { field: Field; label: string; color?: string }[];
  format: (value: number) => string;
  isCount?: boolean;
  /** It is counted by step, and drawn as bars. */
  isSum?: boolean;
}

const plots: Shown[] = [
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
  const drawn = useMemo(() => {
    if (!points) return;
    const series = ({ lines }: Shown): Series[] =>
      lines.map(({ field, label, color }) => ({ label, color, values: points.map((point) => point[field]) }));
    return {
      times: points.map((point) => point.at),
      steps: { kind: t.time, total: t.sum, ...stepsOf(window, document.documentElement.lang || "en") },
      isEmpty: points.every((point) => point.nodes === null),
      series: plots.map(series),
    };
  }, [points]);
  return (
    <section class="stack history">
      <header class="row">
        <h2 class="grow">{t.title}</h2>
        <Choices
          label={t.window}
          value={window}
          onInput={(value) => setWindow(value as Window)}
          options={windows.map((value) => ({ value, label: t.windows[value] }))}
        />
      </header>
      {history.error && <Failure error={history.error} retry={history.reload} />}
      {!drawn && !history.error && <div class="waiting tall" />}
      {drawn?.isEmpty && <Empty title={t.none}>{t.noneHelp}</Empty>}
      {drawn && !drawn.isEmpty && (
        <div class="multiples">
          {plots.map((plot, i) => (
            <div class="panel" key={plot.title}>
              <Plot
                title={plot.title}
                days={drawn.times}
                steps={drawn.steps}
                series={drawn.series[i]}
                format={plot.format}
                isCount={plot.isCount}
                isLevel={!plot.isSum}
                isLine={!plot.isSum}
              />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}
