// The result: progress in its own box while it is made, then the media and what can be
// done with them.

import { useEffect, useState } from "preact/hooks";
import { encoded, post } from "../api";
import { moment, percent, withTimes } from "../format";
import { useModelNames } from "../models/names";
import { Icon } from "../parts/icon";
import { Failure, Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { isOver } from "../status";
import { text } from "../texts/create";
import { text as workflowText } from "../texts/workflow";
import { progressOf, type Workflow } from "../workflow/model";
import type { Watched } from "../workflow/watch";
import type { ResultActions } from "./actions";
import { Made } from "./made";

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

function Making({ workflow, watched, ratio }: { workflow: Workflow; watched: Watched; ratio?: string }) {
  const [cancelling, setCancelling] = useState(false);
  const step = workflow.steps.find((s) => !isOver(s.status)) ?? workflow.steps.at(-1);
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
  const share = progressOf(workflow);
  const isQueued = step?.status === "queued" && share === 0;
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
  const state =
    waiting && (isQueued || workflow.status === "waiting_for_user")
      ? waiting.position
        ? words.position(waiting.position)
        : reason
      : isQueued
        ? words.queued
        : [words.running, step?.message, percent(share)].filter(Boolean).join(" · ");
  return (
    <div class="creation">
      <div class="result-box" style={{ aspectRatio: box }} aria-busy="true">
        <Preview url={step?.previewUrl} />
      </div>
      <progress class="progress" aria-label={words.progress} max={1} value={isQueued ? undefined : share} />
      <div class="result-state">
        <p class="grow" role="status">
          {state}
          {waiting?.until && isQueued && waiting.position ? <span class="muted small"> {reason}</span> : null}
        </p>
        {workflow.status === "waiting_for_user" && (
          <a class="quiet" href={encoded`/workflows/${workflow.workflowId}`}>
            {words.approve}
          </a>
        )}
        <button class="quiet" onClick={cancel} disabled={cancelling}>
          {cancelling ? words.cancelling : words.cancel}
        </button>
      </div>
    </div>
  );
}

/** What the worker shows of the render. The picture before stays until the next one is there. */
function Preview({ url }: { url?: string }) {
  const [loaded, setLoaded] = useState("");
  useEffect(() => {
    if (!url) return;
    const picture = new Image();
    picture.onload = () => setLoaded(url);
    picture.src = url;
    return () => (picture.onload = null);
  }, [url]);
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
