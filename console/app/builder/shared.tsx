// What the drawing and the panel of the builder share.

import type { Watched } from "../workflow/watch";
import { sourceOfStage } from "./connect";
import type { Issue } from "./document";
import { Outline } from "./parts";
import type { Checked } from "./use-checked";
import type { Edits, Graph } from "./use-edits";
import type { Saving } from "./use-saving";

export interface Shared {
  saving: Saving;
  graph: Graph;
  edits: Edits;
  checked: Checked;
  watched: Watched;
  selected: string;
  select: (id: string) => void;
  /** Selects what was clicked or added: its form takes the place of a run. */
  show: (id: string) => void;
  open: (id: string) => void;
  jumpTo: (issue: Issue) => void;
}

/** Asks for the tool of a new stage, which takes what the selected one makes. */
export function addToSelected({ graph, edits, selected }: Shared) {
  const stage = graph.stages.find(({ id }) => id === selected);
  edits.setChoosing({ what: "tool", source: stage && sourceOfStage(stage, graph.tools) });
}

/** The stages as a list. */
export function Stages({ graph, edits, checked, selected, open }: Shared) {
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
