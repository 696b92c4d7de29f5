// The canvas with its tools, the outline and the issues.

import { useMemo, useState } from "preact/hooks";
import { Icon } from "../parts/icon";
import { mediaOf } from "../parts/item";
import { Notice } from "../parts/notice";
import { inputsId } from "../template/derive";
import { kindName, text } from "../texts/builder";
import { stateOf, type Artifact } from "../workflow/model";
import type { Watched } from "../workflow/watch";
import { Canvas } from "./canvas";
import { countOf } from "./document";
import { PortDot, type StageRun } from "./node";
import { Issues } from "./parts";
import { shapesOf } from "./shape";
import { addToSelected, Stages, type Shared } from "./shared";
import type { Graph } from "./use-edits";

export function Drawing(shared: Shared) {
  const {
    saving: { editor },
    graph,
    edits,
    checked,
    watched,
    selected,
    select,
    show,
    open,
    jumpTo,
  } = shared;
  const [scale, setScale] = useState(1);
  const runs = useMemo(() => runsOf(watched), [watched.workflow]);
  const isWrong = checked.issues.some((issue) => issue.severity === "error");
  return (
    <div class="stack">
      <DrawingTools {...shared} scale={scale} onScale={setScale} />
      <div class="builder-drawing">
        <Canvas
          {...graph}
          places={editor.places}
          selected={selected}
          issues={checked.byNode}
          runs={runs}
          scale={scale}
          isStale={editor.problem !== undefined}
          onScale={setScale}
          onSelect={select}
          onShow={show}
          onOpen={open}
          onConnect={(source) => edits.setChoosing({ what: "target", source })}
          onDrop={edits.drop}
          onRemove={edits.remove}
          onRemoveEdge={edits.removeEdge}
          onAddAfter={(source) => edits.setChoosing({ what: "tool", source })}
          onMove={edits.move}
        />
        {editor.problem && (
          <div class="builder-invalid">
            <Notice tone="warn">{text.invalid(editor.problem.line)}</Notice>
          </div>
        )}
      </div>
      <Legend {...graph} />
      {graph.stages.length > 0 && <p class="small muted">{text.keys}</p>}
      <details class="builder-outline">
        <summary>{text.tab.outline}</summary>
        <Stages {...shared} />
      </details>
      {checked.issues.length > 0 && (
        <h2 class="issues-head">
          {text.issues} <span class={isWrong ? "error-text" : "muted small"}>{countOf(checked.issues)}</span>
        </h2>
      )}
      <Issues issues={checked.issues} state={checked.state} onJump={jumpTo} />
    </div>
  );
}

type ToolsProps = Shared & { scale: number; onScale: (scale: number) => void };

function DrawingTools(props: ToolsProps) {
  const { edits, selected, open, scale, onScale } = props;
  // The whole drawing, at most in its own size.
  const fit = () => {
    const box = document.querySelector<HTMLElement>(".builder-canvas")!;
    const place = box.querySelector<HTMLElement>(".graph-place")!;
    onScale(
      Math.min(1, (box.clientWidth * scale) / place.offsetWidth, (box.clientHeight * scale) / place.offsetHeight),
    );
  };
  return (
    <div class="row builder-tools">
      <button class="quiet" onClick={() => addToSelected(props)}>
        <Icon name="plus" size={16} /> {text.addStage}
      </button>
      <button class="quiet" aria-pressed={selected === inputsId} onClick={() => open(inputsId)}>
        {text.inputs}
      </button>
      <button class="quiet" aria-pressed={selected === ""} onClick={() => open("")}>
        {text.settings}
      </button>
      <span class="grow" />
      <button class="quiet" title={text.tidyHelp} onClick={edits.tidy}>
        {text.tidy}
      </button>
      <button class="quiet" title={text.fitHelp} onClick={fit}>
        {text.fit}
      </button>
      <button
        class="icon-button"
        aria-label={text.smaller}
        disabled={scale <= 0.5}
        onClick={() => onScale(Math.max(0.5, scale - 0.15))}>
        −
      </button>
      <button
        class="icon-button"
        aria-label={text.larger}
        disabled={scale >= 1.25}
        onClick={() => onScale(Math.min(1.25, scale + 0.15))}>
        +
      </button>
    </div>
  );
}

/** The kinds of the ports that are drawn. */
function Legend({ inputs, stages, edges, tools }: Graph) {
  const shapes = shapesOf(inputs, stages, edges, tools);
  const made = stages.map((stage) => tools.get(stage.tool)?.produces ?? "");
  const kinds = [...shapes.flatMap((shape) => shape.ports.map((port) => port.kind)), ...made].filter(Boolean);
  const named = [...new Map(kinds.map((kind) => [kindName(kind), kind]))];
  if (!named.length) return null;
  return (
    <ul class="row small muted">
      {named.map(([name, kind]) => (
        <li class="row port-name" key={name}>
          <PortDot kind={kind} /> {name}
        </li>
      ))}
    </ul>
  );
}

const pictureIn = (artifact: Artifact) =>
  artifact.kind === "image" ? artifact.url : mediaOf(artifact, "").thumbnailUrl;

/** How far the stages are in the run that is shown. */
function runsOf({ workflow }: Watched): Map<string, StageRun> {
  const out = new Map<string, StageRun>();
  for (const step of workflow?.steps ?? []) {
    const id = step.id.split("/")[0];
    const picture = (step.artifacts.map(pictureIn).find(Boolean) ?? step.previewUrl) || undefined;
    const old = out.get(id);
    const state = old && old.status !== "completed" ? old : stateOf(workflow!, step);
    out.set(id, {
      status: state.status,
      name: state.name,
      progress: Math.min(old?.progress ?? 1, step.progress),
      picture: old?.picture ?? picture,
    });
  }
  return out;
}
