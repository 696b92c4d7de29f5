// What a request works with besides its prompt.

import { listOf } from "../json";
import { text } from "../texts/create";
import { given } from "./form";
import type { Draft } from "./machine";
import type { References } from "./pointer";

const { several, from, lora, made } = text.used;

/** "From 1 picture · 2 LoRAs · 4 images"; empty where there is neither a source nor a LoRA. */
export function usedOf({ fields, form, tool, request }: Draft, references: References, count: number): string {
  const places = fields.filter((a) => a.media && !a.aside).map((a) => [a.name!, form.values[a.name!]]);
  const sources = Object.entries(given(Object.fromEntries(places), references));
  const loras = listOf(request.input.steps[0].arguments.loras).length;
  if (!sources.length && !loras) return "";
  return [
    sources.length > 0 && from(sources.map(([kind, n]) => several(n, text.kindName[kind]))),
    loras > 0 && several(loras, lora),
    count > 1 && several(count, made[tool.produces!] ?? text.result.title.toLowerCase()),
  ]
    .filter(Boolean)
    .join(" · ");
}
