// One workflow, followed until it is over: its snapshot, and the newest progress.

import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useChanges } from "../hooks";
import { follow } from "../sse";

export const isOver = (status: string) => ["completed", "failed", "partial_failure", "cancelled"].includes(status);

export interface Progress {
  progress: number;
  message: string;
  previewUrl?: string;
}

export interface Followed {
  workflow?: any;
  progress?: Progress;
  error?: Error;
  reload: () => void;
}

export function useWorkflow(id: string): Followed {
  const [state, setState] = useState<{ id: string; workflow?: any; progress?: Progress; error?: Error }>({ id: "" });
  const [version, setVersion] = useState(0);
  const reload = useRef(() => {});
  useEffect(() => {
    if (!id) return setState({ id: "" });
    const abort = new AbortController();
    const change = (next: object | ((old: any) => object)) => !abort.signal.aborted && setState((before) => {
      const old = before.id === id ? before : { id };
      return { ...old, ...(typeof next === "function" ? next(old) : next), id };
    });
    let busy: Promise<any> | undefined;
    const read = () => (busy ??= get(`/v1/creative-agent/workflows/${id}`, { signal: abort.signal }).then((data) => {
      change({ workflow: data.workflow, error: undefined });
      return data.workflow;
    }).finally(() => { busy = undefined; }));
    reload.current = () => void read().catch(() => {});
    change({ progress: undefined });
    read().then((workflow) => {
      if (isOver(workflow.status)) return;
      const last = workflow.events?.at(-1)?.sequence;
      return follow(`/v1/creative-agent/workflows/${id}/events/stream`, {
        signal: abort.signal,
        lastEventId: last === undefined ? "" : String(last),
        onEvent: (event) => {
          if (event.event === "workflow_progress") {
            const p = event.data.payload;
            change((old: any) => ({ progress: { progress: p.progress ?? 0, message: p.message ?? "", previewUrl: p.previewUrl ?? old.progress?.previewUrl } }));
            if (p.waitingFor) reload.current();
          } else if (/^(workflow_|step_|artifact_)/.test(event.event)) reload.current();
        },
        isComplete: (event) => event.event === "workflow_status" && isOver(event.data.status),
      }).then(() => read());
    }).catch((error) => error.name !== "AbortError" && change({ error }));
    return () => abort.abort();
  }, [id, version]);
  // The place in the queue changes with the jobs before, which have no events here.
  const isQueued = state.workflow?.status === "queued" || state.workflow?.steps?.some((s: any) => s.status === "queued");
  useChanges(["network", "workflow"], (change) => {
    if (isQueued && !isOver(state.workflow.status) && (change.kind !== "workflow" || change.data?.workflowId === id)) reload.current();
  });
  if (state.id !== id) return { reload: () => {} };
  return { workflow: state.workflow, progress: state.progress, error: state.error, reload: () => setVersion((v) => v + 1) };
}
