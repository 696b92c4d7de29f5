// The picture of a template: its own, or a drawing of its stages.

import { useState } from "preact/hooks";
import { Icon, type IconName } from "../parts/icon";
import { elsewhere } from "../parts/item";
import { edgesOf, inputsId, ranksOf, stagesOf } from "./derive";
import { pictureOf } from "./model";
import type { Template } from "../types";

/** The kind of result of a tool, by its name. The catalog of tools is not loaded for a picture. */
export function kindOfTool(tool: string): string {
  if (/video|animate|montage|subtitles/.test(tool)) return "video";
  if (/music|speech|song|sound/.test(tool)) return "audio";
  if (/3d/.test(tool)) return "model";
  if (/analyze|metadata|asset|question|response/.test(tool)) return "text";
  return tool ? "image" : "";
}

const icons: Record<string, IconName> = {
  video: "video",
  audio: "audio",
  model: "cube",
  text: "docs",
  image: "image",
  "": "workflow",
};

export function TemplatePicture({ template }: { template: Template }) {
  const [failed, setFailed] = useState(false);
  const picture = pictureOf(template);
  if (picture && !failed && !elsewhere(picture))
    return (
      <span class="template-picture">
        <img src={picture} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} />
      </span>
    );
  return (
    <span class="template-picture">
      <StageMap template={template} />
    </span>
  );
}

const cell = 64;

/** The stages as small tiles, in columns, joined by lines. */
function StageMap({ template }: { template: Template }) {
  const stages = stagesOf(template);
  const edges = edgesOf(template, stages).filter((edge) => edge.from !== inputsId);
  const ranks = ranksOf(stages, edges);
  const columns: string[][] = [];
  for (const stage of stages) (columns[ranks.get(stage.id)!] ??= []).push(stage.id);
  const filled = columns.filter(Boolean);
  const rows = Math.max(1, ...filled.map((column) => column.length));
  const place = new Map<string, { x: number; y: number }>();
  filled.forEach((column, x) =>
    column.forEach((id, i) => place.set(id, { x: x * cell + 20, y: (i + (rows - column.length) / 2) * 52 + 20 })),
  );
  const width = Math.max(1, filled.length) * cell - 24;
  const height = rows * 52 - 12;
  return (
    <svg
      class="stage-map"
      viewBox={`-12 -12 ${width + 24} ${height + 24}`}
      style={{ maxWidth: `${(width + 24) * 1.1}px` }}
      aria-hidden="true">
      {edges.map((edge, i) => {
        const a = place.get(edge.from);
        const b = place.get(edge.to);
        return (
          a &&
          b && (
            <path
              key={i}
              class="map-edge"
              d={`M${a.x + 20} ${a.y}C${a.x + 34} ${a.y} ${b.x - 34} ${b.y} ${b.x - 20} ${b.y}`}
            />
          )
        );
      })}
      {stages.map((stage) => {
        const { x, y } = place.get(stage.id)!;
        const kind = kindOfTool(stage.tool);
        return (
          <g key={stage.id} class={`map-stage kind-${kind}`} transform={`translate(${x - 20} ${y - 20})`}>
            {stage.isBatch && <rect x="5" y="-5" width="40" height="40" rx="9" />}
            <rect width="40" height="40" rx="9" />
            <svg x="10" y="10" width="20" height="20">
              <Icon name={icons[kind]} />
            </svg>
          </g>
        );
      })}
    </svg>
  );
}
