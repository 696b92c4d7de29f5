// The shapes on the canvas: how large a node is, and where its ports are.

import { inputsId, type Edge, type StageNode } from "../template/derive";
import type { TemplateInput } from "../template/model";
import { arrange, type Place } from "../graph/layout";
import type { Tools } from "./connect";
import type { Places } from "./document";

export const width = 224;
const head = 54;
const row = 24;
const foot = 8;

/** A line of a node: an argument of a stage with its port on the left, or an input with its port on the right. */
export interface Port {
  name: string;
  /** The kind of what it takes or gives. */
  kind: string;
}

export interface Shape {
  id: string;
  ports: Port[];
  width: number;
  height: number;
}

export function shapesOf(inputs: TemplateInput[], stages: StageNode[], edges: Edge[], tools: Tools): Shape[] {
  const of = (id: string, ports: Port[]): Shape => ({
    id,
    ports,
    width,
    height: head + ports.length * row + (ports.length ? foot : 0),
  });
  const out = inputs.length
    ? [
        of(
          inputsId,
          inputs.map((input) => ({ name: String(input?.name ?? ""), kind: String(input?.type ?? "") })),
        ),
      ]
    : [];
  for (const stage of stages) {
    const tool = tools.get(stage.tool);
    const bound = edges.filter((edge) => edge.to === stage.id && edge.argument).map((edge) => edge.argument!);
    const needed =
      tool?.needs
        .filter((need) => !need.arguments.some((name) => bound.includes(name)))
        .map((need) => need.arguments[0]) ?? [];
    const names = [...new Set([...bound, ...needed])];
    out.push(
      of(
        stage.id,
        names.map((name) => {
          const argument = tool?.arguments.find((a) => a.name === name);
          return { name, kind: argument?.media ?? (argument?.type === "string" ? "text" : (argument?.type ?? "")) };
        }),
      ),
    );
  }
  return out;
}

/** Where nodes are: where a person put them, and for the others where the layout does. */
export function placeAll(shapes: Shape[], edges: Edge[], places: Places): Map<string, Place> {
  const out = new Map<string, Place>();
  const missing = shapes.some((shape) => !places[shape.id]);
  const laid = missing ? arrange(shapes, edges) : undefined;
  const isFresh = shapes.every((shape) => shape.id === inputsId || !places[shape.id]);
  const right = Math.max(
    0,
    ...shapes.filter((shape) => places[shape.id]).map((shape) => places[shape.id].x + shape.width),
  );
  const bottom = Math.max(
    0,
    ...shapes.filter((shape) => places[shape.id]).map((shape) => places[shape.id].y + shape.height),
  );
  let next = 0;
  const lowest = Math.min(0, ...Object.values(places).map((place) => place.x - width - 72));
  for (const shape of shapes) {
    const given = places[shape.id];
    const auto = laid?.get(shape.id);
    if (given) out.set(shape.id, { ...given, width: shape.width, height: shape.height });
    else if (isFresh && auto) out.set(shape.id, auto);
    else if (shape.id === inputsId)
      out.set(shape.id, {
        x: Math.min(0, lowest),
        y: Math.min(...Object.values(places).map((place) => place.y)),
        width: shape.width,
        height: shape.height,
      });
    else {
      // A new node goes after what it takes from, below everything where that place is taken.
      const source = edges.find((edge) => edge.to === shape.id && places[edge.from]);
      const at = source
        ? { x: places[source.from].x + width + 72, y: places[source.from].y }
        : { x: Math.max(0, right - width), y: bottom + 32 + next };
      while (
        [...out.values(), ...Object.values(places).map((p) => ({ ...p, width, height: 90 }))].some(
          (p) => Math.abs(p.x - at.x) < width && Math.abs(p.y - at.y) < 90,
        )
      )
        at.y += 110;
      out.set(shape.id, { ...at, width: shape.width, height: shape.height });
      next += shape.height + 24;
    }
  }
  return out;
}

/** The point where an edge leaves a node. */
export function exitOf(shape: Shape, place: Place, input?: string): { x: number; y: number } {
  const i = input === undefined ? -1 : shape.ports.findIndex((port) => port.name === input);
  return { x: place.x + place.width, y: place.y + (i < 0 ? head / 2 : head + i * row + row / 2) };
}

/** The point where an edge enters a node: at its argument, or at its head. */
export function entryOf(shape: Shape, place: Place, argument?: string): { x: number; y: number } {
  const i = argument === undefined ? -1 : shape.ports.findIndex((port) => port.name === argument);
  return { x: place.x, y: place.y + (i < 0 ? head / 2 : head + i * row + row / 2) };
}

const letters: Record<string, string> = {
  image: "P",
  video: "V",
  audio: "S",
  text: "T",
  select: "T",
  number: "N",
  integer: "N",
  boolean: "B",
  model: "3",
  json: "D",
  array: "L",
  any: "*",
};

/** The letter of a kind, so that colour is not the only difference. */
export const letterOf = (kind: string) => letters[kind] ?? "·";
