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
  open: (id: string) => void;
  jumpTo: (issue: Issue) => void;
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
