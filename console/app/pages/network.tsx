// The workers, what each is doing, the queue by model, and the history of the network.

import { useLocation } from "preact-iso/router";
import { encoded, get } from "../api";
import { ago, count, lasting, words } from "../format";
import { useChanges, useData, useNow, useTitle } from "../hooks";
import { useModelNames } from "../models/names";
import { capacityOf, takesJobs } from "../network/capacity";
import { History, rangeOf } from "../network/history";
import { Chip, Progress } from "../parts/chip";
import { Guide } from "../parts/guide";
import { Empty, Failure } from "../parts/notice";
import { Table } from "../parts/table";
import { session } from "../session";
import { text } from "../texts/network";
import { text as common } from "../texts/shell";
import type { NetworkModel, NetworkWorker } from "../types";

export default function Network() {
  useTitle(text.title);
  const { query, path, route } = useLocation();
  const model = query.model ?? "";
  const days = rangeOf(query.days);
  const go = (changes: Record<string, string>) => {
    const next = new URLSearchParams({ ...query, ...changes });
    for (const [name, value] of [...next]) if (!value) next.delete(name);
    route(`${path}?${next}`, true);
  };
  const network = useData((signal) => get("/v1/network", { signal }), []);
  useChanges(["network"], network.reload);
  const names = useModelNames();
  const workers = (network.data?.workers ?? []).filter((w) => !model || w.models.includes(model));
  const connected = workers.filter((w) => !isPreview(w));
  return (
    <>
      <header class="page-head">
        <h1>{text.title}</h1>
      </header>
      {network.error && <Failure error={network.error} retry={network.reload} />}
      {!network.data && !network.error && <div class="waiting tall" role="status" aria-label={common.loading} />}
      {network.data && (
        <section class="stack">
          <header class="row">
            <h2>
              {text.workers}{" "}
              <span class="muted">
                {text.counted(
                  connected.length,
                  connected.filter((w) => w.fallback).length,
                  workers.length - connected.length,
                )}
              </span>
            </h2>
            {model && (
              <Chip tone="accent">
                {text.onlyModel} {names(model)}
              </Chip>
            )}
            {model && (
              <button class="quiet" onClick={() => go({ model: "" })}>
                {text.all}
              </button>
            )}
          </header>
          <p class="small muted">{text.workersHelp}</p>
          {workers.length === 0 && (
            <Empty title={text.noWorkers}>
              <code>{text.noWorkersHelp}</code>
            </Empty>
          )}
          <ul class="workers">
            {connected.map((worker, i) => (
              <WorkerCard key={worker.workerId ?? `${worker.name} ${i}`} worker={worker} />
            ))}
            {workers.some(isPreview) && <PreviewCard workers={workers.filter(isPreview)} />}
          </ul>
          {!model && !connected.length && (
            <p class="small">
              {text.connect} <Guide page="own-gpu">{text.connectGuide}</Guide>
              {session.value?.operator && (
                <>
                  {" "}
                  · <a href="/operator/connections">{text.connectServer}</a>
                </>
              )}
            </p>
          )}
        </section>
      )}
      {network.data && (
        <Demand models={network.data.models} workers={network.data.workers} onModel={(id) => go({ model: id })} />
      )}
      <History days={days} onDays={(value) => go({ days: value })} />
    </>
  );
}

/** The renderers that draw without a model, which the service brings along: they are of one kind. */
const isPreview = (worker: NetworkWorker) => worker.fallback && worker.builtIn;

function PreviewCard({ workers }: { workers: NetworkWorker[] }) {
  const now = useNow();
  const jobs = workers.flatMap((worker) => worker.jobs);
  const drained = workers.filter((worker) => worker.draining).length;
  const lastSeen = workers
    .map((worker) => worker.lastSeenAt)
    .sort()
    .at(-1);
  return (
    <li class="worker">
      <p class="row">
        <strong class="grow cut">{text.previews}</strong>
        <Chip>{text.fallback}</Chip>
        {drained > 0 && <Chip tone="warn">{text.drained(drained)}</Chip>}
      </p>
      <p class="small muted">
        {[
          text.cpu,
          text.workerCount(workers.length),
          text.models(new Set(workers.flatMap((worker) => worker.models)).size),
          `${text.seen} ${ago(lastSeen, now)}`,
        ].join(" · ")}
      </p>
      <p class="small muted">{text.previewsHelp}</p>
      <WorkerJobs jobs={jobs} capacity={capacityOf(workers)} />
    </li>
  );
}

/** What a worker renders on, where it is known. */
function machineOf({ fallback, gpu }: NetworkWorker): string {
  if (fallback) return text.cpu;
  if (gpu === "vendor") return text.vendor;
  return gpu && gpu !== "none" ? text.gpu(gpu) : "";
}

function WorkerCard({ worker }: { worker: NetworkWorker }) {
  const now = useNow();
  return (
    <li class="worker">
      <p class="row">
        <strong class="grow cut">
          {session.value?.operator && worker.workerId ? (
            <a href={encoded`/operator/workers/${worker.workerId}`}>{worker.name}</a>
          ) : (
            worker.name
          )}
        </strong>
        {worker.own && <Chip tone="good">{text.yours}</Chip>}
        {worker.fallback && <Chip>{text.fallback}</Chip>}
        {worker.draining && <Chip tone="warn">{text.draining}</Chip>}
        {worker.unavailable && <Chip tone="warn">{text.unavailable}</Chip>}
        {worker.notClaimingSince && <Chip tone="warn">{text.notClaiming(lasting(worker.notClaimingSince, now))}</Chip>}
        {worker.standing?.low && <Chip tone="warn">{text.lowStanding}</Chip>}
      </p>
      {worker.fallback && <p class="small muted">{text.fallbackHelp}</p>}
      {worker.unavailable && <p class="small">{worker.unavailable}</p>}
      {worker.standing?.reason && <p class="small">{worker.standing.reason}</p>}
      <p class="small muted">
        {[
          text.onNetwork(worker.network),
          machineOf(worker),
          worker.version && text.version(worker.version),
          text.models(worker.models.length),
          `${text.seen} ${ago(worker.lastSeenAt, now)}`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <WorkerJobs jobs={worker.jobs} capacity={capacityOf([worker])} />
    </li>
  );
}

/** What is rendered, and how much more could be. */
function WorkerJobs({ jobs, capacity }: { jobs: NetworkWorker["jobs"]; capacity: number }) {
  const now = useNow();
  const names = useModelNames();
  const load = capacity > 1 ? text.of(jobs.length, capacity) : capacity ? text.idle : text.takesNone;
  if (!jobs.length) return <p class="small muted">{load}</p>;
  return (
    <ul class="worker-jobs">
      {jobs.map((job, i) => (
        <li key={i}>
          <p class="small">
            {text.rendering(words(job.toolName), names(job.modelId))}{" "}
            <span class="muted">{text.started(ago(job.startedAt, now))}</span>
          </p>
          <Progress label={text.rendering(words(job.toolName), names(job.modelId))} value={job.progress} />
        </li>
      ))}
      {capacity !== 1 && <li class="small muted">{load}</li>}
    </ul>
  );
}

interface DemandProps {
  models: NetworkModel[];
  workers: NetworkWorker[];
  onModel: (id: string) => void;
}

/** The models that have work, and below them those that are served, by who serves them. */
function Demand({ models, workers, onModel }: DemandProps) {
  const names = useModelNames();
  const nameOf = (id: string) => (names(id) === id ? words(id) : names(id)); // tools that need no model are listed by their own names
  const work = (m: NetworkModel) => m.queued + m.active + m.waitingForWorker;
  const busy = models.filter((m) => work(m) > 0).sort((a, b) => work(b) - work(a));
  const offers = (kind: (worker: NetworkWorker) => boolean) =>
    new Set(workers.filter(kind).flatMap((worker) => worker.models));
  const vendors = offers((worker) => worker.gpu === "vendor");
  const real = offers((worker) => !worker.fallback && worker.gpu !== "vendor");
  const drawn = offers((worker) => worker.fallback);
  const groups = [
    { name: text.byWorkers, models: real },
    { name: text.byVendors, models: vendors },
    { name: text.byPreviews, models: new Set([...drawn].filter((id) => !real.has(id) && !vendors.has(id))) },
  ].filter((group) => group.models.size > 0);
  return (
    <section class="panel stack">
      <h2>{text.demand}</h2>
      <p class="small muted">{text.demandHelp}</p>
      {busy.length === 0 ? (
        <p class="muted">{text.noDemand}</p>
      ) : (
        <DemandTable rows={busy} {...{ workers, nameOf, onModel }} />
      )}
      {groups.map((group) => (
        <details key={group.name} class="served">
          <summary>
            {group.name} <span class="muted">{count(group.models.size)}</span>
          </summary>
          <ul class="served-models">
            {[...group.models]
              .sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
              .map((id) => (
                <li key={id}>
                  <button class="link" onClick={() => onModel(id)}>
                    {nameOf(id)}
                  </button>
                </li>
              ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

interface DemandTableProps {
  rows: NetworkModel[];
  workers: NetworkWorker[];
  nameOf: (id: string) => string;
  onModel: (id: string) => void;
}

const DemandTable = ({ rows, workers, nameOf, onModel }: DemandTableProps) => (
  <Table
    label={text.demand}
    rows={rows}
    keyOf={(m) => m.modelId + m.network}
    columns={[
      {
        name: text.model,
        cell: (m) => (
          <button class="link" onClick={() => onModel(m.modelId)}>
            {nameOf(m.modelId)}
          </button>
        ),
      },
      { name: text.network, cell: (m) => m.network },
      { name: text.queued, number: true, cell: (m) => count(m.queued) },
      { name: text.active, number: true, cell: (m) => count(m.active) },
      {
        name: text.servedBy,
        number: true,
        cell: (m) => {
          const offering = workers.filter((w) => w.network === m.network && w.models.includes(m.modelId));
          const real = offering.filter((w) => !w.fallback);
          const taking = real.filter(takesJobs).length;
          if (taking > 0) return count(taking);
          return (
            <Chip tone="warn">
              {real.some((w) => w.draining) ? text.draining : offering.length ? text.onlyDrawn : text.waiting}
            </Chip>
          );
        },
      },
    ]}
  />
);
