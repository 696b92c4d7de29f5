// One workflow, followed: its snapshot, and its log as it grows.

import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { encoded, get } from "../api";
import { useChanges } from "../hooks";
import { useThrottled } from "../query";
import { follow as followStream, type StreamState } from "../sse";
import { isOver, type Status } from "../status";
import type { WorkflowEvent, WorkflowStatus } from "../types";
import { follow, lastSequence, needsReading, nothing, type Followed, type FollowEvent } from "./follow";
import type { Workflow } from "./model";
import { takeStarted } from "./started";

export interface Watched extends Followed {
  error: Error | undefined;
  stream: StreamState | "closed";
  reload: () => void;
  /** Begins again, after an error. */
  retry: () => void;
  /** Shows a snapshot that an action has answered with. */
  show: (workflow: Workflow) => void;
}

const queuePause = 1500; // milliseconds after which a place in a queue is read again

/**
 * Reads a workflow, unless it was started here, and follows its events; nothing for an empty id. What events
 * do not say is read again from the service, once for many events, and when the workflow is over.
 */
export function useWorkflow(id: string): Watched {
  const latest = useRef<Followed>(nothing);
  const [state, send] = useReducer(
    (old: Followed, event: FollowEvent) => (latest.current = follow(old, event)),
    nothing,
  );
  const [error, setError] = useState<Error>();
  const [stream, setStream] = useState<Watched["stream"]>("connecting");
  const [round, setRound] = useState(0);
  const current = useRef(id);
  const { workflow } = state;

  const show = (next: Workflow) => {
    if (next.workflowId !== current.current) return;
    setError(undefined);
    send({ type: "read", workflow: next });
  };
  const reading = useRef<Promise<void>>();
  const read = () =>
    (reading.current ??= get("/v1/creative-agent/workflows/{id}", { path: { id } })
      .then(
        (data) => show(data.workflow),
        (problem) => {
          if (current.current === id) setError(problem);
        },
      )
      .finally(() => {
        reading.current = undefined;
      }));
  const reload = useThrottled(() => void read(), 400);
  const retry = () => setRound((n) => n + 1);

  useEffect(() => {
    current.current = id;
    reading.current = undefined;
    send({ type: "begun" });
    setError(undefined);
    if (!id) return;
    const abort = new AbortController();
    const start = async () => {
      const first =
        takeStarted(id) ??
        (await get("/v1/creative-agent/workflows/{id}", { path: { id }, signal: abort.signal })).workflow;
      show(first);
      if (!isOver(first.status)) {
        await followEvents(id, lastSequence(latest.current), abort.signal, setStream, (events, status) => {
          send({ type: "sent", events });
          const known = latest.current.workflow;
          if (events.some((event) => needsReading(known, event)) || (status && isUnexpected(known?.status, status)))
            reload();
        });
        await reading.current; // which may have begun before the end
        if (!abort.signal.aborted && !isOver(latest.current.workflow!.status)) await read();
      }
      setStream("closed");
    };
    start().catch((problem) => !abort.signal.aborted && setError(problem));
    return () => abort.abort();
  }, [id, round]);

  // A place in a queue changes without an event of the workflow; so does one that is over, when it is resumed.
  const isQueued =
    workflow !== undefined && !isOver(workflow.status) && workflow.steps.some((step) => step.status === "queued");
  const queue = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(queue.current), [isQueued]);
  useChanges(["workflow", "network"], (change) => {
    if (change.kind === "ready") return workflow && reload();
    const isNewer =
      change.kind === "workflow" &&
      change.data.workflowId === id &&
      Date.parse(change.data.updatedAt) > Date.parse(workflow?.timestamps.updatedAt ?? "");
    if (isNewer && stream === "closed") reload();
    if (!isQueued) return;
    clearTimeout(queue.current);
    queue.current = setTimeout(reload, queuePause);
  });
  if (workflow && workflow.workflowId !== id)
    return { ...nothing, error: undefined, stream: "connecting", reload, retry, show };
  return { ...state, error, stream, reload, retry, show };
}

/** Reports whether a status is one that events have not told: a queued workflow runs by itself, and the end is read anyway. */
const isUnexpected = (known: Status | undefined, status: Status) =>
  status !== known && status !== "running" && !isOver(status);

type OnEvents = (events: WorkflowEvent[], status?: Status) => void;

/** Follows the stream of a workflow until it is over. Events of one frame come together, with the newest status. */
async function followEvents(
  id: string,
  after: number,
  signal: AbortSignal,
  onState: (state: StreamState) => void,
  onEvents: OnEvents,
) {
  let waiting: WorkflowEvent[] = [];
  let status: Status | undefined;
  let frame = 0;
  const flush = () => {
    const [batch, newest] = [waiting, status];
    [waiting, status, frame] = [[], undefined, 0];
    if ((batch.length || newest) && !signal.aborted) onEvents(batch, newest);
  };
  await followStream<WorkflowEvent | WorkflowStatus>(encoded`/v1/creative-agent/workflows/${id}/events/stream`, {
    signal,
    lastEventId: after < 0 ? undefined : String(after),
    onState,
    onEvent: ({ data }) => {
      if ("sequence" in data) waiting.push(data);
      else status = data.status;
      frame ||= requestAnimationFrame(flush);
    },
    isComplete: ({ data }) => !("sequence" in data) && isOver(data.status),
  });
  flush();
}
