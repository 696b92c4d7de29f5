// The form of a stage.

import { useState } from "preact/hooks";
import { words } from "../format";
import { objectOf, textOf } from "../json";
import { CheckField, SelectField, TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { inputsId, type Edge, type StageNode } from "../template/derive";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/builder";
import { ArgumentsForm } from "./arguments-form";
import { fromBatch, toBatch } from "./batch";
import { bindingInWords, changeTool, isListInput, renameStage } from "./connect";
import { pathText, setAt } from "./document";
import { ListField, type FormContext } from "./form";
import { descriptionOf, offered } from "./find-tools";

interface StageProps {
  context: FormContext;
  node: StageNode;
}

export function StageForm({
  context,
  node,
  onConnect,
  onRemove,
  onRemoveEdge,
  onRenamed,
}: StageProps & {
  onConnect: () => void;
  onRemove: () => void;
  onRemoveEdge: (edge: Edge) => void;
  onRenamed: (id: string) => void;
}) {
  const { editor, tools, errorAt } = context;
  const set = (name: string, value: unknown) => editor.set([...node.path, name], value);
  const condition = objectOf(node.stage.condition);
  return (
    <div class="stack">
      <h2>{node.label}</h2>
      <ToolField context={context} node={node} />
      <ArgumentsForm key={node.tool} context={context} node={node} />
      <h3>{text.takes}</h3>
      <Connections context={context} node={node} onRemove={onRemoveEdge} />
      <h3>{text.stage}</h3>
      <TextField
        label={text.label}
        value={textOf(node.stage.label)}
        optional
        onInput={(value) => set("label", value || undefined)}
      />
      <IdField key={node.id} context={context} node={node} onRenamed={onRenamed} />
      <BatchFields context={context} node={node} />
      <ListField
        label={text.produces}
        help={text.producesHelp}
        value={node.stage.produces}
        error={errorAt([...node.path, "produces"])}
        onInput={(value) => set("produces", value)}
      />
      <TextField
        label={text.condition}
        help={text.conditionHelp}
        optional
        value={condition.type === "expr" ? textOf(condition.expression) : ""}
        error={errorAt([...node.path, "condition", "expression"]) ?? errorAt([...node.path, "condition"])}
        onInput={(value) => set("condition", value ? { type: "expr", expression: value } : undefined)}
      />
      <SelectField
        label={text.onError}
        value={textOf(node.stage.onError) || "stop"}
        error={errorAt([...node.path, "onError"])}
        onInput={(value) => set("onError", value === "stop" ? undefined : value)}
        options={Object.entries(text.onErrors).map(([value, label]) => ({ value, label }))}
      />
      <div class="row">
        {tools.get(node.tool)?.produces && (
          <button type="button" class="quiet" onClick={onConnect}>
            {text.connect}
          </button>
        )}
        <button type="button" class="quiet" onClick={onRemove}>
          <Icon name="trash" size={16} /> {text.deleteStage}
        </button>
      </div>
    </div>
  );
}

/** The id is written when the person leaves the field: half an id would be an error for everything that refers to it. */
function IdField({ context: { editor, errorAt }, node, onRenamed }: StageProps & { onRenamed: (id: string) => void }) {
  const [typed, setTyped] = useState(String(node.stage.id ?? ""));
  const rename = (id: string) => {
    if (!id || id === node.id) return;
    editor.edit((now) => renameStage(now, node, id), `rename ${pathText(node.path)}`);
    editor.move(editor.places[node.id] ? { [id]: editor.places[node.id] } : {}, `rename ${pathText(node.path)}`);
    onRenamed(id);
  };
  const path = [...node.path, "id"];
  return (
    <div data-path={pathText(path)} onFocusOut={() => rename(typed.trim())}>
      <TextField label={text.id} value={typed} error={errorAt(path)} maxLength={100} onInput={setTyped} />
    </div>
  );
}

function ToolField({ context: { editor, tools, errorAt }, node }: StageProps) {
  const tool = tools.get(node.tool);
  const workPath = node.argsPath.slice(0, -1);
  const work = node.isBatch ? objectOf(node.stage.itemStage) : node.stage;
  const path = [...workPath, work.toolName !== undefined ? "toolName" : "tool"];
  return (
    <>
      <div data-path={pathText(path)}>
        <SelectField
          label={text.tool}
          value={node.tool}
          error={errorAt([...workPath, "tool"])}
          onInput={(value) => editor.edit((now) => changeTool(now, node, path, value || undefined), pathText(path))}
          options={[
            { value: "", label: text.chooseTool },
            ...(node.tool && (!tool || tool.runs === "session")
              ? [
                  {
                    value: node.tool,
                    label: tool ? words(node.tool) : tools.size ? text.unknownTool(node.tool) : node.tool,
                  },
                ]
              : []),
            ...offered(tools).map(({ name }) => ({ value: name, label: words(name) })),
          ]}
        />
      </div>
      {tool && <p class="help-text">{descriptionOf(tool)}</p>}
    </>
  );
}

/** Whether a stage runs for each value of a list, and for which. */
function BatchFields({ context: { editor, inputs, stages, errorAt }, node }: StageProps) {
  const set = (name: string, value: string) => editor.set([...node.path, name], value || undefined);
  const makeBatch = (isBatch: boolean) =>
    editor.edit((now) => setAt(now, node.path, isBatch ? toBatch(node.stage, inputs) : fromBatch(node.stage)));
  const over = String(node.stage.overBinding ?? "");
  const lists = [
    ...inputs
      .filter(isListInput)
      .map((input) => ({ value: `$inputs.${input.name}`, label: text.fromInput(input.name) })),
    ...stages
      .filter((other) => other.id !== node.id && other.produces.length)
      .map((other) => ({ value: `$artifacts.${other.produces[0]}.items`, label: text.fromStage(other.label) })),
  ];
  return (
    <>
      {!Array.isArray(node.stage.subStages) && (
        <CheckField label={text.batch} help={text.batchHelp} value={node.isBatch} onInput={makeBatch} />
      )}
      {node.isBatch && (
        <div class="pair" data-path={pathText([...node.path, "overBinding"])}>
          <SelectField
            label={text.over}
            value={over}
            error={errorAt([...node.path, "overBinding"])}
            onInput={(value) => set("overBinding", value)}
            options={[
              { value: "", label: text.overNone },
              ...(over && !lists.some((list) => list.value === over)
                ? [{ value: over, label: bindingInWords(over, inputs, stages) ?? over }]
                : []),
              ...lists,
            ]}
          />
          <TextField
            label={text.itemName}
            help={text.itemNameHelp}
            value={String(node.stage.itemName ?? "")}
            error={errorAt([...node.path, "itemName"])}
            optional
            onInput={(value) => set("itemName", value)}
          />
        </div>
      )}
    </>
  );
}

/** What a stage takes from inputs and other stages. */
function Connections({ context: { stages, edges }, node, onRemove }: StageProps & { onRemove: (edge: Edge) => void }) {
  const taken = edges.filter((edge) => edge.to === node.id);
  const sourceOf = (edge: Edge) =>
    edge.from === inputsId ? text.fromInput(edge.input!) : stages.find((stage) => stage.id === edge.from)?.label;
  return (
    <>
      {!taken.length && <p class="small muted">{text.takesNone}</p>}
      <ul class="stage-takes">
        {taken.map((edge, i) => {
          const label = [edge.argument && labelOf(edge.argument), text.edgeKinds[edge.kind], sourceOf(edge)]
            .filter(Boolean)
            .join(" · ");
          return (
            <li key={i} class="row">
              <span class="small grow">{label}</span>
              <IconButton icon="close" label={text.removeConnection(label)} onClick={() => onRemove(edge)} />
            </li>
          );
        })}
      </ul>
    </>
  );
}
