// One medium over the whole window, with its neighbours a key away. It has its own
// entry in the history, so that the browser's Back closes it and stays on the page.

import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { duration } from "../format";
import { useListener } from "../hooks";
import { keep, kept } from "../keep";
import { useModelNames } from "../models/names";
import { useNarrow } from "../query";
import { endedSessions } from "../session";
import { text } from "../texts/shell";
import { Icon, IconButton } from "./icon";
import type { MediaItem } from "./item";
import { Media } from "./media";
import { Menu, type MenuItem } from "./menu";
import { modals, useModal } from "./modal";
import { useZoom } from "./use-zoom";

/** Where there is space, the main ones are buttons; the others are in a menu. */
interface LightboxAction extends MenuItem {
  isMain?: boolean;
}

interface Lightbox {
  items: MediaItem[];
  index: number;
  /** What can be done with an item. */
  actions?: (item: MediaItem) => LightboxAction[];
  /** What is known about an item, beside it. */
  details?: (item: MediaItem) => ComponentChildren;
  onMove?: (index: number) => void;
  /** Does what a key is for, and reports whether it is for anything. */
  onKey?: (event: KeyboardEvent, item: MediaItem) => boolean;
  /** How many the whole list has, of which the items are a part that begins after some others; undefined while that is not known. */
  total?: number;
  before?: number;
}

const shown = signal<Lightbox | null>(null);

let hasEntry = false; // in the history
let isClosing = false; // until the history has gone back
let address = ""; // which may have changed with the item

export function openLightbox(
  items: MediaItem[],
  index = 0,
  options: Omit<Lightbox, "items" | "index"> = { total: items.length },
) {
  if (!hasEntry) enter();
  address = location.href;
  shown.value = { items, index, ...options };
}

function enter() {
  history.pushState(history.state, "");
  hasEntry = true;
}

/** The medium that is shown large, if there is one. */
export const largeItem = () => shown.peek()?.items[shown.peek()!.index];

export function closeLightbox() {
  shown.value = null;
  if (!hasEntry || isClosing) return;
  isClosing = true;
  history.back();
}

/** Closes the lightbox for another page, whose address takes the place of its entry. */
export function leaveLightbox(go: (replace: true) => void) {
  shown.value = null;
  hasEntry = false;
  go(true);
}

addEventListener("popstate", () => {
  if (!hasEntry) return;
  hasEntry = false;
  if (new URL(address).pathname === location.pathname) history.replaceState(history.state, "", address); // not after a jump to another page
  if (isClosing && shown.peek())
    enter(); // it was opened again meanwhile
  else shown.value = null;
  isClosing = false;
});

effect(() => {
  endedSessions.value;
  closeLightbox();
});

export function LightboxHost() {
  return shown.value && <Box box={shown.value} />;
}

/** The model, the seed and the size of what is shown, where they are known. Details beside it say more of the model. */
function Facts({ item, hasModel }: { item: MediaItem; hasModel: boolean }) {
  const facts = [
    item.seed !== undefined && item.seed !== null && text.seed(item.seed),
    item.width && item.height && `${item.width} × ${item.height}`,
    item.durationSeconds && duration(item.durationSeconds),
  ].filter(Boolean);
  return (
    <span class="lightbox-facts small">
      {hasModel && item.modelId && <ModelName id={item.modelId} />}
      {hasModel && item.modelId && facts.length > 0 && " · "}
      {facts.join(" · ")}
    </span>
  );
}

function ModelName({ id }: { id: string }) {
  return <>{useModelNames()(id)}</>;
}

const detailsKey = "atelier.details";

/** Whether the details are open: as the person has left them, or where there is space for them. */
function useDetails() {
  const [isOpen, setOpen] = useState(kept(detailsKey) ? kept(detailsKey) === "open" : innerWidth >= 1100);
  const toggle = () => {
    keep(detailsKey, isOpen ? "closed" : "open");
    setOpen(!isOpen);
  };
  return [isOpen, toggle] as const;
}

function Box({ box }: { box: Lightbox }) {
  const element = useModal((dialog) => dialog.querySelector("footer .icon-button:not(:disabled)"));
  const isNarrow = useNarrow();
  const [isOpen, toggleDetails] = useDetails();
  const item = box.items[box.index];
  const actions = box.actions?.(item) ?? [];
  const buttons = actions.filter((action) => action.isMain && !isNarrow);
  const rest = actions.filter((action) => !buttons.includes(action));
  const move = (by: number) => {
    const index = box.index + by;
    if (index < 0 || index >= box.items.length) return;
    shown.value = { ...box, index };
    box.onMove?.(index);
    address = location.href;
  };
  const place = useRef<HTMLDivElement>(null);
  const { view, percent, measure, toggle, onKey, handlers } = useZoom(item.id, element, place, move);
  useListener("resize", measure);
  useLayoutEffect(measure, [isOpen]);
  // Of the window: a button that is disabled while it has the focus, such as that at the end of the list, hears no keys.
  useListener("keydown", (event) => {
    if (event.defaultPrevented || modals.peek().at(-1) !== element.current) return;
    if (event.target instanceof HTMLMediaElement || event.target instanceof HTMLInputElement) return;
    if (event.key === "ArrowLeft") move(-1);
    else if (event.key === "ArrowRight") move(1);
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (!onKey(event.key) && !box.onKey?.(event, item)) return;
    event.preventDefault();
  });
  return (
    <dialog
      ref={element}
      class={box.details && isOpen ? "lightbox has-details" : "lightbox"}
      aria-label={item.label || text.openLarge}
      onCancel={closeLightbox}
      onClick={(event) => event.target === element.current && closeLightbox()}
      {...handlers}>
      <header>
        <p class="lightbox-label">
          <span class="cut">{item.label}</span>
          <Facts item={item} hasModel={!box.details} />
        </p>
        {percent !== undefined && (
          <button class="quiet tabular" title={text.zoomHelp} aria-pressed={view.scale > 1} onClick={toggle}>
            {text.zoom(percent)}
          </button>
        )}
        {box.details && (
          <button
            class="icon-button"
            aria-label={text.details}
            title={text.details}
            aria-expanded={isOpen}
            onClick={toggleDetails}>
            <Icon name="info" />
          </button>
        )}
        <IconButton icon="close" size={20} label={text.close} onClick={closeLightbox} />
      </header>
      <div
        ref={place}
        class={view.scale > 1 ? "lightbox-media enlarged" : "lightbox-media"}
        style={{ "--zoom": `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
        key={item.id}
        data-zoom
        onLoadCapture={measure}>
        <Media item={item} autoPlay />
      </div>
      {box.details && isOpen && (
        <aside class="lightbox-details" aria-label={text.details} key={`details ${item.id}`}>
          {box.details(item)}
        </aside>
      )}
      <footer>
        <IconButton icon="left" size={20} label={text.previous} disabled={box.index === 0} onClick={() => move(-1)} />
        <span class="small tabular" aria-live="polite">
          {box.total !== 1 && [(box.before ?? 0) + box.index + 1, box.total].filter(Boolean).join(" / ")}
        </span>
        <IconButton
          icon="right"
          size={20}
          label={text.next}
          disabled={box.index === box.items.length - 1}
          onClick={() => move(1)}
        />
        <span class="grow" />
        {buttons.map((action) => (
          <button class="quiet" key={action.label} onClick={action.run}>
            {action.label}
          </button>
        ))}
        {rest.length > 0 && <Menu key={item.id} label={text.more} items={rest} />}
        <a class="primary as-link" href={item.url} download>
          <Icon name="download" size={16} /> {text.download}
        </a>
      </footer>
    </dialog>
  );
}
