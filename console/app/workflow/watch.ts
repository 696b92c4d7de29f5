// One workflow, followed: its snapshot, and its log as it grows.

import { useEffect, useRef, useState } from "preact/hooks";
import { encoded, get } from "../api";
import { useChanges } from "../hooks";
import { useThrottled } from "../query";
import { follow, type StreamState } from "../sse";
import { isOver, type LogEvent, type Step, type Workflow } from "./model";

export interface Watched {
  workflow: Workflow | undefined;
  events: LogEvent[];
  error: Error | undefined;
  stream: StreamState | "closed";
  reload: () => void;
  /** Begins again, after an error. */
  retry: () => void;
  /** Shows a snapshot that an action has answered with. */
  show: (workflow: Workflow) => void;
}

/**
 * Reads a workflow and follows its events; nothing for an empty id. Progress is taken from the events; everything
 * else they mean is read again from the service, once for many events.
 */
export function useWorkflow(id: string): Watched {
  const [workflow, setWorkflow] = useState<Workflow>();
  const [events, setEvents] = useState<LogEvent[]>([]);
  const [error, setError] = useState<Error>();
  const [stream, setStream] = useState<Watched["stream"]>("connecting");
  const [round, setRound] = useState(0);
  const current = useRef(id);
  const last = useRef(-1);

  const show = (next: Workflow) => {
    if (next.workflowId !== current.current) return;
    setWorkflow((old) => ({ ...next, steps: next.steps.map((step, i) => (step.status === "running" ? { ...newestReport(next.events, step.id), ...seen(old?.steps[i]), ...step } : step)) }));
    setError(undefined);
    add(next.events);
  };
  const add = (more: LogEvent[]) => {
    const fresh = more.filter((event) => event.sequence > last.current);
    if (!fresh.length) return;
    last.current = fresh.at(-1)!.sequence;
    setEvents((old) => [...old, ...fresh]);
  };
  const read = () => get(encoded`/v1/creative-agent/workflows/${id}`).then((data) => show(data.workflow));
  const retry = () => setRound((n) => n + 1);
  const reload = useThrottled(() => void read().catch((problem) => current.current === id && setError(problem)), 400);

  useEffect(() => {
    current.current = id;
    last.current = -1;
    setWorkflow(undefined);
    setEvents([]);
    setError(undefined);
    if (!id) return;
    const abort = new AbortController();
    const start = async () => {
      const first: Workflow = (await get(encoded`/v1/creative-agent/workflows/${id}`, { signal: abort.signal })).workflow;
      show(first);
      if (isOver(first.status)) return setStream("closed");
      let waiting: LogEvent[] = [];
      const flush = () => {
        const batch = waiting;
        waiting = [];
        add(batch);
        setWorkflow((old) => old && applyProgress(old, batch));
      };
      await follow(encoded`/v1/creative-agent/workflows/${id}/events/stream`, {
        signal: abort.signal,
        lastEventId: last.current < 0 ? undefined : String(last.current),
        onState: setStream,
        onEvent: ({ event, data }) => {
          if (typeof data?.sequence === "number") {
            waiting.push(data);
            if (waiting.length === 1) requestAnimationFrame(flush);
          }
          if (event !== "workflow_progress" || isAboutWorkers(data)) reload();
        },
        isComplete: ({ event, data }) => event === "workflow_status" && isOver(data.status),
      });
      setStream("closed");
      reload();
    };
    start().catch((problem) => !abort.signal.aborted && setError(problem));
    return () => abort.abort();
  }, [id, round]);

  // A place in a queue changes without an event of the workflow.
  const isQueued = workflow !== undefined && !isOver(workflow.status) && workflow.steps.some((step) => step.status === "queued");
  useChanges(["workflow", "network"], (change) => {
    if (workflow && (change.kind === "workflow" ? change.data?.workflowId === id : change.kind === "ready" || isQueued)) reload();
  });
  if (workflow && workflow.workflowId !== id) return { workflow: undefined, events: [], error: undefined, stream: "connecting", reload, retry, show };
  return { workflow, events, error, stream, reload, retry, show };
}

type Report = Pick<Step, "previewUrl" | "message">;

/** What was seen of a step in events that a snapshot does not repeat. */
const seen = (step: Step | undefined): Report => ({ ...(step?.previewUrl && { previewUrl: step.previewUrl }), ...(step?.message && { message: step.message }) });

const reportOf = ({ payload }: LogEvent): Report => ({ ...(payload.previewUrl && { previewUrl: payload.previewUrl }), ...(payload.message && { message: payload.message }) });

/** The newest report in the log about a step that runs. */
const newestReport = (events: LogEvent[], stepId: string): Report => {
  const last = events.findLast((event) => event.type === "workflow_progress" && event.payload.stepId === stepId);
  return last ? reportOf(last) : {};
};

/** Reports whether an event says that a worker for a step is missing, or is there again. */
const isAboutWorkers = (event: LogEvent) => "waitingFor" in event.payload;

function applyProgress(workflow: Workflow, events: LogEvent[]): Workflow {
  const news = new Map<string, Partial<Step>>();
  for (const event of events) {
    const { type, payload } = event;
    if (type === "step_completed" || type === "step_failed") news.delete(payload.stepId); // its preview is gone
    if (type !== "workflow_progress" || !payload.stepId || payload.stepProgress === undefined || "waitingFor" in payload) continue;
    news.set(payload.stepId, { ...news.get(payload.stepId), status: "running", progress: payload.stepProgress, ...reportOf(event) });
  }
  if (!news.size) return workflow;
  const steps = workflow.steps.map((step) => (isOver(step.status) ? step : { ...step, ...news.get(step.id) }));
  return { ...workflow, steps };
}
