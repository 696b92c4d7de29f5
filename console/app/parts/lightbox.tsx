// One medium over the whole window, with its neighbours a key away.

import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { endedSessions } from "../session";
import { text } from "../texts/shell";
import { Icon } from "./icon";
import { Media, type MediaItem } from "./media";
import { useModal } from "./modal";

interface Lightbox {
  items: MediaItem[];
  index: number;
  actions?: (item: MediaItem, close: () => void) => ComponentChildren;
  onMove?: (index: number) => void;
}

const shown = signal<Lightbox | null>(null);

export function openLightbox(items: MediaItem[], index = 0, options: Pick<Lightbox, "actions" | "onMove"> = {}) {
  shown.value = { items, index, ...options };
}

export const closeLightbox = () => (shown.value = null);

effect(() => {
  endedSessions.value;
  closeLightbox();
});

export function LightboxHost() {
  return shown.value && <Box box={shown.value} />;
}

function Box({ box }: { box: Lightbox }) {
  const element = useModal();
  const item = box.items[box.index];
  const move = (by: number) => {
    const index = box.index + by;
    if (index < 0 || index >= box.items.length) return;
    shown.value = { ...box, index };
    box.onMove?.(index);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLMediaElement) return;
    if (event.key === "ArrowLeft") move(-1);
    else if (event.key === "ArrowRight") move(1);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={element} class="lightbox" aria-label={item.label || text.openLarge} onCancel={closeLightbox} onKeyDown={onKey}
      onClick={(event) => event.target === element.current && closeLightbox()}>
      <div class="lightbox-media" key={item.id}><Media item={item} autoPlay /></div>
      <footer>
        <button class="icon-button" aria-label={text.previous} disabled={box.index === 0} onClick={() => move(-1)}><Icon name="left" /></button>
        <span class="small" aria-live="polite">{box.items.length > 1 && `${box.index + 1} / ${box.items.length}`}</span>
        <button class="icon-button" aria-label={text.next} disabled={box.index === box.items.length - 1} onClick={() => move(1)}><Icon name="right" /></button>
        <p class="lightbox-label">{item.label}</p>
        {box.actions?.(item, closeLightbox)}
        <a class="quiet" href={item.url} download>{text.download}</a>
        <button class="icon-button" aria-label={text.close} onClick={closeLightbox}><Icon name="close" /></button>
      </footer>
    </dialog>
  );
}
