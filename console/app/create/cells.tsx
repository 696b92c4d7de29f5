// The cells of a grid: what is made, and the places of what is being made.

import { isOver } from "../status";
import { mediaOf } from "../parts/item";
import { Thumbnail } from "../parts/media";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/create";
import type { Artifact, Step, Workflow } from "../workflow/model";
import { cellOf, columnsOf } from "./grid";

const words = text.result;

interface Cell {
  step: Step;
  name: string;
  artifact?: Artifact;
}

interface CellsProps {
  workflow: Workflow;
  /** The shape of a place that is not filled yet. */
  ratio?: string;
  chosen?: string;
  /** Gets the result that was pressed. */
  onPick?: (artifactId: string) => void;
}

export function Cells({ workflow, ratio = "1 / 1", chosen, onPick }: CellsProps) {
  const cells = workflow.steps.flatMap((step): Cell[] => {
    const name = cellOf(workflow, step.id, labelOf);
    const made = workflow.artifacts.filter((a) => a.stepId === step.id && a.url);
    if (made.length) return made.map((artifact) => ({ step, name, artifact }));
    return isOver(workflow.status) ? [] : [{ step, name }];
  });
  const columns = columnsOf(cells.length);
  const first = cells.find(({ artifact }) => artifact?.width && artifact.height)?.artifact;
  const [width, height] = first ? [first.width!, first.height!] : ratio.split("/").map(Number);
  const style = { "--columns": columns, "--rows": Math.ceil(cells.length / columns), "--ratio": width / height };
  return (
    <ul class="cells" style={style} aria-label={words.several}>
      {cells.map(({ step, name, artifact }, i) => (
        <li key={artifact?.id ?? step.id}>
          {artifact && onPick ? (
            <button
              class="cell-open"
              aria-pressed={artifact.id === chosen}
              aria-label={artifact.id === chosen ? `${words.large}: ${name}` : `${words.several} ${i + 1}: ${name}`}
              onClick={() => onPick(artifact.id)}>
              <Thumbnail item={mediaOf(artifact, "")} />
            </button>
          ) : artifact ? (
            <Thumbnail item={mediaOf(artifact, name)} />
          ) : (
            <span class="thumb cell-waits" style={{ aspectRatio: `${width} / ${height}` }}>
              <progress class="progress" max={1} value={step.progress || undefined} aria-label={name} />
            </span>
          )}
          <span class="cell-name small" title={name}>
            {name}
          </span>
        </li>
      ))}
    </ul>
  );
}
