// The document of the builder, what is wrong with it, and saving it.

import { useLocation } from "preact-iso/router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { useSettled } from "../hooks";
import { toast, toastError } from "../parts/toast";
import { stagesOf } from "../template/derive";
import { text } from "../texts/builder";
import type { Template } from "../types";
import { check } from "./check";
import type { Tools } from "./connect";
import { issuesFrom, setAt, useEditor, withPlaces, type Editor, type Issue } from "./document";
import { documentOf, drafts, emptyText, issuesOf, newerVersion, refusalsOf, save, type Start } from "./store";

/** The text of the document with the places of its nodes. */
export const textOf = (editor: Editor) =>
  withPlaces(
    editor.text,
    stagesOf(editor.template).map((stage) => stage.id),
    editor.places,
  );

/** Keeps what is not saved, and asks before it is left. */
function useDraft(id: string | undefined, template: Template | undefined, editor: Editor, isDirty: boolean) {
  useEffect(() => drafts.write(id, isDirty ? editor.text : null, template?.version), [editor.text, isDirty]);
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}

/** A document that is loaded, or begun, edited and saved. */
export function useSaving(loaded: Template | undefined, start: Start | undefined, onStored: (id: string) => void) {
  const stored = useMemo(() => (loaded ? documentOf(loaded) : emptyText()), []);
  const first = start?.text ?? stored;
  const draft = useMemo(() => drafts.read(loaded?.id ?? start?.draft), []);
  // With the version that the document was made from, which may be an older one.
  const [template, setTemplate] = useState(loaded && { ...loaded, version: draft?.version ?? loaded.version });
  const editor = useEditor(draft?.text ?? first);
  const [savedText, setSavedText] = useState(stored);
  const [isRestored, setRestored] = useState(draft !== null && draft.text !== first);
  const [refused, setRefused] = useState<{ text: string; issues: Issue[] }>();
  const [newer, setNewer] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [onNamed, setOnNamed] = useState<(name: string) => void>(); // answers the question for a name
  const isDirty = editor.text !== savedText;
  const draftId = template?.id ?? start?.draft;
  useDraft(draftId, template, editor, isDirty);

  /** The document to save. A new template gets a name first. */
  const named = async () => {
    const { name } = editor.template;
    if (template || (name && name !== text.untitled)) return textOf(editor);
    const given = await new Promise<string>((resolve) => setOnNamed(() => resolve));
    setOnNamed(undefined);
    if (!given) throw new Error(text.notNamed);
    return setAt(textOf(editor), ["name"], given);
  };
  /** Saves what there is, and returns the template it is in. */
  const store = async (over = template): Promise<Template> => {
    const document = await named();
    setBusy(true);
    try {
      const stored = await save(document, over);
      drafts.write(draftId, null);
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
  /** Shows a newer version in place of what was edited. */
  const replace = (now: Template) => {
    setTemplate(now);
    setSavedText(documentOf(now));
    setRestored(false);
    editor.load(documentOf(now));
    toast(text.loaded(now.version));
  };
  const discard = () => {
    editor.reset(first);
    setTemplate(loaded);
    setRestored(false);
  };
  const refusedIssues = refused?.text === editor.text ? refused.issues : undefined;
  return {
    editor,
    template,
    isDirty,
    isRestored,
    busy,
    newer,
    onNamed,
    setNewer,
    store,
    replace,
    discard,
    refusedIssues,
  };
}

export type Saving = ReturnType<typeof useSaving>;

/** What the person does to save: the button, the keys, and the end of a conflict. */
export function useSaveActions(
  { editor, template, busy, store, replace, setNewer }: Saving,
  onRefused: (issues: Issue[]) => void,
) {
  const { route } = useLocation();
  const saveNow = async (over = template) => {
    if (busy || editor.problem) return;
    try {
      const stored = await store(over);
      if (stored.id === template?.id) return;
      const query = new URLSearchParams(location.search);
      query.delete("workflow");
      route(encoded`/templates/${stored.id}/edit` + (query.size ? `?${query}` : ""), true);
    } catch (error) {
      const refusals = refusalsOf(error);
      if (refusals.length) onRefused(refusals);
      else if (!newerVersion(error)) toastError(error);
    }
  };
  /** Ends the conflict with a newer version: it is loaded, or what is here is saved over it. */
  const settle = async (isOverwrite: boolean) => {
    setNewer(undefined);
    try {
      const { template: now } = await get("/v1/creative-agent/workflows/templates/{id}", {
        path: { id: template!.id },
      });
      if (isOverwrite) await saveNow(now);
      else replace(now);
    } catch (error) {
      toastError(error);
    }
  };
  return { saveNow, settle };
}

const nothing: Issue[] = [];

/**
 * The issues of a document: those found here at once, then those that the service finds. A new one has none before
 * something in it was edited.
 */
export function useIssues(
  { text: current, problem, template }: Editor,
  isUntouched: boolean,
  tools: Tools,
): { issues: Issue[]; local: Issue[]; state: string } {
  const isInvalid = problem !== undefined;
  const settled = useSettled(current, 700);
  const [answer, setAnswer] = useState<{ text: string; issues?: Issue[] }>();
  const latest = useRef(template);
  latest.current = template;
  useEffect(() => {
    if (isInvalid || isUntouched || settled !== current) return;
    const abort = new AbortController();
    post("/v1/creative-agent/workflows/templates/validate", latest.current, { signal: abort.signal }).then(
      (data) => setAnswer({ text: settled, issues: issuesFrom(data.issues) }),
      (error) => error.name !== "AbortError" && setAnswer({ text: settled, issues: issuesOf(error) }),
    );
    return () => abort.abort();
  }, [settled, isInvalid, isUntouched]);
  const local = useMemo(() => check(template, tools), [template, tools]);
  const fresh = answer?.text === current ? answer : undefined;
  const found = fresh?.issues ?? nothing;
  const issues = useMemo(
    () =>
      [...found, ...local.filter((issue) => !found.some((other) => other.path === issue.path))].sort((a, b) =>
        a.severity.localeCompare(b.severity),
      ),
    [found, local],
  );
  const verdict = !fresh ? text.checking : fresh.issues ? text.checked : text.notChecked;
  if (isUntouched) return { issues: nothing, local: nothing, state: "" };
  // A text that is not valid has no verdict, and that of the last valid one is not its.
  if (isInvalid) return { issues: nothing, local: nothing, state: text.notCheckable };
  return { issues, local, state: issues.length ? verdict : `${text.noIssues} ${verdict}` };
}
