// One worker: what it is and does, its machine now and over time, and what failed on it.

import { useMemo, useState } from "preact/hooks";
import { get } from "../api";
import { ago, bytes, count, lasting, moment, percent, words } from "../format";
import { useChanges, useData, useEvery, useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { Chip, Progress } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import { Failure } from "../parts/notice";
import { Table } from "../parts/table";
import { text } from "../texts/operator";
import type { GPU, GPUHistory, OperatorWorkerDetail, ReportedMachine } from "../types";
import { JobLink, jobsPath } from "./jobs";
import { Standing } from "./standing";
import { Multiples, namesOf, type Shown } from "./multiples";
import { Wallet } from "./parts";
import type { Window } from "./windows";
import { DrainButton, isOfService, nameOf, States } from "./workers";

const t = text.worker;

const degrees = (value: number) => `${Math.round(value)} °C`;
const watts = (value: number) => `${Math.round(value)} W`;

export function WorkerPage({ id }: { id: string }) {
  const worker = useData(
    async (signal) => (await get("/v1/operator/workers/{id}", { path: { id }, signal })).worker,
    [id],
  );
  useChanges(["network"], worker.reload);
  useEvery(15_000, worker.reload);
  const w = worker.data;
  if (worker.error && !w) return <Failure error={worker.error} retry={worker.reload} />;
  if (!w) return <div class="waiting tall" />;
  const isOwn = isOfService(w) && !w.machine; // what is reported is shown
  return (
    <section class="stack">
      <header class="row">
        <h2 class="grow row">
          {nameOf(w)} <States worker={w} />
        </h2>
        <DrainButton worker={w} onDone={worker.reload} />
      </header>
      <p class="row muted">
        <code class="cut">{w.workerId}</code>
        <CopyButton value={w.workerId} />
      </p>
      {worker.error && <Failure error={worker.error} retry={worker.reload} />}
      {w.unavailable && <p>{w.unavailable}</p>}
      <Ended worker={w} />
      <Facts worker={w} />
      <div class="panels">
        <Now jobs={w.jobs} capacity={w.capacity} />
        {isOwn ? <BuiltIn /> : <Machine machine={w.machine} />}
      </div>
      {w.standing && <Standing standing={w.standing} />}
      {!isOwn && <MachineOverTime id={id} />}
      <Failed failures={w.failures} />
    </section>
  );
}

/** How its jobs have ended, and the way to them. */
function Ended({ worker: w }: { worker: OperatorWorkerDetail }) {
  const counts: [string, number, string | undefined][] = [
    [t.completed, w.jobsCompleted, jobsPath({ workerId: w.workerId, state: "completed" })],
    [t.failed, w.jobsFailed, jobsPath({ workerId: w.workerId, state: "failed" })],
    [t.dropped, w.jobsDropped, undefined],
  ];
  return (
    <section class="panel stack">
      <header class="row">
        <h3 class="grow">{t.jobsSince}</h3>
        <a class="small" href={jobsPath({ workerId: w.workerId })}>
          {t.allJobs}
        </a>
      </header>
      <dl class="counts">
        {counts.map(([name, n, path]) => (
          <div key={name}>
            <dt class="small muted">{name}</dt>
            <dd class="figure">{path && n > 0 ? <a href={path}>{count(n)}</a> : count(n)}</dd>
          </div>
        ))}
      </dl>
      {w.jobsDropped > 0 && <p class="small muted">{t.droppedHelp}</p>}
    </section>
  );
}

function Facts({ worker: w }: { worker: OperatorWorkerDetail }) {
  const names = useModelNames();
  const now = useNow();
  return (
    <dl class="facts two panel">
      <Fact name={t.account}>
        <Wallet wallet={w.walletAddress} name={w.username} />
      </Fact>
      <Fact name={text.workers.network}>{words(w.network)}</Fact>
      <Fact name={t.version}>{[w.version, w.machine?.renderer].filter(Boolean).join(" · ") || "–"}</Fact>
      <Fact name={t.connected}>{t.since(lasting(w.connectedAt, now))}</Fact>
      <Fact name={text.workers.seen}>{ago(w.lastSeenAt, now)}</Fact>
      <Fact name={text.workers.loaded}>{w.loadedModels.map(names).join(", ") || t.noneLoaded}</Fact>
      <Fact name={t.switches}>{count(w.modelSwitches)}</Fact>
      <Fact name={t.offers}>
        <details>
          <summary>{t.models(w.models.length)}</summary>
          <ul class="small">
            {w.models.map((model) => (
              <li key={model}>{names(model)}</li>
            ))}
          </ul>
        </details>
      </Fact>
    </dl>
  );
}

function Now({ jobs, capacity }: { jobs: OperatorWorkerDetail["jobs"]; capacity: number }) {
  const names = useModelNames();
  const now = useNow();
  return (
    <section class="panel stack">
      <h3>
        {t.jobs} <span class="muted">{text.workers.of(jobs.length, capacity)}</span>
      </h3>
      {jobs.length === 0 && <p class="muted">{t.idle}</p>}
      {jobs.map((j) => (
        <div key={j.jobId}>
          <p class="row">
            <span class="grow">
              <JobLink id={j.jobId}>{words(j.toolName)}</JobLink>, {names(j.modelId)}
            </span>
            <span class="small muted">
              {ago(j.startedAt, now)} · {percent(j.progress)}
            </span>
          </p>
          <Progress label={words(j.toolName)} value={j.progress} />
        </div>
      ))}
    </section>
  );
}

/** In place of the machine of a worker that the service runs itself, which reports none. */
const BuiltIn = () => (
  <section class="panel stack">
    <h3>{t.machine}</h3>
    <p class="muted">
      {t.builtIn} <a href="/operator">{t.toNodes}</a>
    </p>
  </section>
);

/** The machine as it was last reported. */
function Machine({ machine: m }: { machine: ReportedMachine | null }) {
  const now = useNow();
  if (!m)
    return (
      <section class="panel stack">
        <h3>{t.machine}</h3>
        <p class="muted">{t.noMachine}</p>
      </section>
    );
  return (
    <section class="panel stack">
      <header class="row">
        <h3 class="grow">{t.machine}</h3>
        <span class="small muted">{ago(m.reportedAt, now)}</span>
      </header>
      {m.gpus.map((gpu, i) => (
        <Card key={i} gpu={gpu} name={m.gpus.length > 1 ? t.gpu(i) : undefined} />
      ))}
      {m.diskFreeBytes !== null && <Disk free={m.diskFreeBytes} total={m.diskTotalBytes} />}
    </section>
  );
}

function Card({ gpu, name }: { gpu: GPU; name?: string }) {
  const { memoryTotalBytes: total, memoryFreeBytes: free } = gpu;
  return (
    <div class="stack">
      <p class="row">
        <strong class="grow cut">{[name, gpu.name].filter(Boolean).join(": ")}</strong>
        {gpu.temperatureCelsius !== null && (
          <Chip tone={gpu.temperatureCelsius >= hot ? "bad" : ""}>{degrees(gpu.temperatureCelsius)}</Chip>
        )}
        {gpu.powerWatts !== null && <Chip>{watts(gpu.powerWatts)}</Chip>}
      </p>
      {total !== null && free !== null && (
        <Level name={t.memory} text={t.usedOf(bytes(total - free), bytes(total))} part={total && 1 - free / total} />
      )}
    </div>
  );
}

/** The bar is of what is used, as those of the GPUs are. */
const Disk = ({ free, total }: { free: number; total: number | null }) =>
  total ? (
    <Level
      name={t.diskUsed}
      text={`${t.usedOf(bytes(total - free), bytes(total))} · ${t.free(bytes(free))}`}
      part={1 - free / total}
    />
  ) : (
    <Level name={t.diskUsed} text={t.free(bytes(free))} part={null} />
  );

/** From where a GPU is too warm, as the alert has it. */
const hot = 90;

function Level({ name, text, part }: { name: string; text: string; part: number | null }) {
  return (
    <div>
      <p class="row small">
        <span class="grow nowrap">{name}</span>
        <span class="tabular">{text}</span>
      </p>
      {part !== null && <Progress label={name} value={part} />}
    </div>
  );
}

function MachineOverTime({ id }: { id: string }) {
  const [window, setWindow] = useState<Window>("hour");
  const history = useData(
    async (signal) =>
      (await get("/v1/operator/workers/{id}/history", { path: { id }, query: { window }, signal })).history.points,
    [id, window],
  );
  useEvery(60_000, history.reload);
  const points = history.data;
  const drawn = useMemo(() => {
    if (!points) return;
    const cards = Math.max(0, ...points.map((p) => p.gpus.length));
    const ofGPUs = (title: string, of: (gpu: GPUHistory) => number | null, format: Shown["format"]): Shown => ({
      title,
      format,
      series: Array.from({ length: cards }, (_, i) => ({
        label: cards > 1 ? t.gpu(i) : title,
        values: points.map((p) => (p.gpus[i] ? of(p.gpus[i]) : null)),
      })),
    });
    const all: Shown[] = [
      ofGPUs(t.memory, (gpu) => gpu.memoryUsedBytes, bytes),
      ofGPUs(t.temperature, (gpu) => gpu.temperatureCelsius, degrees),
      ofGPUs(t.power, (gpu) => gpu.powerWatts, watts),
      { title: t.disk, format: bytes, series: [{ label: t.disk, values: points.map((p) => p.diskFreeBytes) }] },
    ];
    const plots = all.filter((plot) => plot.series.some((s) => s.values.some((value) => value !== null)));
    return { times: points.map((p) => p.at), steps: namesOf(window), isEmpty: plots.length === 0, plots };
  }, [points]);
  return (
    <Multiples
      window={window}
      onWindow={setWindow}
      error={history.error}
      reload={history.reload}
      drawn={drawn}
      none={t.noHistory}
    />
  );
}

function Failed({ failures }: { failures: OperatorWorkerDetail["failures"] }) {
  const names = useModelNames();
  const now = useNow();
  return (
    <section class="panel stack">
      <h3>{t.failures}</h3>
      {failures.length === 0 ? (
        <p class="muted">{t.noFailures}</p>
      ) : (
        <Table
          label={t.failures}
          rows={failures}
          keyOf={(f) => f.jobId}
          columns={[
            {
              name: text.jobs.model,
              cell: (f) => (
                <JobLink id={f.jobId}>{f.modelId === f.toolName ? words(f.modelId) : names(f.modelId)}</JobLink>
              ),
            },
            { name: text.jobs.error, cell: (f) => `${f.code}: ${f.message}` },
            { name: t.ended, cell: (f) => <span title={moment(f.endedAt)}>{ago(f.endedAt, now)}</span> },
          ]}
        />
      )}
    </section>
  );
}
