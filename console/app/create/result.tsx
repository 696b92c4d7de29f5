// The result: progress in its own box while it is made, then the media and what can be
// done with them.

import { useEffect, useState } from "preact/hooks";
import { encoded, post } from "../api";
import { about, moment, percent, withTimes } from "../format";
import { useModelNames } from "../models/names";
import { Icon } from "../parts/icon";
import { mediaOf } from "../parts/item";
import { Media } from "../parts/media";
import { Failure, Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { isOver } from "../status";
import { text } from "../texts/create";
import { text as workflowText } from "../texts/workflow";
import type { Artifact, WorkflowEvent } from "../types";
import type { Workflow } from "../workflow/model";
import type { Watched } from "../workflow/watch";
import type { ResultActions } from "./actions";
import { Cells } from "./cells";
import { isGrid } from "./grid";
import { Made } from "./made";
import { makingOf } from "./making";

const words = text.result;

export function Result({
  watched,
  artifactId,
  ratio,
  actions,
}: {
  watched: Watched;
  artifactId: string;
  ratio?: string;
  actions: ResultActions;
}) {
  const { error, workflow } = watched;
  if (error) return <Failure error={error} retry={watched.retry} />;
  if (!workflow)
    return (
      <div
        class="result-box waiting"
        style={{ aspectRatio: ratio ?? "1 / 1" }}
        role="status"
        aria-label={words.progress}
      />
    );
  const artifacts = workflow.artifacts.filter((a) => a.url);
  const artifact = artifacts.find((a) => a.id === artifactId) ?? artifacts[0];
  if (!isOver(workflow.status) && !artifactId) return <Making workflow={workflow} watched={watched} ratio={ratio} />;
  if (!artifact) return <NotMade workflow={workflow} actions={actions} />;
  return (
    <>
      <Made workflow={workflow} artifacts={artifacts} artifact={artifact} actions={actions} />
      {workflow.status === "partial_failure" && <NotMade workflow={workflow} actions={actions} />}
    </>
  );
}

/** What is made now, and what it waits for, in words. */
function useMaking(workflow: Workflow, events: WorkflowEvent[]) {
  const making = makingOf(workflow, events);
  const { step, share, isQueued, at, of, secondsLeft } = making;
  const names = useModelNames();
  const waiting = step?.wait ?? workflow.waiting;
  const unserved = step?.waitingFor;
  const reason = unserved
    ? [
        workflowText.noWorker(names(unserved.model), unserved.network),
        unserved.fallbackAt
          ? words.keptUntil(moment(unserved.fallbackAt))
          : waiting?.until && words.failsAt(moment(waiting.until)),
      ]
        .filter(Boolean)
        .join(" ")
    : waiting && withTimes(waiting.message);
  const waits = isQueued || workflow.status === "waiting_for_user";
  const isRendered = share >= 1 && !waits;
  const saysWhich = /^\d+ of \d+/.test(step?.message ?? ""); // some workers do
  const running = [
    words.running,
    at && !saysWhich && words.which(at, of),
    step?.message,
    percent(share),
    secondsLeft !== undefined && words.left(about(secondsLeft)),
  ]
    .filter(Boolean)
    .join(" · ");
  const place = waiting?.position ? words.position(waiting.position) : reason;
  return {
    ...making,
    isRendered,
    state: (waits && place) || (isQueued ? words.queued : isRendered ? words.rendered : running),
    /** What is said beside the place in the queue. */
    more: waiting?.until && isQueued && waiting.position ? reason : undefined,
  };
}

/** Work that was found, in one line: a narrow screen shows it in the place of the result. */
export function ResultLine({
  workflow,
  events,
  onOpen,
}: {
  workflow: Workflow;
  events: WorkflowEvent[];
  onOpen: () => void;
}) {
  const { state } = useMaking(workflow, events);
  return (
    <div class="result-line">
      <p class="grow cut small" role="status">
        {isOver(workflow.status) ? words.doneTitle : state}
      </p>
      <button class="quiet" onClick={onOpen}>
        {words.show}
      </button>
    </div>
  );
}

function Making({ workflow, watched, ratio }: { workflow: Workflow; watched: Watched; ratio?: string }) {
  const [cancelling, setCancelling] = useState(false);
  const { step, share, isQueued, isRendered, done, state, more } = useMaking(workflow, watched.events);
  const size = step?.input.normalizedArguments;
  const box =
    size?.width && size?.height
      ? `${size.width} / ${size.height}`
      : (ratio ?? (step?.toolName.includes("video") || step?.toolName === "animate_photo" ? "16 / 9" : "1 / 1"));
  const cancel = async () => {
    setCancelling(true);
    try {
      watched.show(
        (await post("/v1/creative-agent/workflows/{id}/cancel", undefined, { path: { id: workflow.workflowId } }))
          .workflow,
      );
    } catch (error) {
      setCancelling(false);
      toastError(error);
    }
  };
  return (
    <div class="creation">
      {isGrid(workflow) ? (
        <Cells workflow={workflow} ratio={box} />
      ) : (
        <div class="result-box" style={{ aspectRatio: box }} aria-busy="true">
          <Preview key={step?.id} url={step?.previewUrl} done={done} />
        </div>
      )}
      <progress class="progress" aria-label={words.progress} max={1} value={isQueued && !share ? undefined : share} />
      <div class="result-state">
        <p class="grow" role="status">
          {state}
          {more && <span class="muted small"> {more}</span>}
        </p>
        {workflow.status === "waiting_for_user" && (
          <a class="quiet" href={encoded`/workflows/${workflow.workflowId}`}>
            {words.approve}
          </a>
        )}
        {!isRendered && (
          <button class="quiet" onClick={cancel} disabled={cancelling}>
            {cancelling ? words.cancelling : words.cancel}
          </button>
        )}
      </div>
    </div>
  );
}

/** What the worker shows of the render, or what another step has made. The picture before stays until the next one is there. */
function Preview({ url, done }: { url?: string; done?: Artifact }) {
  const [loaded, setLoaded] = useState("");
  useEffect(() => {
    if (!url) return;
    const picture = new Image();
    picture.onload = () => setLoaded(url);
    picture.src = url;
    return () => (picture.onload = null);
  }, [url]);
  if (!loaded && done) return <Media item={mediaOf(done, words.several)} />;
  if (!loaded)
    return (
      <span class="result-ghost">
        <Icon name="create" size={36} />
      </span>
    );
  return <img src={loaded} alt={words.previewOf} class="result-preview" />;
}

function NotMade({ workflow, actions }: { workflow: Workflow; actions: ResultActions }) {
  const failed = workflow.steps.find((s) => s.error) ?? workflow.steps[0];
  const message = failed?.error?.message ?? workflow.error?.message;
  return (
    <div class="creation">
      {workflow.status === "cancelled" ? (
        <Notice tone="plain">{words.cancelled}</Notice>
      ) : (
        <div class="notice bad" role="alert">
          <p>
            <strong>{words.failed}</strong>
          </p>
          {message && <p>{withTimes(message)}</p>}
          {!failed?.cost.actual && <p class="small muted">{words.notCharged}</p>}
        </div>
      )}
      <div class="row">
        <button class="quiet" onClick={() => actions.onRestore(workflow, failed?.id)}>
          {words.restore}
        </button>
        <a class="quiet" href={encoded`/workflows/${workflow.workflowId}`}>
          {words.workflow}
        </a>
      </div>
    </div>
  );
}
