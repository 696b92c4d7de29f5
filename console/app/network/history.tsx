// What the network did, by day.

import { useMemo } from "preact/hooks";
import { get } from "../api";
import { count } from "../format";
import { useData } from "../hooks";
import { Choices } from "../parts/field";
import { Failure } from "../parts/notice";
import Plot from "../parts/plot";
import { text } from "../texts/network";
import type { EventChartReply } from "../types";

const ranges = [7, 30, 90] as const;

/** The number of days that an address asks for. */
export const rangeOf = (days: string | undefined): number => ranges.find((n) => String(n) === days) ?? 30;

/** Turns a chart of the analytics into days and one list of values for each field. */
function read(chart: EventChartReply, fields: number) {
  const keys = Object.keys(chart.analytics).sort((a, b) => Number(a) - Number(b));
  const at = (key: string, i: number) => Number([chart.analytics[key]].flat()[i] ?? 0);
  return {
    days: keys.map((key) => new Date(Number(key) * 1000).toISOString().slice(0, 10)),
    values: Array.from({ length: fields }, (_, i) => keys.map((key) => at(key, i))),
  };
}

export function History({ days, onDays }: { days: number; onDays: (value: string) => void }) {
  const history = useData(
    async (signal) => {
      const chart = (names: string) =>
        get("/v1/analytics/chart/daily/events/query", { query: { query: names, count: days }, signal });
      const [jobs, online] = await Promise.all([
        chart("jobCompleteWorker,jobErrorWorker"),
        chart("workerOnlineSnapshotFast,workerOnlineSnapshotRelaxed"),
      ]);
      return { jobs: read(jobs, 2), online: read(online, 2) };
    },
    [days],
  );
  const plots = useMemo(
    () =>
      history.data && {
        jobs: [
          { label: text.completed, color: "--good", values: history.data.jobs.values[0] },
          { label: text.failed, color: "--bad", values: history.data.jobs.values[1] },
        ],
        online: [
          { label: text.fast, values: history.data.online.values[0] },
          { label: text.relaxed, values: history.data.online.values[1] },
        ],
      },
    [history.data],
  );
  return (
    <section class="stack history">
      <header class="row">
        <h2 class="grow">{text.history}</h2>
        <Choices
          label={text.range}
          value={String(days)}
          onInput={onDays}
          options={ranges.map((n) => ({ value: String(n), label: text.days(n) }))}
        />
      </header>
      {history.error && <Failure error={history.error} retry={history.reload} />}
      {plots ? (
        <div class="panels">
          <div class="panel">
            <Plot title={text.jobs} days={history.data!.jobs.days} series={plots.jobs} format={count} isCount />
          </div>
          <div class="panel">
            <Plot
              title={text.online}
              days={history.data!.online.days}
              series={plots.online}
              format={count}
              isCount
              isLevel
            />
          </div>
        </div>
      ) : (
        <div class="waiting tall" />
      )}
    </section>
  );
}
