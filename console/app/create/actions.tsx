// What can be done with what was made.

import { useState } from "preact/hooks";
import { post } from "../api";
import { copyText } from "../parts/copy";
import { Icon, type IconName } from "../parts/icon";
import { Menu, type MenuItem } from "../parts/menu";
import { toast, toastError } from "../parts/toast";
import { useIntent, usePress } from "../press";
import { text } from "../texts/create";
import { text as common } from "../texts/shell";
import type { Artifact, Step } from "../types";
import type { Workflow } from "../workflow/model";
import { Remake } from "../workflow/remake-button";
import { nextSteps } from "./next";

const words = text.result;

export interface ResultActions {
  onShow: (workflowId: string, artifactId?: string) => void;
  onStarted: (workflow: Workflow) => void;
  onRestore: (workflow: Workflow, stepId?: string) => void;
  onReference: (artifact: Artifact) => void;
  onPrompt: () => void;
  onNext: (link: string) => void;
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
  const isNarrow = matchMedia("(max-width: 40rem)").matches;
  // What a narrow screen has behind one button, as it has the others.
  const more: (MenuItem & { icon?: IconName })[] = [
    ...nextOf(workflow, artifact).map(({ link, ...item }) => ({ ...item, run: () => actions.onNext(link) })),
    ...(["image", "video", "audio"].includes(artifact.kind)
      ? [{ label: words.reference, icon: "reference" as const, run: () => actions.onReference(artifact) }]
      : []),
    ...(onCompare ? [{ label: common.compare.action, icon: "compare" as const, run: onCompare }] : []),
    { label: words.restore, run: () => actions.onRestore(workflow, step?.id) },
    { label: words.copy, run: () => void copyMedia(artifact) },
    { label: words.code, run: () => actions.onCode(workflow) },
  ];
  const others = 3;
  const isDone = workflow.status === "completed" || workflow.status === "partial_failure";
  return (
    <div class="row result-actions">
      {step && <Remake key={step.id} workflowId={workflow.workflowId} step={step} onStarted={actions.onStarted} />}
      <a class="quiet" href={artifact.url} download={artifact.kind}>
        <Icon name="download" size={16} /> {words.download}
      </a>
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
      <button class="quiet to-prompt" onClick={actions.onPrompt}>
        <Icon name="create" size={16} /> {words.toPrompt}
      </button>
      {!isNarrow &&
        more.slice(0, -others).map((item) => (
          <button key={item.label} class="quiet" onClick={item.run}>
            <Icon name={item.icon!} size={16} /> {item.label}
          </button>
        ))}
      <Menu label={common.more} icon="more" items={isNarrow ? more : more.slice(-others)} />
    </div>
  );
}

/** What takes a result further, while it is shown. */
export const nextOf = ({ workflowId: workflow }: Workflow, { kind, id }: Artifact) =>
  nextSteps(kind, id, { workflow, artifact: id });

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
