// What the stage shows before anything was made: examples to begin with.

import { get } from "../api";
import { useData } from "../hooks";
import { Thumbnail } from "../parts/media";
import { Empty } from "../parts/notice";
import { text } from "../texts/create";
import type { Sample } from "../types";
import type { Tool } from "./catalog";
import { leadOf } from "./arguments";
import { samplesFor } from "./samples";
import { shapeOf } from "./shapes";

export function Examples({
  tool,
  modelId,
  onPick,
}: {
  tool: Tool;
  modelId?: string;
  onPick: (prompt: string, shape: string) => void;
}) {
  const gallery = useData(
    (signal) => get("/v1/model-gallery", { signal }).then((d) => d.samplesByModelId as Record<string, Sample[]>),
    [],
  );
  const isPrompted = leadOf(tool)?.name === "prompt" && !tool.needs.length;
  const samples = isPrompted ? samplesFor(tool, modelId, gallery.data ?? {}) : [];
  const prompts = isPrompted && !samples.length ? (text.examples[tool.produces!] ?? []) : [];
  return (
    <Empty title={text.result.empty}>
      <p>
        {text.result.emptyHelp} <span class="with-keys">{text.result.emptyKeys}</span>
      </p>
      {(samples.length > 0 || prompts.length > 0) && (
        <ul class="examples" aria-label={text.examplesTitle}>
          {samples.map((s) => (
            <li key={s.positivePrompt}>
              <button class="example" onClick={() => onPick(s.positivePrompt, shapeOf(s.width, s.height))}>
                <Thumbnail item={{ id: s.imageURL, kind: "image", url: s.imageURL, label: "" }} />
                <span class="small">{s.positivePrompt}</span>
              </button>
            </li>
          ))}
          {prompts.map(({ prompt, shape = "" }) => (
            <li key={prompt}>
              <button class="example" onClick={() => onPick(prompt, shape)}>
                <span class="small">{prompt}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Empty>
  );
}
