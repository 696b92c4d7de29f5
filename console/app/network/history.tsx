// What the network did, by day.

import { useMemo } from "preact/hooks";
import { get } from "../api";
import { count } from "../format";
import { useData } from "../hooks";
import { Choices } from "../parts/field";
import { Failure } from "../parts/notice";
import Plot from "../parts/plot";
import { text } from "../texts/network";
import { readChart } from "./chart";

const ranges = [7, 30, 90] as const;

/** The number of days that an address asks for. */
export const rangeOf = (days: string | undefined): number => ranges.find((n) => String(n) === days) ?? 30;

export function History({ days, onDays }: { days: number; onDays: (value: string) => void }) {
  const history = useData(
    async (signal) => {
      const chart = (names: string) =>
        get("/v1/analytics/chart/daily/events/query", { query: { query: names, count: days }, signal });
      const [jobs, online] = await Promise.all([
        chart("jobCompleteWorker,jobErrorWorker"),
        chart("workerOnlineSnapshotFast,workerOnlineSnapshotRelaxed"),
      ]);
      return { jobs: readChart(jobs, 2), online: readChart(online, 2) };
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
            <p class="small muted">{text.jobsHelp}</p>
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
            <p class="small muted">{text.onlineHelp}</p>
          </div>
        </div>
      ) : (
        <div class="waiting tall" />
      )}
    </section>
  );
}
