// The visual builder of templates.

import { useEffect, useMemo, useState } from "preact/hooks";
import { encoded } from "../api";
import { useListener, useTitle } from "../hooks";
import { Icon, IconButton } from "../parts/icon";
import { Menu } from "../parts/menu";
import { Notice } from "../parts/notice";
import { toast } from "../parts/toast";
import { useNarrow, useQuery } from "../query";
import { edgesOf, stagesOf } from "../template/derive";
import { saveFile } from "../template/file";
import { isOwn } from "../template/load";
import { inputsOf } from "../template/model";
import { text } from "../texts/builder";
import { text as common } from "../texts/shell";
import type { Template } from "../types";
import { usePosters } from "../workflow/posters";
import { useWorkflow } from "../workflow/watch";
import type { Tools } from "./connect";
import { countOf, type Issue } from "./document";
import { Drawing } from "./drawing";
import { Panel, tabOf } from "./panel";
import { ConflictDialog, ConnectDialog, NameDialog } from "./parts";
import type { Shared } from "./shared";
import type { Start } from "./store";
import { ToolDialog } from "./tool-dialog";
import { fieldFor, nodeAt, useChecked, type Checked } from "./use-checked";
import { useEdits, type Edits, type Graph } from "./use-edits";
import { textOf, useSaveActions, useSaving, type Saving } from "./use-saving";

interface BuilderProps {
  template?: Template;
  /** What a new template begins with; an empty one when absent. */
  start?: Start;
  tools: Tools;
  isToolless: boolean;
  /** Called with the id of what was saved, before it gets its address. */
  onStored: (id: string) => void;
}

export function Builder({ template: loaded, start, tools, isToolless, onStored }: BuilderProps) {
  const [query, change] = useQuery();
  const narrow = useNarrow();
  const saving = useSaving(loaded, start, onStored);
  const { editor, template } = saving;
  const graph = useGraph(editor.template, tools);
  const selected = query.stage ?? "";
  const tab = tabOf(query.tab, narrow);
  const select = (id: string) => change({ stage: id || undefined });
  const show = (id: string) => change({ stage: id || undefined, ...(tab === "run" && { tab: "form" }) });
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
  const edits = useEdits(editor, graph, selected, show);
  const checked = useChecked(saving, graph);
  const followed = useWorkflow(query.run ?? "");
  const watched = { ...followed, workflow: usePosters(followed.workflow) };
  const { saveNow, settle } = useSaveActions(saving, (refusals) => {
    const [{ place, message }] = checked.inWords(refusals);
    toast(text.refusedSave(place ? `${place}: ${message}` : message), { tone: "bad" });
    if (narrow) change({ tab: "issues" });
  });
  useTitle(template ? text.editTitle(template.name) : text.newTitle);
  useKeys(editor, saveNow);
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
  const showIssues = () => {
    if (narrow) change({ tab: "issues" });
    setTimeout(() => document.querySelector<HTMLElement>(".issue")?.focus(), 50);
  };
  const shared: Shared = { saving, graph, edits, checked, watched, selected, select, show, open, jumpTo };
  return (
    <div class="builder">
      <Head
        saving={saving}
        checked={checked}
        isNarrow={narrow}
        onIssues={showIssues}
        onRun={() => change({ tab: "run" })}
        onSave={() => void saveNow()}
      />
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
      {saving.onNamed && <NameDialog onName={saving.onNamed} onClose={() => saving.onNamed!("")} />}
      {choiceDialog(edits, graph)}
    </div>
  );
}

function useGraph(document: Record<string, unknown>, tools: Tools): Graph {
  const inputs = useMemo(() => inputsOf(document), [document]);
  const stages = useMemo(() => stagesOf(document), [document]);
  const edges = useMemo(() => edgesOf(document, stages), [document, stages]);
  return { inputs, stages, edges, tools };
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

interface HeadProps {
  saving: Saving;
  checked: Checked;
  isNarrow: boolean;
  onIssues: () => void;
  onRun: () => void;
  onSave: () => void;
}

function Head({ saving, checked, isNarrow, onIssues, onRun, onSave }: HeadProps) {
  const { editor, template, isDirty, busy } = saving;
  const { name } = editor.template;
  const isSaved = template !== undefined && isOwn(template) && !isDirty;
  const download = () => saveFile(`${template?.id ?? "template"}.json`, textOf(editor));
  const status = (
    <span class="small muted" role="status">
      {busy ? text.saving : isDirty ? text.unsaved : ""}
    </span>
  );
  return (
    <header class="builder-head">
      <div class="grow">
        <p class="small row">
          <a href={template ? encoded`/templates/${template.id}` : "/templates"}>
            {template ? text.back : text.backAll}
          </a>
          {isNarrow && status}
        </p>
        <h1>{typeof name === "string" && name ? name : text.untitled}</h1>
      </div>
      <div class="row builder-actions">
        {!isNarrow && status}
        {isNarrow ? null : checked.issues.length > 0 ? (
          <button class="quiet" onClick={onIssues}>
            <Icon name="warning" size={16} /> {countOf(checked.issues)}
          </button>
        ) : (
          <span class="small muted">{checked.state}</span>
        )}
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
        {isNarrow ? (
          <Menu
            label={common.more}
            icon="more"
            items={[
              { label: text.run, run: onRun },
              { label: text.download, run: download },
            ]}
          />
        ) : (
          <>
            <IconButton icon="download" size={20} label={text.download} title={text.download} onClick={download} />
            <button class="quiet" onClick={onRun}>
              <Icon name="play" size={16} /> {text.run}
            </button>
          </>
        )}
        <button class="primary" disabled={busy || editor.problem !== undefined || isSaved} onClick={onSave}>
          {template && !isOwn(template) ? text.saveCopy : text.save}
        </button>
      </div>
    </header>
  );
}

/**
 * The dialog for what the person is asked. It is no component: its dialog has to be gone, and the focus back on the node
 * before, when the canvas draws another selection.
 */
function choiceDialog(edits: Edits, graph: Graph) {
  const { choosing, setChoosing } = edits;
  const close = () => setChoosing(undefined);
  if (choosing?.what === "tool")
    return <ToolDialog tools={graph.tools} source={choosing.source} onPick={edits.add} onClose={close} />;
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
