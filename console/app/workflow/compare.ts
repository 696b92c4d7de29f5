// Two workflows side by side: which steps belong together, and in what they differ.

import type { MediaItem } from "../parts/item";
import { addressesIn, type Step, type Workflow } from "./model";
import { kindOf } from "./retry";

export interface Pair {
  left?: Step;
  right?: Step;
}

/** How well two steps belong together; steps of different tools do not. */
const likeness = (a: Step, b: Step) => (a.toolName !== b.toolName ? 0 : a.id === b.id ? 3 : 2);

/** The steps of two workflows in their order, those that belong together beside each other. */
export function alignSteps(left: Step[], right: Step[]): Pair[] {
  // best[i][k] is the best sum of likenesses of the steps from i and from k on.
  const best = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  const together = (i: number, k: number) => {
    const like = likeness(left[i], right[k]);
    return like ? like + best[i + 1][k + 1] : -1;
  };
  for (let i = left.length - 1; i >= 0; i--)
    for (let k = right.length - 1; k >= 0; k--) best[i][k] = Math.max(together(i, k), best[i + 1][k], best[i][k + 1]);
  const pairs: Pair[] = [];
  let i = 0;
  let k = 0;
  while (i < left.length || k < right.length) {
    if (i === left.length) pairs.push({ right: right[k++] });
    else if (k === right.length) pairs.push({ left: left[i++] });
    else if (together(i, k) === best[i][k]) pairs.push({ left: left[i++], right: right[k++] });
    else if (best[i + 1][k] === best[i][k]) pairs.push({ left: left[i++] });
    else pairs.push({ right: right[k++] });
  }
  return pairs;
}

export interface Difference {
  name: string;
  left: string;
  right: string;
  differs: boolean;
}

const isModel = (name: string) => name === "model" || name === "videoModel";

/** What a step was made with, by name: its arguments, with the model that was chosen and the seed that was used. */
function factsOf(step: Step | undefined): Map<string, string> {
  const facts = new Map<string, string>();
  if (!step) return facts;
  if (step.generation) facts.set("model", step.generation.selectedModel);
  for (const [name, value] of Object.entries(step.arguments))
    if (!(step.generation && isModel(name)) && name !== "seed")
      facts.set(name, typeof value === "string" ? value : JSON.stringify(value));
  if (step.seed !== undefined) facts.set("seed", String(step.seed));
  return facts;
}

/** What was made without an argument for its size has the usual one. */
function usedOf(step: Step | undefined, name: string): string {
  const made = step?.artifacts[0];
  return String((name === "width" && made?.width) || (name === "height" && made?.height) || "");
}

/** What two steps were made with, what differs first. */
export function differencesOf({ left, right }: Pair): Difference[] {
  const [a, b] = [factsOf(left), factsOf(right)];
  const names = [...new Set([...a.keys(), ...b.keys()])];
  const isPair = Boolean(left && right);
  const all = names.map((name) => {
    const [x, y] = [a.get(name) ?? usedOf(left, name), b.get(name) ?? usedOf(right, name)];
    return { name, left: x, right: y, differs: isPair && x !== y };
  });
  return [...all.filter((d) => d.differs), ...all.filter((d) => !d.differs)];
}

/** The media that an argument of a step names by their places or their addresses; undefined where it names none, or they are not there. */
export function mediaIn({ steps, mediaReferences = [] }: Workflow, step: Step, name: string): MediaItem[] | undefined {
  const addressed = addressesIn(name, step.arguments[name]);
  if (addressed.length) return addressed.map((media, i) => ({ id: `${name} ${i}`, ...media }));
  const kind = kindOf(name);
  if (!kind) return undefined;
  const given = (mediaReferences as MediaItem[]).filter((m) => m.kind === kind && m.url);
  const made = steps
    .slice(0, steps.indexOf(step))
    .flatMap((s) => s.artifacts)
    .filter((a) => a.kind === kind && a.url);
  const places = [step.arguments[name]].flat() as number[];
  const found = places.map((place) => (place < 0 ? given[-1 - place] : made[place]));
  return found.every(Boolean) ? found.map(({ url }, i) => ({ id: `${name} ${i}`, kind, url })) : undefined;
}
