// The visual builder of templates.

import { useLocation } from "preact-iso/router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { encoded } from "../api";
import { useListener, useTitle } from "../hooks";
import { Choices } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { Notice } from "../parts/notice";
import { useNarrow, useQuery } from "../query";
import { edgesOf, inputsId, stagesOf, type Path, type StageNode } from "../template/derive";
import { saveFile } from "../template/file";
import { isOwn } from "../template/load";
import { inputsOf } from "../template/model";
import { text } from "../texts/builder";
import type { Template } from "../types";
import { useWorkflow, type Watched } from "../workflow/watch";
import { Canvas, type StageRun } from "./canvas";
import { sourceOfInput, sourceOfStage, type Source, type Tools } from "./connect";
import { parsePath, pathText, type Issue } from "./document";
import { InputsForm, StageForm, TemplateForm, type FormContext } from "./forms";
import { JsonEditor } from "./json";
import { ConflictDialog, ConnectDialog, Issues, Outline, ToolDialog } from "./parts";
import { RunPanel } from "./run";
import { useEdits, type Edits, type Graph } from "./use-edits";
import { textOf, useIssues, useSaveActions, useSaving, type Saving } from "./use-saving";

type Tab = "outline" | "form" | "json" | "issues" | "run";

interface BuilderProps {
  template?: Template;
  tools: Tools;
  isToolless: boolean;
  /** Called with the id of what was saved, before it gets its address. */
  onStored: (id: string) => void;
}

export function Builder({ template: loaded, tools, isToolless, onStored }: BuilderProps) {
  const [query, change] = useQuery();
  const narrow = useNarrow();
  const saving = useSaving(loaded, onStored);
  const { editor, template } = saving;
  const graph = useGraph(editor.template, tools);
  const selected = query.stage ?? "";
  const select = (id: string) => change({ stage: id || undefined });
  const open = (id: string) => {
    change({ stage: id || undefined, tab: "form" });
    setTimeout(
      () =>
        document
          .querySelector<HTMLElement>(".builder-panel input, .builder-panel select, .builder-panel textarea")
          ?.focus(),
      30,
    );
  };
  const edits = useEdits(editor, graph, selected, select);
  const checked = useChecked(saving, graph);
  const watched = useWorkflow(query.run ?? "");
  const { saveNow, settle } = useSaveActions(saving, () => narrow && change({ tab: "issues" }));
  useTitle(template ? text.editTitle(template.name) : text.newTitle);
  useKeys(editor, saveNow);
  const tab = tabOf(query.tab, narrow);
  const [jump, setJump] = useState<{ path: string; at: number }>();
  const jumpTo = (issue: Issue) => {
    const stage = nodeAt(issue.path, graph.stages) || undefined;
    if (tab === "json") {
      change({ stage });
      return setJump({ path: issue.path, at: Date.now() });
    }
    change({ stage, tab: "form" });
    setTimeout(() => fieldFor(issue.path)?.focus(), 50);
  };
  const shared: Shared = { saving, graph, edits, checked, watched, selected, select, open, jumpTo };
  return (
    <div class="builder">
      <Head saving={saving} onRun={() => change({ tab: "run" })} onSave={() => void saveNow()} />
      {template && !isOwn(template) && <p class="small muted">{text.notYours}</p>}
      {saving.isRestored && (
        <Notice tone="plain">
          {text.restored}{" "}
          <button class="quiet" onClick={saving.discard}>
            {text.discard}
          </button>
        </Notice>
      )}
      {isToolless && <Notice tone="warn">{text.noTools}</Notice>}
      <div class="builder-main">
        {!narrow && <Drawing {...shared} />}
        <Panel {...shared} tab={tab} isNarrow={narrow} jump={jump} />
      </div>
      <p class="offscreen" role="status" aria-live="polite">
        {edits.spoken}
      </p>
      {saving.newer && (
        <ConflictDialog
          version={saving.newer}
          onLoad={() => void settle(false)}
          onOverwrite={() => void settle(true)}
          onClose={() => saving.setNewer(undefined)}
        />
      )}
      {choiceDialog(edits, graph)}
    </div>
  );
}

/** What the parts of the builder share. */
interface Shared {
  saving: Saving;
  graph: Graph;
  edits: Edits;
  checked: Checked;
  watched: Watched;
  selected: string;
  select: (id: string) => void;
  open: (id: string) => void;
  jumpTo: (issue: Issue) => void;
}

function useGraph(document: Record<string, unknown>, tools: Tools): Graph {
  const inputs = useMemo(() => inputsOf(document), [document]);
  const stages = useMemo(() => stagesOf(document), [document]);
  const edges = useMemo(() => edgesOf(document, stages), [document, stages]);
  return { inputs, stages, edges, tools };
}

/** A tab that there is: beside the drawing, the outline and the issues have no tabs. */
function tabOf(name: string | undefined, isNarrow: boolean): Tab {
  return tabsOf(isNarrow).find((tab) => tab === name) ?? (isNarrow ? "outline" : "form");
}

const tabsOf = (isNarrow: boolean): Tab[] =>
  isNarrow ? ["outline", "form", "json", "issues", "run"] : ["form", "json", "run"];

interface Checked {
  issues: Issue[];
  byNode: Map<string, Issue[]>;
  state: string;
  errorAt: (path: Path) => string | undefined;
}

/** What is wrong with the document, by node and by field. */
function useChecked({ editor, refusedIssues }: Saving, { stages, tools }: Graph): Checked {
  const { issues: found, local, state } = useIssues(editor.text, editor.problem !== undefined, editor.template, tools);
  const issues = refusedIssues ?? found;
  const byNode = useMemo(() => {
    const out = new Map<string, Issue[]>();
    for (const issue of issues) {
      const id = nodeAt(issue.path, stages);
      out.set(id, [...(out.get(id) ?? []), issue]);
    }
    return out;
  }, [issues, stages]);
  // At its field, what the browser says stays when the service says the same; the place needs no name there.
  const errorAt = (path: Path) => {
    const at = pathText(path);
    const isHere = (issue: Issue) => issue.path === at && issue.severity === "error";
    const here = local.find(isHere) ?? issues.find(isHere);
    return here && sentence(here.message, at);
  };
  return { issues, byNode, state, errorAt };
}

/** Undo, redo and save with the keys that people know. */
function useKeys(editor: Saving["editor"], saveNow: () => Promise<void>) {
  const [asked, askSave] = useState(0);
  useListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key === "z") event.shiftKey ? editor.redo() : editor.undo();
    else if (key === "y") editor.redo();
    else if (key === "s") {
      // A field that is written when the person leaves it is written now, and then saved.
      document.activeElement?.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
      askSave((n) => n + 1);
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    if (asked) void saveNow();
  }, [asked]);
}

function Head({ saving, onRun, onSave }: { saving: Saving; onRun: () => void; onSave: () => void }) {
  const { editor, template, isDirty, busy } = saving;
  const { name } = editor.template;
  const isSaved = template !== undefined && isOwn(template) && !isDirty;
  return (
    <header class="builder-head">
      <div class="grow">
        <p class="small">
          <a href={template ? encoded`/templates/${template.id}` : "/templates"}>
            {template ? text.back : text.backAll}
          </a>
        </p>
        <h1>{typeof name === "string" && name ? name : text.untitled}</h1>
      </div>
      <div class="row">
        <span class="small muted" role="status">
          {busy ? text.saving : isDirty ? text.unsaved : ""}
        </span>
        <IconButton
          icon="undo"
          size={20}
          label={text.undo}
          title={`${text.undo} (Ctrl+Z)`}
          disabled={!editor.canUndo}
          onClick={editor.undo}
        />
        <IconButton
          icon="redo"
          size={20}
          label={text.redo}
          title={`${text.redo} (Ctrl+Shift+Z)`}
          disabled={!editor.canRedo}
          onClick={editor.redo}
        />
        <IconButton
          icon="download"
          size={20}
          label={text.download}
          title={text.download}
          onClick={() => saveFile(`${template?.id ?? "template"}.json`, textOf(editor))}
        />
        <button class="quiet" onClick={onRun}>
          <Icon name="play" size={16} /> {text.run}
        </button>
        <button class="primary" disabled={busy || editor.problem !== undefined || isSaved} onClick={onSave}>
          {template && !isOwn(template) ? text.saveCopy : text.save}
        </button>
      </div>
    </header>
  );
}

/** The canvas with its tools, the outline and the issues. */
function Drawing(shared: Shared) {
  const {
    saving: { editor },
    graph,
    edits,
    checked,
    watched,
    selected,
    select,
    open,
    jumpTo,
  } = shared;
  const [scale, setScale] = useState(1);
  const runs = useMemo(() => runsOf(watched), [watched.workflow]);
  const errors = checked.issues.filter((issue) => issue.severity === "error").length;
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
      <p class="small muted">{text.keys}</p>
      <details class="builder-outline">
        <summary>{text.tab.outline}</summary>
        <Stages {...shared} />
      </details>
      <h2 class="issues-head">
        {text.issues}{" "}
        {!editor.problem && (
          <span class={errors ? "error-text" : "muted small"}>
            {text.issueCount(errors, checked.issues.length - errors)}
          </span>
        )}
      </h2>
      <Issues issues={checked.issues} state={checked.state} onJump={jumpTo} />
    </div>
  );
}

function DrawingTools({
  edits,
  selected,
  open,
  scale,
  onScale,
}: Shared & { scale: number; onScale: (scale: number) => void }) {
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
      <button class="quiet" onClick={() => edits.setChoosing({ what: "tool" })}>
        <Icon name="plus" size={16} /> {text.addStage}
      </button>
      <button class="quiet" aria-pressed={selected === inputsId} onClick={() => open(inputsId)}>
        {text.inputs}
      </button>
      <button class="quiet" aria-pressed={selected === ""} onClick={() => open("")}>
        {text.settings}
      </button>
      <span class="grow" />
      <button class="quiet" onClick={edits.tidy}>
        {text.tidy}
      </button>
      <button class="quiet" onClick={fit}>
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

/** How far the stages are in the run that is shown. */
function runsOf({ workflow }: Watched): Map<string, StageRun> {
  const out = new Map<string, StageRun>();
  for (const step of workflow?.steps ?? []) {
    const id = step.id.split("/")[0];
    const picture = step.artifacts.find((artifact) => artifact.kind === "image")?.url ?? step.previewUrl;
    const old = out.get(id);
    const status = old && old.status !== "completed" ? old.status : step.status;
    out.set(id, { status, progress: Math.min(old?.progress ?? 1, step.progress), picture: old?.picture ?? picture });
  }
  return out;
}

/** The stages as a list. */
function Stages({ graph, edits, checked, selected, open }: Shared) {
  return (
    <Outline
      {...graph}
      issues={checked.byNode}
      selected={selected}
      onOpen={open}
      onRemove={edits.remove}
      onConnect={(stage) => edits.setChoosing({ what: "target", source: sourceOfStage(stage, graph.tools) })}
      onAddAfter={(stage) => edits.setChoosing({ what: "tool", source: sourceOfStage(stage, graph.tools) })}
    />
  );
}

type PanelProps = Shared & { tab: Tab; isNarrow: boolean; jump: { path: string; at: number } | undefined };

/** What is beside the drawing, or in place of it in a narrow window. */
function Panel(props: PanelProps) {
  const { saving, graph, edits, checked, watched, selected, jumpTo, tab, isNarrow, jump } = props;
  const { editor, template, isDirty } = saving;
  const { route } = useLocation();
  const [, change] = useQuery();
  const panel = useRef<HTMLDivElement>(null);
  const node = graph.stages.find((stage) => stage.id === selected);
  const shownForm = node ? pathText(node.path) : selected;
  useLayoutEffect(() => {
    panel.current!.scrollTop = 0;
  }, [shownForm, tab]);
  const label = (name: Tab) =>
    name === "issues" && checked.issues.length ? (
      <>
        {text.tab.issues} <span class="filter-count">{checked.issues.length}</span>
      </>
    ) : (
      text.tab[name]
    );
  return (
    <div class="builder-panel" ref={panel}>
      <Choices<Tab>
        label={text.tabs}
        value={tab}
        onInput={(value) => change({ tab: value })}
        options={tabsOf(isNarrow).map((name) => ({ value: name, label: label(name) }))}
      />
      {tab === "outline" && (
        <div class="stack">
          <Stages {...props} />
          <p>
            <button class="quiet" onClick={() => edits.setChoosing({ what: "tool" })}>
              <Icon name="plus" size={16} /> {text.addStage}
            </button>
          </p>
        </div>
      )}
      {tab === "form" && <Form {...props} node={node} />}
      {tab === "json" && <JsonEditor editor={editor} issues={checked.issues} jump={jump} />}
      {isNarrow && editor.problem && <Notice tone="warn">{text.invalid(editor.problem.line)}</Notice>}
      {tab === "issues" && <Issues issues={checked.issues} state={checked.state} onJump={jumpTo} />}
      {tab === "run" && (
        <RunPanel
          template={template}
          inputs={graph.inputs}
          watched={watched}
          isSaved={template !== undefined && !isDirty}
          store={saving.store}
          onStarted={(workflow, id) => route(encoded`/templates/${id}/edit?tab=run&run=${workflow.workflowId}`, true)}
          onAnother={() => change({ run: undefined })}
        />
      )}
    </div>
  );
}

/** The form of what is selected: a stage, the inputs, or the template. */
function Form({ saving, graph, edits, checked, selected, select, node }: Shared & { node: StageNode | undefined }) {
  const context: FormContext = { ...graph, editor: saving.editor, errorAt: checked.errorAt };
  const connectFrom = (source: Source) => edits.setChoosing({ what: "target", source });
  if (node) {
    return (
      <StageForm
        key={pathText(node.path)}
        context={context}
        node={node}
        onConnect={() => connectFrom(sourceOfStage(node, graph.tools))}
        onRemove={() => edits.remove(node.id)}
        onRemoveEdge={edits.removeEdge}
        onRenamed={select}
      />
    );
  }
  if (selected === inputsId)
    return <InputsForm context={context} onConnect={(input) => connectFrom(sourceOfInput(input))} />;
  return <TemplateForm {...context} />;
}

/**
 * The dialog for what the person is asked. It is no component: its dialog has to be gone, and the focus back on the node
 * before, when the canvas draws another selection.
 */
function choiceDialog(edits: Edits, graph: Graph) {
  const { choosing, setChoosing } = edits;
  const close = () => setChoosing(undefined);
  if (choosing?.what === "tool")
    return (
      <ToolDialog
        tools={graph.tools}
        source={choosing.source}
        onPick={(tool) => edits.add(tool, choosing.source)}
        onClose={close}
      />
    );
  if (choosing?.what !== "target") return null;
  return (
    <ConnectDialog
      source={choosing.source}
      only={choosing.only}
      stages={graph.stages}
      edges={graph.edges}
      tools={graph.tools}
      onPick={(target) => edits.link(choosing.source, target)}
      onAdd={() => setChoosing({ what: "tool", source: choosing.source })}
      onClose={close}
    />
  );
}

/** The node that a place belongs to: a stage, the inputs, or the template itself. */
function nodeAt(path: string, stages: StageNode[]): string {
  const parts = parsePath(path);
  if (parts[0] === "inputs") return inputsId;
  const inside = stages.filter((stage) => stage.path.every((part, i) => part === parts[i]));
  return inside.sort((a, b) => b.path.length - a.path.length)[0]?.id ?? "";
}

/** A message at its own place: without the path that it begins with. */
function sentence(message: string, path: string): string {
  const rest = message.startsWith(path + " ") ? message.slice(path.length + 1) : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The control for a place: its own, or that of what it is in. */
function fieldFor(path: string): HTMLElement | null {
  const parts = parsePath(path);
  for (let n = parts.length; n > 0; n--) {
    const box = document.querySelector<HTMLElement>(`[data-path="${CSS.escape(pathText(parts.slice(0, n)))}"]`);
    if (box) box.closest("details")?.setAttribute("open", "");
    const field = box?.querySelector<HTMLElement>("input, textarea, select");
    if (field) return field;
  }
  return null;
}
