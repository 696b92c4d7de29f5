// The workers that are connected.

import { encoded, get, post } from "../api";
import { ago, bytes, count, lasting, percent, words } from "../format";
import { useChanges } from "../hooks";
import { useModelNames } from "../models/names";
import { Chip, Progress } from "../parts/chip";
import { toastError } from "../parts/toast";
import { text } from "../texts/operator";
import type { OperatorWorker } from "../types";
import { Table, useList, Wallet } from "./parts";

export function Workers() {
  const list = useList(
    (options) => get("/v1/operator/workers", options),
    (page) => page.workers,
  );
  useChanges(["network"], list.reload);
  const names = useModelNames();
  return (
    <Table
      list={list}
      keyOf={(w) => w.workerId}
      none={text.workers.none}
      columns={[
        {
          name: text.workers.name,
          cell: (w) => (
            <>
              <a href={encoded`/operator/workers/${w.workerId}`}>
                <strong>{w.name}</strong>
              </a>{" "}
              <States worker={w} />
              {w.unavailable && (
                <>
                  <br />
                  <span class="small">{w.unavailable}</span>
                </>
              )}
              {w.standing?.reason && (
                <>
                  <br />
                  <span class="small">{w.standing.reason}</span>
                </>
              )}
              <br />
              <Wallet wallet={w.walletAddress} name={w.username} />{" "}
              <span class="small muted">
                {[w.gpu === "none" ? text.workers.cpu : w.gpu, w.version].filter(Boolean).join(" · ")}
              </span>
            </>
          ),
        },
        { name: text.workers.network, cell: (w) => w.network },
        { name: text.workers.models, number: true, cell: (w) => count(w.models.length) },
        {
          name: text.workers.loaded,
          cell: (w) => (
            <>
              {w.loadedModels.map(names).join(", ")}
              {w.modelSwitches > 0 && <div class="small muted">{text.workers.switches(w.modelSwitches)}</div>}
            </>
          ),
        },
        {
          name: text.workers.jobs,
          cell: (w) => (
            <>
              {text.workers.of(w.jobs.length, w.capacity)}
              {w.jobs.map((j) => (
                <div key={j.jobId} class="small">
                  <a href={encoded`/operator/jobs/${j.jobId}`}>{words(j.toolName)}</a>
                  <Progress label={words(j.toolName)} value={j.progress} />
                </div>
              ))}
            </>
          ),
        },
        { name: text.workers.machine, cell: (w) => <Gauges machine={w.machine} /> },
        { name: text.workers.seen, cell: (w) => ago(w.lastSeenAt) },
        { name: "", cell: (w) => <DrainButton worker={w} onDone={list.reload} /> },
      ]}
    />
  );
}

/** Why a worker takes no jobs, or fewer than others. */
export const States = ({ worker: w }: { worker: OperatorWorker }) => (
  <>
    {w.draining && <Chip tone="warn">{text.workers.draining}</Chip>}
    {w.unavailable && <Chip tone="warn">{text.workers.unavailable}</Chip>}
    {w.notClaimingSince && <Chip tone="warn">{text.workers.notClaiming(lasting(w.notClaimingSince))}</Chip>}
    {w.standing?.low && <Chip tone="warn">{text.workers.lowStanding}</Chip>}
  </>
);

export function DrainButton({ worker, onDone }: { worker: OperatorWorker; onDone: () => void }) {
  const drain = () =>
    post("/v1/operator/workers/{id}/drain", { draining: !worker.draining }, { path: { id: worker.workerId } }).then(
      onDone,
      toastError,
    );
  return (
    <button class="quiet" onClick={() => void drain()}>
      {worker.draining ? text.workers.resume : text.workers.drain}
    </button>
  );
}

/** The fullest and the warmest GPU, and the free disk. */
function Gauges({ machine: m }: { machine: OperatorWorker["machine"] }) {
  if (!m) return null;
  const memory = m.gpus.flatMap(({ memoryFreeBytes: free, memoryTotalBytes: total }) =>
    total && free !== null ? [1 - free / total] : [],
  );
  const celsius = m.gpus.flatMap((gpu) => gpu.temperatureCelsius ?? []);
  return (
    <ul class="small">
      {memory.length > 0 && <li>{text.workers.memory(percent(Math.max(...memory)))}</li>}
      {celsius.length > 0 && <li>{Math.round(Math.max(...celsius))} °C</li>}
      {m.diskFreeBytes !== null && <li>{text.workers.disk(bytes(m.diskFreeBytes))}</li>}
    </ul>
  );
}
