// Dragging items of the library. The browser carries only that they are ours: they do not
// leave the page.

import type { Markable } from "./marks";

const type = "application/x-atelier-items";

let carried: Markable[] = [];

export function drag(event: DragEvent, items: Markable[]) {
  carried = items;
  event.dataTransfer!.setData(type, String(items.length));
  event.dataTransfer!.effectAllowed = "copy";
}

export const isDragged = (event: DragEvent) => event.dataTransfer?.types.includes(type) === true;

/** The items that are dragged. */
export const dragged = () => carried;
