// What can be done with what was made.

import { useRef, useState } from "preact/hooks";
import { post } from "../api";
import { useListener } from "../hooks";
import { copyText } from "../parts/copy";
import { Icon } from "../parts/icon";
import { toast, toastError } from "../parts/toast";
import { useIntent, usePress } from "../press";
import { text } from "../texts/create";
import { text as common } from "../texts/shell";
import type { Artifact, Step } from "../types";
import type { Workflow } from "../workflow/model";
import { Remake } from "../workflow/remake-button";

const words = text.result;

export interface ResultActions {
  onShow: (workflowId: string, artifactId?: string) => void;
  onStarted: (workflow: Workflow) => void;
  onRestore: (workflow: Workflow, stepId?: string) => void;
  onReference: (artifact: Artifact) => void;
  onSeed: (seed: number) => void;
  onCode: (workflow: Workflow) => void;
  /** The address of the picture that a step has worked on. */
  sourceOf: (workflow: Workflow, stepId?: string) => string | undefined;
}

export function Actions({
  workflow,
  artifact,
  step,
  actions,
  onCompare,
}: {
  workflow: Workflow;
  artifact: Artifact;
  step: Step | undefined;
  actions: ResultActions;
  onCompare?: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const press = usePress();
  const intend = useIntent();
  const repeat = (name: "same" | "new") =>
    press(name, async () => {
      setBusy(true);
      try {
        const seeds = workflow.steps.flatMap((s) => (name === "same" && s.seed !== undefined ? [[s.id, s.seed]] : []));
        const body = { ...(seeds.length ? { seed_overrides: Object.fromEntries(seeds) } : {}), app_source: "console" };
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
      {step && <Remake key={step.id} workflowId={workflow.workflowId} step={step} onStarted={actions.onStarted} />}
      <a class="quiet" href={artifact.url} download={artifact.kind}>
        <Icon name="download" size={16} /> {words.download}
      </a>
      <button class="quiet" onClick={() => void copyMedia(artifact)}>
        <Icon name="copy" size={16} /> {words.copy}
      </button>
      {isDone && !workflow.remakeOf && (
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
      {onCompare && (
        <button class="quiet" onClick={onCompare}>
          {common.compare.action}
        </button>
      )}
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
