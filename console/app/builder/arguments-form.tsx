// The arguments of a stage.

import { useState } from "preact/hooks";
import { words } from "../format";
import type { StageNode } from "../template/derive";
import { text } from "../texts/builder";
import { ArgumentField, JsonField } from "./argument";
import { pathText } from "./document";
import type { FormContext } from "./form";

export function ArgumentsForm({ context, node }: { context: FormContext; node: StageNode }) {
  const { editor, tools, stages, edges, inputs, errorAt } = context;
  const [left, setLeft] = useState(new Set<string>()); // the arguments that the person was at
  const tool = tools.get(node.tool);
  const set = (name: string, value: unknown) => editor.set([...node.argsPath, name], value);
  if (!tool)
    return (
      <JsonField
        label={text.arguments}
        value={Object.keys(node.args).length ? node.args : undefined}
        onInput={(value) => editor.set(node.argsPath, value)}
      />
    );
  const after = new Set<string>([node.id]);
  for (let grew = true; grew;) {
    grew = false;
    for (const edge of edges) if (after.has(edge.from) && !after.has(edge.to)) grew = Boolean(after.add(edge.to));
  }
  const before = stages.filter((stage) => !after.has(stage.id));
  const isUsual = (name: string) =>
    tool.arguments.some((a) => a.name === name && (!a.advanced || a.required || a.name === tool.modelArgument));
  const field = (name: string) => {
    const argument = tool.arguments.find((a) => a.name === name);
    const path = [...node.argsPath, name];
    return (
      <div key={name} data-path={pathText(path)} onFocusOut={() => setLeft((old) => new Set(old).add(name))}>
        {argument ? (
          <ArgumentField
            stage={node}
            argument={argument}
            tool={tool}
            inputs={inputs}
            before={before}
            tools={tools}
            value={node.args[name]}
            error={errorAt(path, left.has(name))}
            onInput={(value) => set(name, value)}
          />
        ) : (
          <JsonField
            label={words(name)}
            value={node.args[name]}
            error={errorAt(path)}
            onInput={(value) => set(name, value)}
          />
        )}
      </div>
    );
  };
  const needed = tool.needs.map((need) => need.arguments[0]);
  const shown = new Set([
    ...needed,
    ...tool.arguments
      .filter((a) => a.required || a.name === "prompt" || a.name === tool.modelArgument)
      .map((a) => a.name),
    ...Object.keys(node.args),
  ]);
  const first = ["prompt", ...needed, tool.modelArgument].filter((name) => shown.has(name ?? ""));
  const order = [
    ...new Set([...first, ...tool.arguments.map((a) => a.name).filter((name) => shown.has(name)), ...shown]),
  ].filter((name) => name !== undefined);
  const more = tool.arguments.map((a) => a.name).filter((name) => !shown.has(name));
  return (
    <>
      {order.map(field)}
      {more.length > 0 && (
        <details class="more-arguments">
          <summary>{text.moreArguments}</summary>
          <div class="stack">{[...more.filter(isUsual), ...more.filter((name) => !isUsual(name))].map(field)}</div>
        </details>
      )}
    </>
  );
}
