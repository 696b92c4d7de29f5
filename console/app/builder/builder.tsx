// The visual builder of templates.

import { useLocation } from "preact-iso/router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { useListener, useSettled, useTitle } from "../hooks";
import { Choices } from "../parts/field";
import { Icon } from "../parts/icon";
import { Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { useNarrow, useQuery } from "../query";
import { arrange } from "../graph/layout";
import { edgesOf, inputsId, stagesOf, type Edge, type Path, type StageNode } from "../template/derive";
import { saveFile } from "../template/file";
import { isOwn, templatePath, templatesPath, type Issue, type Template, type TemplateInput, type Tool } from "../template/model";
import { text } from "../texts/builder";
import { useWorkflow } from "../workflow/watch";
import { Canvas, type StageRun } from "./canvas";
import { check } from "./check";
import { addStage, connect, disconnect, fittingArguments, removeStage, sourceOfInput, sourceOfStage, type Source, type Target, type Tools } from "./connect";
import { parsePath, pathText, useEditor, withPlaces } from "./document";
import { InputsForm, StageForm, TemplateForm, type FormContext } from "./forms";
import { JsonEditor } from "./json";
import { ConflictDialog, ConnectDialog, Issues, Outline, ToolDialog } from "./parts";
import { RunPanel } from "./run";
import { shapesOf } from "./shape";
import { drafts, emptyText, issuesOf, newerVersion, save, textOf } from "./store";

type Tab = "outline" | "form" | "json" | "issues" | "run";

type Choosing = { what: "tool"; source?: Source } | { what: "target"; source: Source; only?: string };

export function Builder({ template: loaded, tools, isToolless, onStored }: {
  template?: Template; tools: Tools; isToolless: boolean;
  /** Called with the id of what was saved, before it gets its address. */
  onStored: (id: string) => void;
}) {
  const { route } = useLocation();
  const [query, change] = useQuery();
  const narrow = useNarrow();
  const first = useMemo(() => (loaded ? textOf(loaded) : emptyText()), []);
  const draft = useMemo(() => drafts.read(loaded?.id), []);
  // With the version that the document was made from, which may be an older one.
  const [template, setTemplate] = useState(loaded && { ...loaded, version: draft?.version ?? loaded.version });
  const editor = useEditor(draft?.text ?? first);
  const [savedText, setSavedText] = useState(first);
  const [isRestored, setRestored] = useState(draft !== null && draft.text !== first);
  const [newer, setNewer] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [asked, askSave] = useState(0);
  const [choosing, setChoosing] = useState<Choosing>();
  const [spoken, say] = useState("");
  const [scale, setScale] = useState(1);
  const [jump, setJump] = useState<{ path: string; at: number }>();

  const document_ = editor.template;
  const inputs: TemplateInput[] = useMemo(() => (Array.isArray(document_.inputs) ? document_.inputs : []).map((input: any) => (input !== null && typeof input === "object" ? input : {})), [document_]);
  const stages = useMemo(() => stagesOf(document_), [document_]);
  const edges = useMemo(() => edgesOf(document_, stages), [document_, stages]);
  const selected = query.stage ?? "";
  const node = stages.find((stage) => stage.id === selected);
  const tab: Tab = (["outline", "form", "json", "issues", "run"] as Tab[]).find((name) => name === query.tab && (narrow || (name !== "outline" && name !== "issues"))) ?? (narrow ? "outline" : "form");
  const isDirty = editor.text !== savedText;
  useTitle(template ? text.editTitle(template.name) : text.newTitle);

  const { issues, local, state } = useIssues(editor.text, editor.problem !== undefined, document_, tools);
  const [refused, setRefused] = useState<{ text: string; issues: Issue[] }>();
  const shownIssues = refused?.text === editor.text ? refused.issues : issues;
  const issueMap = useMemo(() => {
    const out = new Map<string, Issue[]>();
    for (const issue of shownIssues) {
      const id = nodeAt(issue.path, stages);
      out.set(id, [...(out.get(id) ?? []), issue]);
    }
    return out;
  }, [shownIssues, stages]);
  // At its field, what the browser says stays when the service says the same; the place needs no name there.
  const errorAt = (path: Path) => {
    const at = pathText(path);
    const isHere = (issue: Issue) => issue.path === at && issue.severity === "error";
    const found = local.find(isHere) ?? shownIssues.find(isHere);
    return found && sentence(found.message, at);
  };

  useEffect(() => drafts.write(template?.id, isDirty ? editor.text : null, template?.version), [editor.text, isDirty]);
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);

  /** Saves what there is, and returns the template it is in. */
  const store = async (over = template): Promise<Template> => {
    const document = withPlaces(editor.text, stages.map((stage) => stage.id), editor.places);
    setBusy(true);
    try {
      const stored = await save(document, over);
      drafts.write(template?.id, null);
      onStored(stored.id);
      setTemplate(stored);
      editor.edit(() => document, "saved");
      setSavedText(document);
      setRestored(false);
      toast(text.saved);
      return stored;
    } catch (error) {
      const found = issuesOf(error);
      if (found) setRefused({ text: editor.text, issues: found });
      setNewer(newerVersion(error));
      throw error;
    } finally {
      setBusy(false);
    }
  };
  const saveNow = async (over = template) => {
    if (busy || editor.problem) return;
    try {
      const stored = await store(over);
      if (stored.id !== template?.id) route(encoded`/templates/${stored.id}/edit` + location.search, true);
    } catch (error) {
      if (!newerVersion(error)) toastError(error);
      if (narrow && issuesOf(error)) change({ tab: "issues" });
    }
  };

  /** Ends the conflict with a newer version: it is loaded, or what is here is saved over it. */
  const settle = async (isOverwrite: boolean) => {
    setNewer(undefined);
    try {
      const now: Template = (await get(templatePath(template!.id))).template;
      if (isOverwrite) return void (await saveNow(now));
      setTemplate(now);
      setSavedText(textOf(now));
      setRestored(false);
      editor.load(textOf(now));
      toast(text.loaded(now.version));
    } catch (error) {
      toastError(error);
    }
  };

  const select = (id: string) => change({ stage: id || undefined });
  const open = (id: string) => {
    change({ stage: id || undefined, tab: "form" });
    setTimeout(() => window.document.querySelector<HTMLElement>(".builder-panel input, .builder-panel select, .builder-panel textarea")?.focus(), 30);
  };
  const apply = (change: (now: string) => string, sentence: string) => {
    editor.edit(change);
    say(sentence);
  };
  const nameOf = (source: Source) => source.input?.name ?? source.stage!.label;
  const link = (source: Source, target: Target) => {
    setChoosing(undefined);
    apply((now) => connect(now, source, target.stage, target.argument), text.connected(nameOf(source), target.stage.label));
  };
  const drop = (source: Source, stage: StageNode, argument?: string) => {
    const fitting = fittingArguments(source, tools.get(stage.tool));
    const chosen = fitting.find((candidate) => candidate.name === argument) ?? (fitting.length === 1 ? fitting[0] : undefined);
    if (chosen) link(source, { stage, argument: chosen });
    else if (fitting.length) setChoosing({ what: "target", source, only: stage.id });
  };
  const add = (tool: Tool, source?: Source) => {
    setChoosing(undefined);
    if (editor.problem) return;
    const made = addStage(editor.text, tool);
    editor.edit(() => {
      const stage = source?.kind && stagesOf(JSON.parse(made.text)).find((candidate) => candidate.id === made.id);
      const argument = stage && fittingArguments(source, tool)[0];
      return stage && argument ? connect(made.text, source, stage, argument) : made.text;
    });
    say(text.added(made.id));
    select(made.id);
  };
  const remove = (id: string) => {
    const stage = stages.find((candidate) => candidate.id === id);
    if (!stage) return;
    apply((now) => removeStage(now, stage, edges), text.removed(stage.label));
    const near = edges.find((edge) => edge.to === id && edge.from !== inputsId)?.from;
    select(near ?? "");
  };
  const removeEdge = (edge: Edge) => apply((now) => disconnect(now, edge), text.disconnected(edge.from === inputsId ? edge.input! : edge.from, edge.to));
  const tidy = () => {
    const laid = arrange(shapesOf(inputs, stages, edges, tools), edges);
    editor.move(Object.fromEntries([...laid].map(([id, { x, y }]) => [id, { x, y }])));
    say(text.tidied);
  };
  // The whole drawing, at most in its own size.
  const fit = () => {
    const box = window.document.querySelector<HTMLElement>(".builder-canvas")!;
    const place = box.querySelector<HTMLElement>(".graph-place")!;
    setScale(Math.min(1, (box.clientWidth * scale) / place.offsetWidth, (box.clientHeight * scale) / place.offsetHeight));
  };
  const jumpTo = (issue: Issue) => {
    const id = nodeAt(issue.path, stages);
    if (tab === "json") {
      change({ stage: id || undefined });
      setJump({ path: issue.path, at: Date.now() });
      return;
    }
    change({ stage: id || undefined, tab: "form" });
    setTimeout(() => fieldFor(issue.path)?.focus(), 50);
  };
  const panel = useRef<HTMLDivElement>(null);
  const shownForm = node ? pathText(node.path) : selected;
  useLayoutEffect(() => {
    panel.current!.scrollTop = 0;
  }, [shownForm, tab]);
  useListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || window.document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key === "z") event.shiftKey ? editor.redo() : editor.undo();
    else if (key === "y") editor.redo();
    else if (key === "s") {
      // A field that is written when the person leaves it is written now, and then saved.
      window.document.activeElement?.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
      askSave((n) => n + 1);
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    if (asked) void saveNow();
  }, [asked]);

  const watched = useWorkflow(query.run ?? "");
  const runs = useMemo(() => {
    const out = new Map<string, StageRun>();
    for (const step of watched.workflow?.steps ?? []) {
      const id = step.id.split("/")[0];
      const picture = step.artifacts.find((artifact) => artifact.kind === "image")?.url ?? step.previewUrl;
      const old = out.get(id);
      out.set(id, { status: old && old.status !== "completed" ? old.status : step.status, progress: Math.min(old?.progress ?? 1, step.progress), picture: old?.picture ?? picture });
    }
    return out;
  }, [watched.workflow]);

  const context: FormContext = { editor, tools, stages, edges, inputs, errorAt };
  const connectFrom = (source: Source) => setChoosing({ what: "target", source });
  const form = node
    ? <StageForm key={pathText(node.path)} context={context} node={node} onConnect={() => connectFrom(sourceOfStage(node, tools))} onRemove={() => remove(node.id)} onRemoveEdge={removeEdge} onRenamed={select} />
    : selected === inputsId ? <InputsForm context={context} onConnect={(input) => connectFrom(sourceOfInput(input))} /> : <TemplateForm {...context} />;
  const errors = shownIssues.filter((issue) => issue.severity === "error").length;
  const tabs = (narrow ? ["outline", "form", "json", "issues", "run"] : ["form", "json", "run"]) as Tab[];
  return (
    <div class="builder">
      <header class="builder-head">
        <div class="grow">
          <p class="small"><a href={template ? encoded`/templates/${template.id}` : "/templates"}>{template ? text.back : text.backAll}</a></p>
          <h1>{typeof document_.name === "string" && document_.name ? document_.name : text.untitled}</h1>
        </div>
        <div class="row">
          <span class="small muted" role="status">{busy ? text.saving : isDirty ? text.unsaved : ""}</span>
          <button class="icon-button" aria-label={text.undo} title={`${text.undo} (Ctrl+Z)`} disabled={!editor.canUndo} onClick={editor.undo}><Icon name="undo" /></button>
          <button class="icon-button" aria-label={text.redo} title={`${text.redo} (Ctrl+Shift+Z)`} disabled={!editor.canRedo} onClick={editor.redo}><Icon name="redo" /></button>
          <button class="icon-button" aria-label={text.download} title={text.download} onClick={() => saveFile(`${template?.id ?? "template"}.json`, withPlaces(editor.text, stages.map((stage) => stage.id), editor.places))}><Icon name="download" /></button>
          <button class="quiet" onClick={() => change({ tab: "run" })}><Icon name="play" size={16} /> {text.run}</button>
          <button class="primary" disabled={busy || editor.problem !== undefined || (template !== undefined && isOwn(template) && !isDirty)} onClick={() => void saveNow()}>{template && !isOwn(template) ? text.saveCopy : text.save}</button>
        </div>
      </header>
      {template && !isOwn(template) && <p class="small muted">{text.notYours}</p>}
      {isRestored && <Notice tone="plain">{text.restored} <button class="quiet" onClick={() => { editor.reset(first); setTemplate(loaded); setRestored(false); }}>{text.discard}</button></Notice>}
      {isToolless && <Notice tone="warn">{text.noTools}</Notice>}
      <div class="builder-main">
        {!narrow && (
          <div class="stack">
            <div class="row builder-tools">
              <button class="quiet" onClick={() => setChoosing({ what: "tool" })}><Icon name="plus" size={16} /> {text.addStage}</button>
              <button class="quiet" aria-pressed={selected === inputsId} onClick={() => open(inputsId)}>{text.inputs}</button>
              <button class="quiet" aria-pressed={selected === ""} onClick={() => open("")}>{text.settings}</button>
              <span class="grow" />
              <button class="quiet" onClick={tidy}>{text.tidy}</button>
              <button class="quiet" onClick={fit}>{text.fit}</button>
              <button class="icon-button" aria-label={text.smaller} disabled={scale <= 0.5} onClick={() => setScale((s) => Math.max(0.5, s - 0.15))}>−</button>
              <button class="icon-button" aria-label={text.larger} disabled={scale >= 1.25} onClick={() => setScale((s) => Math.min(1.25, s + 0.15))}>+</button>
            </div>
            <div class="builder-drawing">
              <Canvas inputs={inputs} stages={stages} edges={edges} tools={tools} places={editor.places} selected={selected} issues={issueMap} runs={runs} scale={scale} isStale={editor.problem !== undefined}
                onScale={setScale} onSelect={select} onOpen={open} onConnect={connectFrom} onDrop={drop} onRemove={remove} onRemoveEdge={removeEdge} onAddAfter={(source) => setChoosing({ what: "tool", source })}
                onMove={(places, group) => { editor.move(places, group); if (group && places[selected]) say(text.moved(selected, places[selected].x, places[selected].y)); }} />
              {editor.problem && <div class="builder-invalid"><Notice tone="warn">{text.invalid(editor.problem.line)}</Notice></div>}
            </div>
            <p class="small muted">{text.keys}</p>
            <details class="builder-outline"><summary>{text.tab.outline}</summary>
              <Outline inputs={inputs} stages={stages} edges={edges} tools={tools} issues={issueMap} selected={selected} onOpen={open} onRemove={remove} onConnect={(stage) => connectFrom(sourceOfStage(stage, tools))} onAddAfter={(stage) => setChoosing({ what: "tool", source: sourceOfStage(stage, tools) })} />
            </details>
            <h2 class="issues-head">{text.issues} {!editor.problem && <span class={errors ? "error-text" : "muted small"}>{text.issueCount(errors, shownIssues.length - errors)}</span>}</h2>
            <Issues issues={shownIssues} state={state} onJump={jumpTo} />
          </div>
        )}
        <div class="builder-panel" ref={panel}>
          <Choices<Tab> label={text.tabs} value={tab} onInput={(value) => change({ tab: value })} options={tabs.map((name) => ({ value: name, label: name === "issues" && shownIssues.length ? <>{text.tab.issues} <span class="filter-count">{shownIssues.length}</span></> : text.tab[name] }))} />
          {tab === "outline" && (
            <div class="stack">
              <Outline inputs={inputs} stages={stages} edges={edges} tools={tools} issues={issueMap} selected={selected} onOpen={open} onRemove={remove} onConnect={(stage) => connectFrom(sourceOfStage(stage, tools))} onAddAfter={(stage) => setChoosing({ what: "tool", source: sourceOfStage(stage, tools) })} />
              <p><button class="quiet" onClick={() => setChoosing({ what: "tool" })}><Icon name="plus" size={16} /> {text.addStage}</button></p>
            </div>
          )}
          {tab === "form" && form}
          {tab === "json" && <JsonEditor editor={editor} issues={shownIssues} jump={jump} />}
          {narrow && editor.problem && <Notice tone="warn">{text.invalid(editor.problem.line)}</Notice>}
          {tab === "issues" && <Issues issues={shownIssues} state={state} onJump={jumpTo} />}
          {tab === "run" && <RunPanel template={template} inputs={inputs} watched={watched} isSaved={template !== undefined && !isDirty} store={store}
            onStarted={(workflow, id) => route(encoded`/templates/${id}/edit?tab=run&run=${workflow.workflowId}`, true)} onAnother={() => change({ run: undefined })} />}
        </div>
      </div>
      <p class="offscreen" role="status" aria-live="polite">{spoken}</p>
      {newer && <ConflictDialog version={newer} onLoad={() => void settle(false)} onOverwrite={() => void settle(true)} onClose={() => setNewer(undefined)} />}
      {choosing?.what === "tool" && <ToolDialog tools={tools} source={choosing.source} onPick={(tool) => add(tool, choosing.source)} onClose={() => setChoosing(undefined)} />}
      {choosing?.what === "target" && <ConnectDialog source={choosing.source} only={choosing.only} stages={stages} edges={edges} tools={tools} onPick={(target) => link(choosing.source, target)} onAdd={() => setChoosing({ what: "tool", source: choosing.source })} onClose={() => setChoosing(undefined)} />}
    </div>
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

/** The issues of a document: those found here at once, then those that the service finds. */
function useIssues(current: string, isInvalid: boolean, template: any, tools: Tools): { issues: Issue[]; local: Issue[]; state: string } {
  const settled = useSettled(current, 700);
  const [answer, setAnswer] = useState<{ text: string; issues?: Issue[] }>();
  const latest = useRef(template);
  latest.current = template;
  useEffect(() => {
    if (isInvalid || settled !== current) return;
    const abort = new AbortController();
    post(`${templatesPath}/validate`, latest.current, { signal: abort.signal }).then(
      (data) => setAnswer({ text: settled, issues: data.issues }),
      (error) => error.name !== "AbortError" && setAnswer({ text: settled, issues: issuesOf(error) }),
    );
    return () => abort.abort();
  }, [settled, isInvalid]);
  const local = useMemo(() => check(template, tools), [template, tools]);
  const fresh = answer?.text === current ? answer : undefined;
  const found = fresh?.issues ?? [];
  const issues = [...found, ...local.filter((issue) => !found.some((other) => other.path === issue.path))].sort((a, b) => a.severity.localeCompare(b.severity));
  const verdict = !fresh ? text.checking : fresh.issues ? text.checked : text.notChecked;
  // A text that is not valid has no verdict, and that of the last valid one is not its.
  if (isInvalid) return { issues: [], local: [], state: text.notCheckable };
  return { issues, local, state: issues.length ? verdict : `${text.noIssues} ${verdict}` };
}
