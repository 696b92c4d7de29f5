// What is wrong with a document, where it is shown.

import { useMemo } from "preact/hooks";
import { inputsId, type Path, type StageNode } from "../template/derive";
import { parsePath, pathText, valueAt, type Issue } from "./document";
import { issueInWords } from "./issue-words";
import type { Graph } from "./use-edits";
import { useIssues, type Saving } from "./use-saving";

export interface Checked {
  issues: Issue[];
  byNode: Map<string, Issue[]>;
  state: string;
  /** Issues as the list of issues says them. */
  inWords: (issues: Issue[]) => Issue[];
  /** What is wrong at a place; that something is missing, once it was asked for. */
  errorAt: (path: Path, isAsked?: boolean) => string | undefined;
}

/** What is wrong with the document, by node and by field. */
export function useChecked({ editor, template, isDirty, refusedIssues }: Saving, { stages, tools }: Graph): Checked {
  const isUntouched = !template && !isDirty;
  const { issues: found, local, state } = useIssues(editor, isUntouched, tools);
  const inWords = (list: Issue[]) =>
    list.map((issue) => {
      const at = nodeAt(issue.path, stages);
      return issueInWords(
        issue,
        stages.find(({ id }) => id === at),
        (name) => tools.has(name),
      );
    });
  const issues = useMemo(() => inWords(refusedIssues ?? found), [refusedIssues, found, stages, tools]);
  const byNode = useMemo(() => {
    const out = new Map<string, Issue[]>();
    for (const issue of issues) {
      const id = nodeAt(issue.path, stages);
      out.set(id, [...(out.get(id) ?? []), issue]);
    }
    return out;
  }, [issues, stages]);
  // At its field, what the browser says stays when the service says the same.
  const errorAt = (path: Path, isAsked = true) => {
    if (!isAsked && !refusedIssues && valueAt(editor.template, path) === undefined) return undefined;
    const at = pathText(path);
    const isHere = (issue: Issue) => issue.path === at && issue.severity === "error";
    const here = local.find(isHere) ?? issues.find(isHere);
    return here?.message;
  };
  return { issues, byNode, state, inWords, errorAt };
}

/** The node that a place belongs to: a stage, the inputs, or the template itself. */
export function nodeAt(path: string, stages: StageNode[]): string {
  const parts = parsePath(path);
  if (parts[0] === "inputs") return inputsId;
  const inside = stages.filter((stage) => stage.path.every((part, i) => part === parts[i]));
  return inside.sort((a, b) => b.path.length - a.path.length)[0]?.id ?? "";
}

/** The control for a place: its own, or that of what it is in. */
export function fieldFor(path: string): HTMLElement | null {
  const parts = parsePath(path);
  for (let n = parts.length; n > 0; n--) {
    const box = document.querySelector<HTMLElement>(`[data-path="${CSS.escape(pathText(parts.slice(0, n)))}"]`);
    if (box) box.closest("details")?.setAttribute("open", "");
    const field = box?.querySelector<HTMLElement>("input, textarea, select");
    if (field) return field;
  }
  return null;
}
