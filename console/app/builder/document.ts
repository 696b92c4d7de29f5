// The document of the builder. Its truth is the text: an edit is an operation on a place in
// the JSON, which keeps order, spacing and fields that the builder does not know. Places of
// nodes share the history of the text, but are written to it only when it is saved.

import { applyEdits, findNodeAtLocation, modify, parse, parseTree, type ParseError } from "jsonc-parser";
import { useMemo, useRef, useState } from "preact/hooks";
import { isObject, listOf, objectOf } from "../json";
import { inputsId, type Path } from "../template/derive";
import { text as words } from "../texts/builder";
import type * as api from "../types";

/** A document of which only the service knows whether it is a template. */
export type Json = Record<string, unknown>;

/** What is wrong at a place of the document. */
export interface Issue extends Pick<api.Issue, "message" | "severity"> {
  path: string;
  /** The stage or the part of the template that it is in, as people know it. */
  place?: string;
}

/** How many issues there are, in words. */
export const countOf = (issues: Issue[]) => {
  const errors = issues.filter((issue) => issue.severity === "error").length;
  return words.issueCount(errors, issues.length - errors);
};

/** Issues of the service, each with its place: the whole document where it names none. */
export const issuesFrom = (found: api.Issue[]): Issue[] => found.map((issue) => ({ ...issue, path: issue.path ?? "" }));

export type Places = Record<string, { x: number; y: number }>;

interface Version {
  text: string;
  places: Places;
}

interface History {
  past: Version[];
  now: Version;
  future: Version[];
  /** Edits of one group soon after each other are undone together. */
  group: string;
  at: number;
}

export interface Problem {
  line: number;
  offset: number;
}

const formattingOptions = { tabSize: 2, insertSpaces: true, eol: "\n" };
const together = 1500;
const kept = 200;

/** The group of edits of the text itself. */
export const typing = "typing";

/** Sets the value at a place, or removes it where the value is undefined. */
export const setAt = (text: string, path: Path, value: unknown): string =>
  applyEdits(text, modify(text, path, value, { formattingOptions }));

/** Adds a value to a list, at its end unless an index is given. A missing list is created. */
export function insertAt(text: string, path: Path, value: unknown, index?: number): string {
  const old = valueAt(parse(text), path);
  if (!Array.isArray(old)) return setAt(text, path, [value]);
  return applyEdits(
    text,
    modify(text, [...path, index ?? old.length], value, { formattingOptions, isArrayInsertion: true }),
  );
}

export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const part of path) value = (value as Json | null | undefined)?.[part];
  return value;
}

/** Reads a document. What is wrong with it is the line of the first mistake. */
export function read(text: string): { value?: Json; problem?: Problem } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { disallowComments: true });
  if (errors.length) return { problem: { line: lineAt(text, errors[0].offset), offset: errors[0].offset } };
  if (!isObject(value)) return { problem: { line: 1, offset: 0 } };
  return { value };
}

export const lineAt = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/** Where a place is in the text: its own, or that of what it would be in. */
export function rangeOf(text: string, path: Path): { offset: number; length: number } {
  const root = parseTree(text);
  for (let n = path.length; root && n > 0; n--) {
    const node = findNodeAtLocation(root, path.slice(0, n));
    if (node) return { offset: node.offset, length: node.length };
  }
  return { offset: 0, length: 0 };
}

/** A path as the service writes it, such as stages[0].args.prompt. */
export const pathText = (path: Path) =>
  path.reduce<string>(
    (out, part) => (typeof part === "number" ? `${out}[${part}]` : out ? `${out}.${part}` : part),
    "",
  );

export function parsePath(text: string): Path {
  const out: Path = [];
  for (const match of text.matchAll(/\[(\d+)\]|([^.[\]]+)/g))
    out.push(match[1] !== undefined ? Number(match[1]) : match[2]);
  return out;
}

const placeOf = (value: unknown) => {
  const { x, y } = objectOf(value);
  return typeof x === "number" && Number.isFinite(x) && typeof y === "number" && Number.isFinite(y)
    ? { x, y }
    : undefined;
};

/** The places that a document brings: of stages in graph.nodes, of the inputs in graph.inputs. */
export function placesOf(template: unknown): Places {
  const out: Places = {};
  const graph = objectOf(objectOf(template).graph);
  for (const node of listOf(graph.nodes).map(objectOf)) {
    const place = placeOf(node);
    if (typeof node.stageId === "string" && place) out[node.stageId] = place;
  }
  const inputs = placeOf(graph.inputs);
  if (inputs) out[inputsId] = inputs;
  return out;
}

/** Writes places into graph, and keeps everything else that it has. */
export function withPlaces(text: string, ids: string[], places: Places): string {
  const { value } = read(text);
  if (!value) return text;
  const graph = objectOf(value.graph);
  const old = listOf(graph.nodes);
  const nodes = ids
    .filter((id) => places[id])
    .map((id) => ({
      ...old.map(objectOf).find((node) => node.stageId === id),
      stageId: id,
      x: Math.round(places[id].x),
      y: Math.round(places[id].y),
    }));
  if (!nodes.length && !value.graph) return text;
  const out = JSON.stringify(nodes) === JSON.stringify(old) ? text : setAt(text, ["graph", "nodes"], nodes);
  const inputs = places[inputsId] && { x: Math.round(places[inputsId].x), y: Math.round(places[inputsId].y) };
  return !inputs || JSON.stringify(inputs) === JSON.stringify(graph.inputs)
    ? out
    : setAt(out, ["graph", "inputs"], inputs);
}

export interface Editor {
  text: string;
  /** The document as it was last valid. */
  template: Json;
  problem?: Problem;
  places: Places;
  canUndo: boolean;
  canRedo: boolean;
  undo: () => void;
  redo: () => void;
  /** Changes the text. A group joins edits that follow each other. */
  edit: (change: (text: string) => string, group?: string) => void;
  set: (path: Path, value: unknown) => void;
  move: (places: Places, group?: string) => void;
  /** Takes another document in place of this one, which undo brings back. */
  load: (text: string) => void;
  /** Begins again with another document. */
  reset: (text: string) => void;
}

export function useEditor(first: string): Editor {
  const begin = (text: string): History => ({
    past: [],
    now: { text, places: placesOf(read(text).value) },
    future: [],
    group: "",
    at: 0,
  });
  const [history, setHistory] = useState<History>(() => begin(first));
  const valid = useRef<Json>({});
  const { text, places } = history.now;
  const { template, problem } = useMemo(() => {
    const { value, problem } = read(text);
    if (value) valid.current = value;
    return { template: valid.current, problem };
  }, [text]);

  const push = (next: (now: Version) => Version, group = "") =>
    setHistory((old) => {
      const now = next(old.now);
      if (now.text === old.now.text && now.places === old.now.places) return old;
      const at = Date.now();
      const joins = group !== "" && group === old.group && at - old.at < together;
      return { past: joins ? old.past : [...old.past, old.now].slice(-kept), now, future: [], group, at };
    });
  // Only typing can mend a text that is not valid: an operation finds no place in it.
  const edit: Editor["edit"] = (change, group) => {
    if (!problem || group === typing) push((now) => ({ ...now, text: change(now.text) }), group);
  };
  return {
    text,
    template,
    problem,
    places,
    edit,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: () =>
      setHistory((old) =>
        old.past.length
          ? { past: old.past.slice(0, -1), now: old.past.at(-1)!, future: [old.now, ...old.future], group: "", at: 0 }
          : old,
      ),
    redo: () =>
      setHistory((old) =>
        old.future.length
          ? { past: [...old.past, old.now], now: old.future[0], future: old.future.slice(1), group: "", at: 0 }
          : old,
      ),
    set: (path, value) => edit((text) => setAt(text, path, value), pathText(path)),
    move: (places, group) => push((now) => ({ ...now, places: { ...now.places, ...places } }), group),
    load: (text) => push(() => begin(text).now),
    reset: (text) => setHistory(begin(text)),
  };
}
