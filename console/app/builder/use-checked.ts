// What is wrong with a document, where it is shown.

import { useMemo } from "preact/hooks";
import { inputsId, type Path, type StageNode } from "../template/derive";
import { parsePath, pathText, type Issue } from "./document";
import type { Graph } from "./use-edits";
import { useIssues, type Saving } from "./use-saving";

export interface Checked {
  issues: Issue[];
  byNode: Map<string, Issue[]>;
  state: string;
  errorAt: (path: Path) => string | undefined;
}

/** What is wrong with the document, by node and by field. */
export function useChecked({ editor, refusedIssues }: Saving, { stages, tools }: Graph): Checked {
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

/** The node that a place belongs to: a stage, the inputs, or the template itself. */
export function nodeAt(path: string, stages: StageNode[]): string {
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
