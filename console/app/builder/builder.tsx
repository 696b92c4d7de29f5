// The visual builder of templates.

import { useEffect, useMemo, useState } from "preact/hooks";
import { encoded } from "../api";
import { useListener, useTitle } from "../hooks";
import { Icon, IconButton } from "../parts/icon";
import { Notice } from "../parts/notice";
import { useNarrow, useQuery } from "../query";
import { edgesOf, stagesOf } from "../template/derive";
import { saveFile } from "../template/file";
import { isOwn } from "../template/load";
import { inputsOf } from "../template/model";
import { text } from "../texts/builder";
import type { Template } from "../types";
import { useWorkflow } from "../workflow/watch";
import type { Tools } from "./connect";
import type { Issue } from "./document";
import { Drawing } from "./drawing";
import { Panel, tabOf } from "./panel";
import { ConflictDialog, ConnectDialog, NameDialog } from "./parts";
import type { Shared } from "./shared";
import { ToolDialog } from "./tool-dialog";
import { fieldFor, nodeAt, useChecked } from "./use-checked";
import { useEdits, type Edits, type Graph } from "./use-edits";
import { textOf, useSaveActions, useSaving, type Saving } from "./use-saving";

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
