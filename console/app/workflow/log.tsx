// The log of a workflow: the newest events, older ones on demand.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { clock, count, moment, percent } from "../format";
import { useModelNames } from "../models/names";
import { CheckField } from "../parts/field";
import { text } from "../texts/workflow";
import type { WorkflowEvent } from "../types";
import { isAboutWorkers, stepOf } from "./model";
import { useArgumentInMessage, useStepName } from "./step-names";
import type { Watched } from "./watch";
import { inWords, lackedBy } from "./words";

const page = 200;

/** The progress of a step is one line, where its newest value is, until something else happens to the step. */
function fold(events: WorkflowEvent[]): WorkflowEvent[] {
  const out: (WorkflowEvent | undefined)[] = [];
  const lines = new Map<string, number>();
  for (const event of events) {
    const step = stepOf(event);
    const line = lines.get(step);
    if (event.type !== "workflow_progress" || isAboutWorkers(event)) lines.delete(step);
    else {
      if (line !== undefined) out[line] = undefined;
      lines.set(step, out.length);
    }
    out.push(event);
  }
  return out.filter((event) => event !== undefined);
}

export function Log({
  events,
  stream,
  selected,
  onSelect,
}: {
  events: WorkflowEvent[];
  stream: Watched["stream"];
  selected: string;
  onSelect: (step: string) => void;
}) {
  const [only, setOnly] = useState(false);
  const [shown, setShown] = useState(page);
  const box = useRef<HTMLOListElement>(null);
  const atEnd = useRef(true);
  const lines = useMemo(
    () => fold(only ? events.filter((event) => stepOf(event) === selected) : events),
    [events, only, selected],
  );
  const said = useMemo(
    () => new Set(events.flatMap((event) => (event.type === "step_failed" ? [event.payload.error.message] : []))),
    [events],
  );
  const newest = lines.slice(-shown);
  const hidden = lines.length - newest.length;
  useEffect(() => {
    const list = box.current;
    if (list && atEnd.current) list.scrollTop = list.scrollHeight;
  }, [lines]);
  return (
    <section class="log" aria-label={text.log}>
      <div class="row log-head">
        <h2>{text.log}</h2>
        <span class="small muted grow" role="status">
          {stream === "waiting" ? text.reconnecting : stream === "open" ? text.following : ""}
        </span>
        <CheckField label={text.onlyStep} value={only} onInput={setOnly} />
      </div>
      {hidden > 0 && (
        <button
          class="quiet"
          onClick={() => {
            atEnd.current = false;
            setShown((n) => n + page);
          }}>
          {text.older(Math.min(hidden, page))} <span class="muted">/ {count(hidden)}</span>
        </button>
      )}
      {hidden === 0 && !only && events.length > 0 && events[0].sequence > 0 && (
        <p class="small muted">{text.logTrimmed}</p>
      )}
      {!lines.length && <p class="muted">{text.logEmpty}</p>}
      <ol
        class="log-lines"
        ref={box}
        tabIndex={0}
        aria-label={text.log}
        onScroll={(e) => {
          const list = e.currentTarget;
          atEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
        }}>
        {newest.map((event) => (
          <Line
            key={event.sequence}
            event={event}
            isSaid={event.type === "workflow_failed" && said.has(event.payload.error.message)}
            selected={selected !== "" && stepOf(event) === selected}
            onSelect={onSelect}
          />
        ))}
      </ol>
    </section>
  );
}

function Line({
  event,
  isSaid,
  selected,
  onSelect,
}: {
  event: WorkflowEvent;
  /** The line of the step has the same reason. */
  isSaid: boolean;
  selected: boolean;
  onSelect: (step: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const step = stepOf(event);
  const stepName = useStepName();
  const { payload } = event;
  const lacked = event.type === "step_failed" ? lackedBy(event.payload.error.message) : undefined;
  const name =
    "waitingFor" in payload
      ? payload.waitingFor
        ? text.waitsForWorker
        : text.workerFound
      : lacked
        ? text.stepNotRun
        : (text.events[event.type] ?? event.type);
  const share = event.type === "workflow_progress" && !isAboutWorkers(event) ? percent(event.payload.stepProgress) : "";
  const names = useModelNames();
  const argumentName = useArgumentInMessage(step);
  const message = lacked
    ? text.needsResult(stepName(lacked))
    : inWords(
        event.message ?? ("error" in payload ? payload.error.message : "message" in payload ? payload.message : ""),
        names,
        argumentName,
      );
  return (
    <li class={`log-line ${lacked ? "" : `event-${event.type}`}${selected ? " selected" : ""}`}>
      <time class="small muted tabular" dateTime={event.at} title={moment(event.at)}>
        {clock(event.at)}
      </time>
      <span class="log-text">
        {name}
        {step && (
          <>
            {" "}
            <button class="log-step" onClick={() => onSelect(step)}>
              {stepName(step)}
            </button>
          </>
        )}
        {share && <span class="tabular"> {share}</span>}
        {message && !isSaid && <span class="muted"> {message}</span>}
      </span>
      <details onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary class="small muted" aria-label={`${text.details}: ${name} #${event.sequence}`}>
          #{event.sequence}
        </summary>
        {open && (
          <pre class="small" tabIndex={0}>
            {JSON.stringify(payload, null, 2)}
          </pre>
        )}
      </details>
    </li>
  );
}
