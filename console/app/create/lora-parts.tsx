// What is shown of a LoRA wherever there is a list of them.

import type { ComponentChildren } from "preact";
import { words } from "../format";
import { Chip } from "../parts/chip";
import { Thumbnail } from "../parts/media";
import type { LoraRow } from "./lora";

/** The category of a public LoRA, in words. */
export const categoryOf = ({ ui }: LoraRow) => ui.section?.label ?? words(ui.category);

/** Those that have all words of a search. */
export function withWords<L extends LoraRow>(loras: L[], query: string): L[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return loras.filter((l) => {
    const about = `${l.name} ${l.description} ${categoryOf(l)}`.toLowerCase();
    return wanted.every((word) => about.includes(word));
  });
}

/** A LoRA with an example of it, where there is one. */
export function LoraCard({ lora, kind, children }: { lora: LoraRow; kind?: string; children?: ComponentChildren }) {
  const url = lora.ui.examples?.[0];
  return (
    <>
      <Thumbnail
        item={{ id: lora.loraId, kind: url ? "image" : (kind ?? "model"), url: url ?? "", thumbnailUrl: url }}
      />
      <span class="lora-about">
        <span>
          <strong>{lora.name}</strong> {!lora.personal && <Chip>{categoryOf(lora)}</Chip>}
        </span>
        <span class="muted small">{lora.description}</span>
        {children}
      </span>
    </>
  );
}
