// Lists of the builder: its outline, its issues, and the dialogs that choose a tool or a target.

import { useState } from "preact/hooks";
import { words } from "../format";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { Notice } from "../parts/notice";
import { inputsId, type Edge, type StageNode } from "../template/derive";
import type { TemplateInput } from "../template/model";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/builder";
import { text as common } from "../texts/shell";
import { targetsOf, type Source, type Target, type Tools } from "./connect";
import type { Issue } from "./document";

interface OutlineProps {
  inputs: TemplateInput[];
  stages: StageNode[];
  edges: Edge[];
  tools: Tools;
  issues: Map<string, Issue[]>;
  selected: string;
  onOpen: (id: string) => void;
  onConnect: (stage: StageNode) => void;
  onAddAfter: (stage: StageNode) => void;
  onRemove: (id: string) => void;
}

/** The same actions as on the canvas, as a list. */
export function Outline(props: OutlineProps) {
  const { inputs, stages, issues, selected, onOpen } = props;
  return (
    <ul class="outline">
      <li>
        <button class="outline-name" aria-pressed={selected === ""} onClick={() => onOpen("")}>
          {text.settings}
        </button>
      </li>
      <li>
        <button class="outline-name" aria-pressed={selected === inputsId} onClick={() => onOpen(inputsId)}>
          {text.inputs} <span class="small muted">{inputs.map((input) => input.name).join(", ")}</span>
        </button>
        <Mark issues={issues.get(inputsId)} />
      </li>
      {stages.map((stage) => (
        <OutlineStage key={stage.id} outline={props} stage={stage} />
      ))}
    </ul>
  );
}

function OutlineStage({ outline, stage }: { outline: OutlineProps; stage: StageNode }) {
  const { stages, edges, tools, issues, selected, onOpen, onConnect, onAddAfter, onRemove } = outline;
  const sourceOf = (edge: Edge) =>
    edge.from === inputsId ? edge.input! : (stages.find((other) => other.id === edge.from)?.label ?? edge.from);
  const sources = [...new Set(edges.filter((edge) => edge.to === stage.id).map(sourceOf))].join(", ");
  return (
    <li class={stage.parent ? "inner" : ""}>
      <button
        class="outline-name"
        data-stage={stage.id}
        aria-pressed={selected === stage.id}
        onClick={() => onOpen(stage.id)}>
        {stage.label}{" "}
        <span class="small muted">
          {words(stage.tool)}
          {sources && ` ← ${sources}`}
        </span>
      </button>
      <Mark issues={issues.get(stage.id)} />
      {tools.get(stage.tool)?.produces && (
        <IconButton icon="reference" label={text.connectTitle(stage.label)} onClick={() => onConnect(stage)} />
      )}
      <IconButton icon="plus" label={text.addAfter(stage.label)} onClick={() => onAddAfter(stage)} />
      <IconButton icon="trash" label={`${text.deleteStage}: ${stage.label}`} onClick={() => onRemove(stage.id)} />
    </li>
  );
}

function Mark({ issues = [] }: { issues?: Issue[] }) {
  if (!issues.length) return null;
  return (
    <span
      class={`node-mark ${issues.some((issue) => issue.severity === "error") ? "error" : "warning"}`}
      title={issues[0].message}>
      <Icon name="warning" size={16} />
      <span class="offscreen">{issues[0].message}</span>
    </span>
  );
}

export function Issues({ issues, state, onJump }: { issues: Issue[]; state: string; onJump: (issue: Issue) => void }) {
  return (
    <section class="issues" aria-label={text.issues}>
      <p class="small muted" role="status">
        {state}
      </p>
      <IssueList issues={issues} onJump={onJump} />
    </section>
  );
}

const IssueList = ({ issues, onJump }: { issues: Issue[]; onJump: (issue: Issue) => void }) => (
  <ul>
    {issues.map((issue, i) => (
      <li key={i}>
        <button type="button" class={`issue ${issue.severity}`} onClick={() => onJump(issue)}>
          <Icon name="warning" size={16} />
          <span>
            <span class="offscreen">{text.severity[issue.severity]}: </span>
            {issue.place && <strong>{issue.place}: </strong>}
            {issue.message}
          </span>
        </button>
      </li>
    ))}
  </ul>
);

/** Why the template cannot start. Each reason leads to its field. */
export const Refusal = (props: { issues: Issue[]; onJump: (issue: Issue) => void }) => (
  <Notice tone="bad">
    <p>{text.refused}</p>
    <IssueList {...props} />
  </Notice>
);

export const nameOf = (source: Source) => source.input?.name ?? source.stage!.label;

/** The stages and arguments that can take what a source gives. */
export function ConnectDialog({
  source,
  stages,
  edges,
  tools,
  only,
  onPick,
  onAdd,
  onClose,
}: {
  source: Source;
  stages: StageNode[];
  edges: Edge[];
  tools: Tools;
  only?: string;
  onPick: (target: Target) => void;
  onAdd: () => void;
  onClose: () => void;
}) {
  const targets = targetsOf(source, stages, edges, tools).filter((target) => !only || target.stage.id === only);
  return (
    <Dialog title={only ? text.pick : text.connectTitle(nameOf(source))} onClose={onClose}>
      {!targets.length && <p class="muted">{text.connectNone}</p>}
      <ul class="picker">
        {targets.map((target) => (
          <li key={`${target.stage.id} ${target.argument.name}`}>
            <button class="picker-item" onClick={() => onPick(target)}>
              <strong>{target.stage.label}</strong> <span class="muted">{labelOf(target.argument.name)}</span>
            </button>
          </li>
        ))}
      </ul>
      <footer>
        <button class="quiet" onClick={onAdd}>
          <Icon name="plus" size={16} /> {text.addStage}
        </button>
      </footer>
    </Dialog>
  );
}

/** A newer version of the template was saved meanwhile. */
export function ConflictDialog({
  version,
  onLoad,
  onOverwrite,
  onClose,
}: {
  version: string;
  onLoad: () => void;
  onOverwrite: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog title={text.conflictTitle} onClose={onClose}>
      <p class="dialog-text">{text.conflictText(version)}</p>
      <footer>
        <button class="quiet danger" onClick={onOverwrite}>
          {text.overwrite}
        </button>
        <button class="primary" onClick={onLoad}>
          {text.loadNewer}
        </button>
      </footer>
    </Dialog>
  );
}

/** Asks for the name of a template that is saved for the first time. */
export function NameDialog({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog title={text.nameTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) onName(name.trim());
        }}>
        <TextField label={text.name} value={name} onInput={setName} />
        <footer>
          <button type="button" class="quiet" onClick={onClose}>
            {common.cancel}
          </button>
          <button class="primary" disabled={!name.trim()}>
            {text.save}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
