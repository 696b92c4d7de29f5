// The workers that are connected.

import { encoded, get, post } from "../api";
import { bytes, count, lasting, percent, words } from "../format";
import { useChanges, type Paged } from "../hooks";
import { useModelNames } from "../models/names";
import { Chip, Progress } from "../parts/chip";
import { ask } from "../parts/dialog";
import { Guide } from "../parts/guide";
import { PagedTable } from "../parts/table";
import { toastError } from "../parts/toast";
import { session } from "../session";
import { text } from "../texts/operator";
import { text as common } from "../texts/shell";
import type { OperatorWorker } from "../types";
import { useList, Wallet, When } from "./parts";

export function Workers() {
  const list = useList(
    (options) => get("/v1/operator/workers", options),
    (page) => page.workers,
  );
  useChanges(["network"], list.reload);
  const own = list.data?.filter((w) => !isOfService(w)).sort((a, b) => rank(a) - rank(b));
  const service = list.data?.filter(isOfService);
  return (
    <section class="stack">
      {(!own || own.length > 0) && (
        <WorkerTable label={text.areas.workers} list={{ ...list, data: own, hasMore: false }} reload={list.reload} />
      )}
      {own?.length === 0 && (
        <p class="muted">
          {service!.length ? text.workers.onlyService : text.workers.none}{" "}
          <Guide page="own-gpu">{text.workers.howTo}</Guide> ·{" "}
          <a href="/operator/connections">{text.workers.connect}</a>
        </p>
      )}
      {!!service?.length && (
        <details class="service-workers" open={!own!.length}>
          <summary>
            {text.workers.ofService} <span class="muted">{count(service.length)}</span>
          </summary>
          <p class="small muted">{text.workers.ofServiceHelp}</p>
          <WorkerTable
            label={text.workers.ofService}
            list={{ ...list, data: service, hasMore: false }}
            reload={list.reload}
          />
        </details>
      )}
      {list.hasMore && (
        <button class="quiet" onClick={list.more}>
          {common.loadMore}
        </button>
      )}
    </section>
  );
}

/** The account of the workers that the service brings along: its nodes, and its renderers that draw without a model. */
const serviceAccount = "atelier-embedded";

export const isOfService = (w: OperatorWorker) => w.walletAddress === serviceAccount || w.network === "node";

/** The name of a worker. Those of one node are called alike, and are told apart by what they do. */
export const nameOf = ({ name, network, models }: Pick<OperatorWorker, "name" | "network" | "models">) =>
  network !== "node" ? name : `${name}: ${models.length === 1 ? words(models[0]) : text.workers.tasks(models.length)}`;

/** The operator's own ones first, and of each those first that take no jobs. */
const rank = (w: OperatorWorker) =>
  (w.walletAddress.toLowerCase() === session.value?.walletAddress.toLowerCase() ? 0 : 2) +
  (w.unavailable || w.notClaimingSince || w.standing?.low ? 0 : 1);

interface WorkerTableProps {
  label: string;
  list: Paged<OperatorWorker>;
  reload: () => void;
}

function WorkerTable({ label, list, reload }: WorkerTableProps) {
  const names = useModelNames();
  return (
    <PagedTable
      label={label}
      list={list}
      keyOf={(w) => w.workerId}
      none={text.workers.none}
      columns={[
        {
          name: text.workers.name,
          cell: (w) => (
            <>
              <a href={encoded`/operator/workers/${w.workerId}`}>
                <strong>{nameOf(w)}</strong>
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
              {w.network === "node" && w.models.length > 1 && (
                <>
                  <br />
                  <span class="small">{w.models.map(words).join(", ")}</span>
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
        { name: text.workers.network, cell: (w) => words(w.network) },
        { name: text.workers.models, number: true, cell: (w) => count(w.models.length) },
        {
          name: text.workers.loaded,
          cell: (w) =>
            w.loadedModels.length + w.modelSwitches > 0 && (
              <>
                {w.loadedModels.map(names).join(", ")}
                {w.modelSwitches > 0 && <div class="small muted">{text.workers.switches(w.modelSwitches)}</div>}
              </>
            ),
        },
        {
          name: text.workers.jobs,
          class: "nowrap",
          cell: (w) => (
            <>
              {text.workers.of(w.jobs.length, w.capacity)}
              {w.jobs.map((j) => (
                <div key={j.jobId} class="small worker-job">
                  <a href={encoded`/operator/jobs/${j.jobId}`}>{words(j.toolName)}</a>
                  <Progress label={words(j.toolName)} value={j.progress} />
                </div>
              ))}
            </>
          ),
        },
        { name: text.workers.machine, cell: (w) => w.machine && <Gauges machine={w.machine} /> },
        { name: text.workers.seen, cell: (w) => <When at={w.lastSeenAt} /> },
        { name: "", cell: (w) => <DrainButton worker={w} onDone={reload} /> },
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
  const drain = async () => {
    const { drain, drainTitle, drainText, stops } = text.workers;
    const body = (
      <>
        <p>{drainText}</p>
        {isOfService(worker) && <p>{worker.network === "node" ? stops.node : stops.preview}</p>}
      </>
    );
    const question = { title: drainTitle(nameOf(worker)), body, confirm: drain, danger: true };
    if (!worker.draining && !(await ask(question))) return;
    const change = { draining: !worker.draining };
    await post("/v1/operator/workers/{id}/drain", change, { path: { id: worker.workerId } }).then(onDone, toastError);
  };
  return (
    <button class="quiet" onClick={() => void drain()}>
      {worker.draining ? text.workers.resume : text.workers.drain}
    </button>
  );
}

/** The fullest and the warmest GPU, and the free disk. */
function Gauges({ machine: m }: { machine: NonNullable<OperatorWorker["machine"]> }) {
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
