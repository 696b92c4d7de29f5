// What was made, and what can be done with it.

import { useState } from "preact/hooks";
import { encoded, get } from "../api";
import { price } from "../format";
import { useData } from "../hooks";
import { textOf, textsOf } from "../json";
import { Chip } from "../parts/chip";
import { CompareDialog } from "../parts/compare";
import { mediaOf, type MediaItem } from "../parts/item";
import { leaveLightbox, openLightbox } from "../parts/lightbox";
import { Media, Thumbnail } from "../parts/media";
import { Notice } from "../parts/notice";
import SoundPlayer from "../parts/sound";
import { text } from "../texts/create";
import type { Artifact, Step } from "../types";
import { titleOf, type Workflow } from "../workflow/model";
import { labelOf } from "../texts/arguments";
import { Actions, nextOf, type ResultActions } from "./actions";
import { Cells } from "./cells";
import { cellOf, isGrid } from "./grid";
import { comparisonOf } from "./source";

const words = text.result;

interface MadeProps {
  workflow: Workflow;
  artifacts: Artifact[];
  artifact: Artifact;
  actions: ResultActions;
}

export function Made({ workflow, artifacts, artifact, actions }: MadeProps) {
  const step = workflow.steps.find((s) => s.id === artifact.stepId) ?? workflow.steps[0];
  const prompt = textOf(step?.arguments.prompt) || titleOf(workflow);
  const modelOf = (a: Artifact) => workflow.steps.find((s) => s.id === a.stepId)?.generation?.selectedModel;
  const items = artifacts.map((a) => ({ ...mediaOf(a, prompt), modelId: modelOf(a) }));
  const index = artifacts.indexOf(artifact);
  const cells = artifacts.map((a) => cellOf(workflow, a.stepId ?? "", labelOf));
  const named = items.map((item, i) => ({ ...item, label: cells[i] || item.label }));
  const inGrid = isGrid(workflow);
  const show = (i: number) => actions.onShow(workflow.workflowId, artifacts[i].id);
  const next = ({ id }: MediaItem) =>
    nextOf(
      workflow,
      artifacts.find((a) => a.id === id)!,
    ).map(({ label, link }) => ({ label, isMain: true, run: () => leaveLightbox(() => actions.onNext(link)) }));
  const open = () => openLightbox(named, index, { total: items.length, onMove: show, actions: next });
  const comparison = comparisonOf(named, named[index], actions.sourceOf(workflow, step?.id));
  const [comparing, setComparing] = useState(false);
  return (
    <div class="creation">
      {inGrid && (
        <Cells
          workflow={workflow}
          chosen={artifact.id}
          onPick={(id) => (id === artifact.id ? open() : show(artifacts.findIndex((a) => a.id === id)))}
        />
      )}
      {(!inGrid || artifact.kind !== "image") && (
        <div
          class={`result-box done kind-${artifact.kind}`}
          style={
            artifact.width && artifact.height ? { aspectRatio: `${artifact.width} / ${artifact.height}` } : undefined
          }>
          {artifact.kind === "image" ? (
            <button class="result-open" onClick={open} aria-label={`${words.large}: ${prompt}`}>
              <Media item={items[index]} />
            </button>
          ) : artifact.kind === "audio" ? (
            <SoundPlayer key={artifact.id} item={{ ...items[index], label: prompt }} />
          ) : (
            <Player item={items[index]} />
          )}
        </div>
      )}
      {artifacts.length > 1 && !inGrid && (
        <div class="result-several" role="group" aria-label={words.several}>
          {items.map((item, i) => (
            <button
              key={item.id}
              aria-pressed={i === index}
              aria-label={`${words.several} ${i + 1}`}
              onClick={() => show(i)}>
              <Thumbnail item={{ ...item, label: "", width: 1, height: 1 }} />
            </button>
          ))}
        </div>
      )}
      <Actions
        workflow={workflow}
        artifact={artifact}
        step={step}
        actions={actions}
        onCompare={comparison && (() => setComparing(true))}
      />
      {comparing && comparison && <CompareDialog {...comparison} onClose={() => setComparing(false)} />}
      <Facts workflow={workflow} artifact={artifact} step={step} onSeed={actions.onSeed} />
      <Ignored artifact={artifact} />
    </div>
  );
}

/** A model, or a video with its poster. */
function Player({ item }: { item: MediaItem }) {
  const isVideo = item.kind === "video";
  const poster = useData(
    (signal) =>
      isVideo
        ? get("/v1/artifacts/{id}", { path: { id: item.id }, signal }).then(
            (d) => d.artifact.thumbnailUrl,
            () => null,
          )
        : Promise.resolve(null),
    [item.id],
  );
  return (
    <Media
      item={{ ...item, thumbnailUrl: poster.data }}
      autoPlay={isVideo && !matchMedia("(prefers-reduced-motion: reduce)").matches}
    />
  );
}

interface FactsProps {
  workflow: Workflow;
  artifact: Artifact;
  step: Step | undefined;
  onSeed: (seed: number) => void;
}

function Facts({ workflow, artifact, step, onSeed }: FactsProps) {
  const { seed } = artifact;
  const cost = step?.cost.actual;
  return (
    <p class="result-facts muted small">
      {artifact.preview && (
        <Chip tone="warn" title={words.previewAbout}>
          {words.preview}
        </Chip>
      )}
      {seed !== undefined && (
        <span>
          {words.seed}{" "}
          <button class="copy" title={words.keepSeed} onClick={() => onSeed(seed)}>
            {seed}
          </button>
        </span>
      )}
      {artifact.width ? (
        <span>
          {artifact.width} × {artifact.height}
        </span>
      ) : null}
      {cost && <span>{cost.byPlan ? text.byPlan : words.charged(price(cost.costInSpark))}</span>}
      <a href={encoded`/workflows/${workflow.workflowId}`}>{words.workflow}</a>
    </p>
  );
}

/** What was not understood of the prompt. */
function Ignored({ artifact }: { artifact: Artifact }) {
  const ignored = artifact.notUnderstood ?? textsOf(artifact.metadata?.notUnderstood);
  const understood = textOf(artifact.metadata?.understood);
  if (!ignored.length) return null;
  return (
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
  );
}
