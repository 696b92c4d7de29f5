// The result: progress in its own box while it is made, then the media and what can be
// done with them.

import { useEffect, useRef, useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { amount, moment, percent, withTimes } from "../format";
import { useData, useListener } from "../hooks";
import { textOf, textsOf } from "../json";
import { useModelNames } from "../models/names";
import { Chip } from "../parts/chip";
import { Icon } from "../parts/icon";
import { openLightbox } from "../parts/lightbox";
import { mediaOf } from "../parts/item";
import { Media, Thumbnail } from "../parts/media";
import { Failure, Notice } from "../parts/notice";
import { copyText } from "../parts/copy";
import { toast, toastError } from "../parts/toast";
import { useIntent, usePress } from "../press";
import { isOver } from "../status";
import { text } from "../texts/create";
import { text as workflowText } from "../texts/workflow";
import type { Artifact, Step } from "../types";
import { progressOf, type Workflow } from "../workflow/model";
import type { Watched } from "../workflow/watch";

const words = text.result;

export interface ResultActions {
  onShow: (workflowId: string, artifactId?: string) => void;
  onStarted: (workflow: Workflow) => void;
  onRestore: (workflow: Workflow, stepId?: string) => void;
  onReference: (artifact: Artifact) => void;
  onSeed: (seed: number) => void;
  onCode: (workflow: Workflow) => void;
}

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
        waiting?.until && words.failsAt(moment(waiting.until)),
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

function Made({
  workflow,
  artifacts,
  artifact,
  actions,
}: {
  workflow: Workflow;
  artifacts: Artifact[];
  artifact: Artifact;
  actions: ResultActions;
}) {
  const step = workflow.steps.find((s) => s.id === artifact.stepId) ?? workflow.steps[0];
  const prompt = textOf(step?.arguments.prompt ?? workflow.title);
  const items = artifacts.map((a) => mediaOf(a, prompt));
  const index = artifacts.indexOf(artifact);
  const { seed } = artifact;
  const cost = step?.cost.actual;
  const ignored = artifact.notUnderstood ?? textsOf(artifact.metadata?.notUnderstood);
  const understood = textOf(artifact.metadata?.understood);
  const poster = useData(
    (signal) =>
      artifact.kind === "video"
        ? get("/v1/artifacts/{id}", { path: { id: artifact.id }, signal }).then(
            (d) => d.artifact.thumbnailUrl,
            () => null,
          )
        : Promise.resolve(null),
    [artifact.id],
  );
  const open = () =>
    openLightbox(items, index, {
      total: items.length,
      onMove: (i) => actions.onShow(workflow.workflowId, artifacts[i].id),
    });
  return (
    <div class="creation">
      <div
        class={`result-box done kind-${artifact.kind}`}
        style={
          artifact.width && artifact.height ? { aspectRatio: `${artifact.width} / ${artifact.height}` } : undefined
        }>
        {artifact.kind === "image" ? (
          <button class="result-open" onClick={open} aria-label={`${words.large}: ${prompt}`}>
            <Media item={items[index]} />
          </button>
        ) : (
          <Media
            item={{ ...items[index], thumbnailUrl: poster.data }}
            autoPlay={artifact.kind === "video" && !matchMedia("(prefers-reduced-motion: reduce)").matches}
          />
        )}
      </div>
      {artifacts.length > 1 && (
        <div class="result-several" role="group" aria-label={words.several}>
          {artifacts.map((a, i) => (
            <button
              key={a.id}
              aria-pressed={a === artifact}
              aria-label={`${words.several} ${i + 1}`}
              onClick={() => actions.onShow(workflow.workflowId, a.id)}>
              <Thumbnail item={{ ...items[i], label: "", width: 1, height: 1 }} />
            </button>
          ))}
        </div>
      )}
      <Actions workflow={workflow} artifact={artifact} step={step} actions={actions} />
      <p class="result-facts muted small">
        {artifact.preview && (
          <Chip tone="warn" title={words.previewAbout}>
            {words.preview}
          </Chip>
        )}
        {seed !== undefined && (
          <span>
            {words.seed}{" "}
            <button class="copy" title={words.keepSeed} onClick={() => actions.onSeed(seed)}>
              {seed}
            </button>
          </span>
        )}
        {artifact.width ? (
          <span>
            {artifact.width} × {artifact.height}
          </span>
        ) : null}
        {cost && <span>{cost.byPlan ? text.byPlan : words.charged(amount(cost.costInSpark, 4))}</span>}
        <a href={encoded`/workflows/${workflow.workflowId}`}>{words.workflow}</a>
      </p>
      {ignored.length > 0 && (
        <Notice tone="warn">
          {words.ignored}{" "}
          {ignored.map((w, i) => (
            <span key={i}>
              {i > 0 && ", "}
              <strong>{w}</strong>
            </span>
          ))}
          {understood && (
            <p class="small muted">
              {words.understood} {understood}
            </p>
          )}
        </Notice>
      )}
    </div>
  );
}

function Actions({
  workflow,
  artifact,
  step,
  actions,
}: {
  workflow: Workflow;
  artifact: Artifact;
  step: Step | undefined;
  actions: ResultActions;
}) {
  const [busy, setBusy] = useState(false);
  const press = usePress();
  const intend = useIntent();
  const repeat = (name: "same" | "new") =>
    press(name, async () => {
      setBusy(true);
      try {
        const seeds =
          name === "same"
            ? Object.fromEntries(workflow.steps.filter((s) => s.seed !== undefined).map((s) => [s.id, s.seed]))
            : undefined;
        const body = {
          ...(seeds && Object.keys(seeds).length ? { seed_overrides: seeds } : {}),
          app_source: "console",
        };
        const path = { id: workflow.workflowId };
        const started = await intend(name, (idempotencyKey) =>
          post("/v1/creative-agent/workflows/{id}/reseed", body, { path, idempotencyKey }),
        );
        actions.onStarted(started.workflow);
      } finally {
        setBusy(false);
      }
    }).catch(toastError);
  const isDone = workflow.status === "completed" || workflow.status === "partial_failure";
  return (
    <div class="row result-actions">
      <a class="quiet" href={artifact.url} download={artifact.kind}>
        <Icon name="download" size={16} /> {words.download}
      </a>
      <button class="quiet" onClick={() => void copyMedia(artifact)}>
        <Icon name="copy" size={16} /> {words.copy}
      </button>
      {isDone && (
        <>
          <Menu
            label={words.again}
            icon="again"
            disabled={busy}
            items={[
              { label: words.sameSeed, run: () => void repeat("same") },
              { label: words.newSeed, run: () => void repeat("new") },
            ]}
          />
          <button class="quiet" disabled={busy} onClick={() => void repeat("new")}>
            <Icon name="vary" size={16} /> {words.vary}
          </button>
        </>
      )}
      {["image", "video", "audio"].includes(artifact.kind) && (
        <button class="quiet" onClick={() => actions.onReference(artifact)}>
          <Icon name="reference" size={16} /> {words.reference}
        </button>
      )}
      <button class="quiet" onClick={() => actions.onRestore(workflow, step?.id)}>
        <Icon name="edit" size={16} /> {words.restore}
      </button>
      <button class="quiet" onClick={() => actions.onCode(workflow)}>
        {words.code}
      </button>
    </div>
  );
}

/** A few actions behind one button. Escape and a click elsewhere close it. */
function Menu({
  label,
  icon,
  items,
  disabled,
}: {
  label: string;
  icon: "again";
  items: { label: string; run: () => void }[];
  disabled?: boolean;
}) {
  const element = useRef<HTMLDetailsElement>(null);
  useListener("click", (event) => {
    if (element.current?.open && !element.current.contains(event.target as Node)) element.current.open = false;
  });
  const close = () => {
    element.current!.open = false;
    element.current!.querySelector("summary")!.focus();
  };
  return (
    <details class="menu" ref={element} onKeyDown={(event) => event.key === "Escape" && close()}>
      <summary class="quiet" aria-disabled={disabled}>
        <Icon name={icon} size={16} /> {label} <Icon name="down" size={12} />
      </summary>
      <div class="menu-items">
        {items.map((item) => (
          <button
            key={item.label}
            disabled={disabled}
            onClick={() => {
              close();
              item.run();
            }}>
            {item.label}
          </button>
        ))}
      </div>
    </details>
  );
}

// Browsers copy PNG pictures alone, and only in secure contexts. Elsewhere the link is copied.
async function copyMedia(artifact: Artifact) {
  try {
    if (artifact.kind === "image" && navigator.clipboard && "ClipboardItem" in window) {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(artifact.url) })]);
      return toast(words.copied);
    }
  } catch {
    // The link is better than nothing.
  }
  await copyText(artifact.url);
  toast(words.copiedLink);
}

async function pngOf(url: string): Promise<Blob> {
  const blob = await (await fetch(url)).blob();
  if (blob.type === "image/png") return blob;
  const picture = await createImageBitmap(blob);
  const canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext("2d")!.drawImage(picture, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((png) => (png ? resolve(png) : reject(new Error())), "image/png"),
  );
}
