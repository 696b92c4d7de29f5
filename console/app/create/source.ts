// The picture that a result was made from, and what a result can be compared with.

import type { MediaItem } from "../parts/item";
import { text } from "../texts/create";
import type { Workflow } from "../types";
import type { Tool } from "./catalog";
import { formOf } from "./form";
import { isPointer } from "./pointer";

/** The address of the first picture that a step has worked on; masks are none. */
export function sourceOf(workflow: Workflow, stepId: string | undefined, tools: Tool[]): string | undefined {
  const form = formOf(
    workflow,
    stepId,
    tools,
    (kind, url) => ({ ref: `${kind} ${url}` }),
    (id) => id,
  );
  const places = tools.find((t) => t.name === form?.tool)?.arguments.filter((a) => a.media && !a.aside);
  return places
    ?.flatMap((a) => [form!.values[a.name!]].flat())
    .filter(isPointer)
    .find(({ ref }) => ref.startsWith("image "))
    ?.ref.slice("image ".length);
}

export interface Comparison {
  items: MediaItem[];
  first: number;
  second: number;
}

/** What a picture is compared with: what it was made from, or else the next one; undefined where there is neither. */
export function comparisonOf(items: MediaItem[], item: MediaItem, source: string | undefined): Comparison | undefined {
  if (item.kind !== "image") return undefined;
  const pictures = items.filter((other) => other.kind === "image");
  const index = pictures.indexOf(item);
  const { before, after } = text.result;
  if (!source)
    return pictures.length > 1 ? { items: pictures, first: index, second: (index + 1) % pictures.length } : undefined;
  const afterwards = pictures.map((p, i) => ({ ...p, label: pictures.length > 1 ? `${after} ${i + 1}` : after }));
  const { width, height } = item;
  const origin = { id: "source", kind: "image", url: source, width, height, label: before };
  return { items: [origin, ...afterwards], first: 0, second: index + 1 };
}
