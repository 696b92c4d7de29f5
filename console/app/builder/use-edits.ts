// What the person does to the graph of a template: stages and connections are added and removed.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { arrange } from "../graph/layout";
import { inputsId, stagesOf, type Edge, type StageNode } from "../template/derive";
import type { TemplateInput, Tool } from "../template/model";
import { text } from "../texts/builder";
import {
  addStage,
  connect,
  disconnect,
  fittingArguments,
  removeStage,
  type Source,
  type Target,
  type Tools,
} from "./connect";
import type { Editor, Places } from "./document";
import { shapesOf } from "./shape";

/** What the person is asked for: a tool for a new stage, or the target of a connection. */
export type Choosing = { what: "tool"; source?: Source } | { what: "target"; source: Source; only?: string };

/** The template as a graph. */
export interface Graph {
  inputs: TemplateInput[];
  stages: StageNode[];
  edges: Edge[];
  tools: Tools;
}

/** Edits of the graph. Each is said to those who do not see it. */
export function useEdits(editor: Editor, graph: Graph, selected: string, select: (id: string) => void) {
  const { inputs, stages, edges, tools } = graph;
  const [choosing, setChoosing] = useState<Choosing>();
  const [spoken, say] = useState("");
  // A stage that was added has the focus before the next key: what asked for it may be gone.
  const added = useRef("");
  useLayoutEffect(() => {
    if (!added.current) return;
    const id = CSS.escape(added.current);
    const find = (selector: string) => document.querySelector<HTMLElement>(selector);
    const node = find(`[data-node="${id}"]`) ?? find(`.builder-panel [data-stage="${id}"]`);
    if (!node) return;
    added.current = "";
    node.focus();
  });
  const apply = (change: (now: string) => string, sentence: string) => {
    editor.edit(change);
    say(sentence);
  };
  const link = (source: Source, { stage, argument }: Target) => {
    setChoosing(undefined);
    const name = source.input?.name ?? source.stage!.label;
    apply((now) => connect(now, source, stage, argument), text.connected(name, stage.label));
  };
  const drop = (source: Source, stage: StageNode, argument?: string) => {
    const fitting = fittingArguments(source, tools.get(stage.tool));
    const chosen =
      fitting.find((candidate) => candidate.name === argument) ?? (fitting.length === 1 ? fitting[0] : undefined);
    if (chosen) link(source, { stage, argument: chosen });
    else if (fitting.length) setChoosing({ what: "target", source, only: stage.id });
  };
  const add = (tool: Tool, source?: Source) => {
    setChoosing(undefined);
    if (editor.problem) return;
    const made = addStage(editor.text, tool);
    editor.edit(() => {
      const stage = source?.kind && stagesOf(JSON.parse(made.text)).find((candidate) => candidate.id === made.id);
      const argument = stage && fittingArguments(source, tool)[0];
      return stage && argument ? connect(made.text, source, stage, argument) : made.text;
    });
    say(text.added(made.label));
    added.current = made.id;
    select(made.id);
  };
  const remove = (id: string) => {
    const stage = stages.find((candidate) => candidate.id === id);
    if (!stage) return;
    apply((now) => removeStage(now, stage, edges), text.removed(stage.label));
    select(edges.find((edge) => edge.to === id && edge.from !== inputsId)?.from ?? "");
  };
  const nameOf = (id: string) => stages.find((stage) => stage.id === id)?.label ?? id;
  const removeEdge = (edge: Edge) =>
    apply(
      (now) => disconnect(now, edge),
      text.disconnected(edge.from === inputsId ? edge.input! : nameOf(edge.from), nameOf(edge.to)),
    );
  const move = (places: Places, group: string) => {
    editor.move(places, group);
    if (group && places[selected]) say(text.moved(selected, places[selected].x, places[selected].y));
  };
  const tidy = () => {
    const laid = arrange(shapesOf(inputs, stages, edges, tools), edges);
    editor.move(Object.fromEntries([...laid].map(([id, { x, y }]) => [id, { x, y }])));
    say(text.tidied);
  };
  return { choosing, setChoosing, spoken, link, drop, add, remove, removeEdge, move, tidy };
}

export type Edits = ReturnType<typeof useEdits>;
