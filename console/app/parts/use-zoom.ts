// Enlarges the picture of a dialog with the wheel, two fingers, a double click and keys, and moves
// it; where it is not enlarged, a finger that swipes over the dialog leads along a list.

import { useRef, useState } from "preact/hooks";
import { fitted, held, swiped, zoomed, type Point, type View } from "./zoom";

const step = 1.5; // of a key
const controls = 80; // pixels at the bottom of a video

interface Zoom {
  view: View;
  /** The size of the picture on the screen, in hundredths of the file's, once it is known. */
  percent: number | undefined;
  /** To be called when the picture has loaded, and when its place has changed. */
  measure: () => void;
  /** Shows it at its own size, or as large as fits. */
  toggle: () => void;
  onKey: (key: string) => boolean;
  handlers: Record<string, unknown>;
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);
const middle = (a: Point, b: Point) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/**
 * The zoom of what a dialog shows in an element; another item begins as large as fits. Elements with data-zoom hear the
 * wheel and the mouse: beside the element itself, others of its size whose pictures are shown alike.
 */
export function useZoom(
  item: string,
  dialog: { current: HTMLDialogElement | null },
  place: { current: HTMLElement | null },
  move: (by: number) => void,
): Zoom {
  const [, draw] = useState({});
  const first = { item, view: fitted, full: undefined as number | undefined }; // full: the scale of 100 %
  const state = useRef(first);
  if (state.current.item !== item) state.current = first;
  const { view } = state.current;
  const fingers = useRef(new Map<number, { start: Point; last: Point }>());
  const picture = () => place.current?.querySelector("img") ?? undefined;
  const frameOf = (target: EventTarget | null) => picture() && (target as Element).closest("[data-zoom]");
  const measure = () => {
    const image = picture();
    state.current.full = image?.clientWidth ? image.naturalWidth / image.clientWidth || undefined : undefined;
    set(image ? held(state.current.view, ...sizes()) : fitted);
  };
  const sizes = () => {
    const image = picture()!;
    const { width, height } = place.current!.getBoundingClientRect();
    return [
      { width: image.clientWidth, height: image.clientHeight },
      { width, height },
    ] as const;
  };
  const set = (next: View) => {
    state.current.view = next;
    draw({});
  };
  const zoom = (scale: number, at: Point = { x: 0, y: 0 }) =>
    picture() && set(zoomed(state.current.view, scale, at, ...sizes()));
  const pan = (by: Point) => {
    const { view } = state.current;
    set(held({ ...view, x: view.x + by.x, y: view.y + by.y }, ...sizes()));
  };
  /** A point of the window, from the middle of a frame. */
  const from = ({ x, y }: Point, frame: Element = place.current!): Point => {
    const r = frame.getBoundingClientRect();
    return { x: x - r.left - r.width / 2, y: y - r.top - r.height / 2 };
  };
  const toggle = (at?: Point) => {
    const { view, full = 1 } = state.current;
    zoom(view.scale > 1 ? 1 : full > 1.01 ? full : 2, at);
  };
  const onKey = (key: string) => {
    if (!picture()) return false;
    const { scale } = state.current.view;
    if (key === "+" || key === "=") zoom(scale * step);
    else if (key === "-") zoom(scale / step);
    else if (key === "0") zoom(1);
    else if (key === "1") zoom(state.current.full ?? 1);
    else return false;
    return true;
  };
  const isTaken = (event: PointerEvent) => {
    const { target } = event;
    if (event.pointerType === "mouse")
      return frameOf(target) && !(target instanceof HTMLInputElement) && event.button === 0 && view.scale > 1;
    if (target instanceof HTMLVideoElement) return event.offsetY < target.clientHeight - controls;
    return target === dialog.current || target === picture();
  };
  const handlers = {
    onWheel: (event: WheelEvent) => {
      const frame = frameOf(event.target);
      if (!frame) return;
      event.preventDefault();
      const { scale } = state.current.view;
      zoom(scale * Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), from(event, frame));
    },
    onDblClick: (event: MouseEvent) => {
      const frame = frameOf(event.target);
      if (frame) toggle(from(event, frame));
    },
    onDragStart: (event: DragEvent) => {
      if (view.scale > 1 && frameOf(event.target)) event.preventDefault(); // the mouse moves the picture within its place
    },
    onPointerDown: (event: PointerEvent) => {
      if (!isTaken(event)) return;
      if (event.pointerType === "mouse") (event.target as Element).setPointerCapture(event.pointerId);
      const at = { x: event.clientX, y: event.clientY };
      fingers.current.set(event.pointerId, { start: at, last: at });
    },
    onPointerMove: (event: PointerEvent) => {
      const finger = fingers.current.get(event.pointerId);
      if (!finger) return;
      const at = { x: event.clientX, y: event.clientY };
      const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1].last;
      if (picture() && other) {
        const { scale } = state.current.view;
        const before = middle(finger.last, other);
        const now = middle(at, other);
        zoom((scale * distance(at, other)) / (distance(finger.last, other) || 1), from(before));
        pan({ x: now.x - before.x, y: now.y - before.y });
        finger.start = { x: NaN, y: NaN }; // two fingers make no swipe
      } else if (state.current.view.scale > 1) pan({ x: at.x - finger.last.x, y: at.y - finger.last.y });
      finger.last = at;
    },
    onPointerUp: (event: PointerEvent) => {
      const finger = fingers.current.get(event.pointerId);
      fingers.current.delete(event.pointerId);
      if (!finger || fingers.current.size || state.current.view.scale > 1 || event.pointerType === "mouse") return;
      const by = swiped({ x: event.clientX - finger.start.x, y: event.clientY - finger.start.y });
      if (by) move(by);
    },
    onPointerCancel: (event: PointerEvent) => fingers.current.delete(event.pointerId),
  };
  const { full } = state.current;
  return {
    view,
    percent: full && Math.round((view.scale / full) * 100),
    measure,
    toggle: () => toggle(),
    onKey,
    handlers,
  };
}
