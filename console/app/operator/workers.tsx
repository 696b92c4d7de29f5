// The workers that are connected.

import { encoded, get, post } from "../api";
import { ago, count, lasting, words } from "../format";
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
  const drain = async (worker: OperatorWorker) => {
    try {
      await post("/v1/operator/workers/{id}/drain", { draining: !worker.draining }, { path: { id: worker.workerId } });
      list.reload();
    } catch (error) {
      toastError(error);
    }
  };
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
              <strong>{w.name}</strong> {w.draining && <Chip tone="warn">{text.workers.draining}</Chip>}
              {w.unavailable && (
                <>
                  <Chip tone="warn">{text.workers.unavailable}</Chip>
                  <br />
                  <span class="small">{w.unavailable}</span>
                </>
              )}
              {w.notClaimingSince && <Chip tone="warn">{text.workers.notClaiming(lasting(w.notClaimingSince))}</Chip>}
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
        { name: text.workers.seen, cell: (w) => ago(w.lastSeenAt) },
        {
          name: "",
          cell: (w) => (
            <button class="quiet" onClick={() => void drain(w)}>
              {w.draining ? text.workers.resume : text.workers.drain}
            </button>
          ),
        },
      ]}
    />
  );
}
