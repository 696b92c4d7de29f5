// The forms beside the canvas: of the template, of its inputs, and of a stage.

import { useState } from "preact/hooks";
import { words } from "../format";
import { listOf, numberOf, objectOf, textOf } from "../json";
import { CheckField, NumberField, SelectField, TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { inputsId, type Edge, type Path, type StageNode } from "../template/derive";
import {
  boundsOf,
  categories,
  inputTypes,
  isMedia,
  optionsOf,
  stabilities,
  type TemplateInput,
} from "../template/model";
import { text } from "../texts/builder";
import { ArgumentField, JsonField } from "./argument";
import { freshId, isListInput, removeAt, renameInput, renameStage, type Tools } from "./connect";
import { insertAt, pathText, setAt, type Editor, type Json } from "./document";
import { descriptionOf } from "./parts";

export interface FormContext {
  editor: Editor;
  tools: Tools;
  stages: StageNode[];
  edges: Edge[];
  inputs: TemplateInput[];
  /** The message for a place, by its path. */
  errorAt: (path: Path) => string | undefined;
}

const listText = (value: unknown) => listOf(value).join(", ");
const namesIn = (value: string) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

/** A list of names in one line. What is typed stays as it is until the person leaves the field, so that a comma can be typed. */
function ListField({
  label,
  help,
  error,
  value,
  onInput,
}: {
  label: string;
  help?: string;
  error?: string;
  value: unknown;
  onInput: (value: string[] | undefined) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const change = (next: string) => {
    setTyped(next);
    onInput(namesIn(next).length ? namesIn(next) : undefined);
  };
  return (
    <div onFocusOut={() => setTyped(undefined)}>
      <TextField label={label} help={help} error={error} value={typed ?? listText(value)} onInput={change} />
    </div>
  );
}

export function TemplateForm({ editor, errorAt }: FormContext) {
  const { template, set } = editor;
  const field = (name: string, label: string, multiline = false) => (
    <div data-path={name}>
      <TextField
        label={label}
        multiline={multiline}
        value={typeof template[name] === "string" ? template[name] : ""}
        error={errorAt([name])}
        optional={name !== "name"}
        onInput={(value) => set([name], value === "" && name !== "name" ? undefined : value)}
      />
    </div>
  );
  return (
    <div class="stack">
      <h2>{text.settings}</h2>
      {field("name", text.name)}
      {field("brief", text.brief)}
      {field("description", text.description, true)}
      <SelectField
        label={text.category}
        value={textOf(template.category) || "custom"}
        error={errorAt(["category"])}
        onInput={(value) => set(["category"], value)}
        options={categories.map((value) => ({ value, label: words(value) }))}
      />
      <SelectField
        label={text.stability}
        value={textOf(template.stability) || "experimental"}
        error={errorAt(["stability"])}
        onInput={(value) => set(["stability"], value)}
        options={stabilities.map((value) => ({ value, label: words(value) }))}
      />
      <ListField
        label={text.tags}
        help={text.tagsHelp}
        value={template.tags}
        error={errorAt(["tags"])}
        onInput={(value) => set(["tags"], value ?? [])}
      />
      <CheckField
        label={text.expose}
        value={template.exposeToLLM === true}
        onInput={(value) => set(["exposeToLLM"], value)}
      />
    </div>
  );
}

export function InputsForm({
  context,
  onConnect,
}: {
  context: FormContext;
  onConnect: (input: TemplateInput) => void;
}) {
  const { editor, inputs } = context;
  const add = () =>
    editor.edit((now) =>
      insertAt(now, ["inputs"], {
        name: freshId(
          "input",
          inputs.map((input) => input.name),
        ),
        type: "text",
        required: true,
        description: "",
      }),
    );
  return (
    <div class="stack">
      <h2>{text.inputs}</h2>
      {inputs.map((input, i) => (
        <InputForm key={i} context={context} input={input} index={i} onConnect={() => onConnect(input)} />
      ))}
      <p>
        <button type="button" class="quiet" onClick={add}>
          <Icon name="plus" size={16} /> {text.addInput}
        </button>
      </p>
    </div>
  );
}

function InputForm({
  context: { editor, inputs, errorAt },
  input,
  index,
  onConnect,
}: {
  context: FormContext;
  input: TemplateInput;
  index: number;
  onConnect: () => void;
}) {
  const path: Path = ["inputs", index];
  const set = (name: string, value: unknown) => editor.set([...path, name], value);
  const bounds = boundsOf(input);
  const swap = (other: number) =>
    editor.edit((now) => setAt(setAt(now, ["inputs", index], inputs[other]), ["inputs", other], input));
  return (
    <fieldset class="input-list" data-path={pathText(path)}>
      <legend>{input.name || "?"}</legend>
      <div data-path={pathText([...path, "name"])}>
        <TextField
          label={text.inputName}
          value={input.name ?? ""}
          error={errorAt([...path, "name"])}
          onInput={(value) => editor.edit((now) => renameInput(now, index, input.name, value), `rename input ${index}`)}
        />
      </div>
      <SelectField
        label={text.inputType}
        value={input.type ?? ""}
        error={errorAt([...path, "type"])}
        onInput={(value) => set("type", value)}
        options={inputTypes.map((value) => ({ value, label: text.inputTypes[value] }))}
      />
      <TextField
        label={text.inputDescription}
        value={input.description ?? ""}
        error={errorAt([...path, "description"])}
        onInput={(value) => set("description", value)}
      />
      {input.type === "select" && (
        <TextField
          label={text.inputOptions}
          multiline
          value={optionsOf(input)
            .map((option) => String(option.value))
            .join("\n")}
          error={errorAt([...path, "options"])}
          onInput={(value) =>
            set(
              "options",
              value
                .split("\n")
                .map((line) =>
                  optionsOf(input).some((o) => String(o.value) === line && o.label !== line)
                    ? optionsOf(input).find((o) => String(o.value) === line)
                    : line,
                ),
            )
          }
        />
      )}
      {!isMedia(input.type) && (
        <DefaultField input={input} error={errorAt([...path, "default"])} onInput={(value) => set("default", value)} />
      )}
      <CheckField
        label={text.inputRequired}
        value={input.required === true}
        onInput={(value) => set("required", value)}
      />
      {input.type !== "boolean" && (
        <CheckField
          label={text.inputMultiple}
          value={bounds !== undefined}
          onInput={(value) => set("multiple", value ? { min: 1, max: 5 } : undefined)}
        />
      )}
      {bounds && (
        <div class="pair">
          <NumberField
            label={text.inputMin}
            value={bounds.min}
            onInput={(value) => set("multiple", { min: value ?? 0, max: bounds.max })}
          />
          <NumberField
            label={text.inputMax}
            value={bounds.max}
            error={errorAt([...path, "multiple", "max"])}
            onInput={(value) => set("multiple", { min: bounds.min, max: value ?? 64 })}
          />
        </div>
      )}
      <div class="row">
        <button type="button" class="quiet" onClick={onConnect}>
          {text.connect}
        </button>
        <IconButton
          icon="up"
          label={`${text.moveUp}: ${input.name}`}
          disabled={index === 0}
          onClick={() => swap(index - 1)}
        />
        <IconButton
          icon="down"
          label={`${text.moveDown}: ${input.name}`}
          disabled={index === inputs.length - 1}
          onClick={() => swap(index + 1)}
        />
        <IconButton
          icon="trash"
          label={`${text.deleteInput}: ${input.name}`}
          onClick={() => editor.edit((now) => removeAt(now, path))}
        />
      </div>
    </fieldset>
  );
}

function DefaultField({
  input,
  error,
  onInput,
}: {
  input: TemplateInput;
  error?: string;
  onInput: (value: unknown) => void;
}) {
  const field = { label: text.inputDefault, optional: true, error };
  if (boundsOf(input)) return <JsonField {...field} value={input.default} onInput={onInput} />;
  if (input.type === "boolean") return <CheckField {...field} value={input.default === true} onInput={onInput} />;
  if (input.type === "number")
    return (
      <NumberField
        {...field}
        value={typeof input.default === "number" ? input.default : undefined}
        min={numberOf(input.jsonSchema?.minimum)}
        max={numberOf(input.jsonSchema?.maximum)}
        onInput={onInput}
      />
    );
  if (input.type === "select") {
    const options = optionsOf(input);
    return (
      <SelectField
        {...field}
        value={input.default === undefined ? "" : String(input.default)}
        onInput={(value) =>
          onInput(value === "" ? undefined : options.find((option) => String(option.value) === value)?.value)
        }
        options={[
          { value: "", label: text.unset },
          ...options.map((option) => ({ value: String(option.value), label: option.label })),
        ]}
      />
    );
  }
  return (
    <TextField
      {...field}
      value={input.default === undefined ? "" : String(input.default)}
      onInput={(value) => onInput(value === "" ? undefined : value)}
    />
  );
}

export function StageForm({
  context,
  node,
  onConnect,
  onRemove,
  onRemoveEdge,
  onRenamed,
}: {
  context: FormContext;
  node: StageNode;
  onConnect: () => void;
  onRemove: () => void;
  onRemoveEdge: (edge: Edge) => void;
  onRenamed: (id: string) => void;
}) {
  const { editor, tools, stages, edges, inputs, errorAt } = context;
  const tool = tools.get(node.tool);
  const work = node.argsPath.slice(0, -1);
  const set = (name: string, value: unknown) => editor.set([...node.path, name], value);
  const toolName = node.isBatch
    ? [...work, objectOf(node.stage.itemStage).toolName !== undefined ? "toolName" : "tool"]
    : [...work, node.stage.toolName !== undefined ? "toolName" : "tool"];
  const rename = (id: string) => {
    if (!id || id === node.id) return;
    editor.edit((now) => renameStage(now, node, id), `rename ${pathText(node.path)}`);
    editor.move(editor.places[node.id] ? { [id]: editor.places[node.id] } : {}, `rename ${pathText(node.path)}`);
    onRenamed(id);
  };
  const makeBatch = (isBatch: boolean) =>
    editor.edit((now) => setAt(now, node.path, isBatch ? toBatch(node.stage, inputs) : fromBatch(node.stage)));
  const lists = [
    ...inputs
      .filter(isListInput)
      .map((input) => ({ value: `$inputs.${input.name}`, label: text.fromInput(input.name) })),
    ...stages
      .filter((other) => other.id !== node.id && other.produces.length)
      .map((other) => ({ value: `$artifacts.${other.produces[0]}.items`, label: text.fromStage(other.label) })),
  ];
  const condition = objectOf(node.stage.condition);
  const over = String(node.stage.overBinding ?? "");
  const taken = edges.filter((edge) => edge.to === node.id);
  return (
    <div class="stack">
      <h2>{node.label}</h2>
      <TextField
        label={text.label}
        value={typeof node.stage.label === "string" ? node.stage.label : ""}
        optional
        onInput={(value) => set("label", value || undefined)}
      />
      <div data-path={pathText([...node.path, "id"])}>
        <IdField
          key={node.id}
          value={String(node.stage.id ?? "")}
          error={errorAt([...node.path, "id"])}
          onInput={rename}
        />
      </div>
      <div data-path={pathText(toolName)}>
        <SelectField
          label={text.tool}
          value={node.tool}
          error={errorAt([...work, "tool"])}
          onInput={(value) => editor.set(toolName, value || undefined)}
          options={[
            { value: "", label: text.chooseTool },
            ...(node.tool && !tool
              ? [{ value: node.tool, label: tools.size ? text.unknownTool(node.tool) : node.tool }]
              : []),
            ...[...tools.values()].map(({ name }) => ({ value: name, label: words(name) })),
          ]}
        />
      </div>
      {tool && <p class="help-text">{descriptionOf(tool, tools)}</p>}
      {!Array.isArray(node.stage.subStages) && (
        <CheckField label={text.batch} help={text.batchHelp} value={node.isBatch} onInput={makeBatch} />
      )}
      {node.isBatch && (
        <div class="pair" data-path={pathText([...node.path, "overBinding"])}>
          <SelectField
            label={text.over}
            value={over}
            error={errorAt([...node.path, "overBinding"])}
            onInput={(value) => set("overBinding", value || undefined)}
            options={[
              { value: "", label: text.overNone },
              ...(over && !lists.some((list) => list.value === over) ? [{ value: over, label: over }] : []),
              ...lists,
            ]}
          />
          <TextField
            label={text.itemName}
            help={text.itemNameHelp}
            value={String(node.stage.itemName ?? "")}
            error={errorAt([...node.path, "itemName"])}
            optional
            onInput={(value) => set("itemName", value || undefined)}
          />
        </div>
      )}
      <h3>{text.arguments}</h3>
      <Arguments context={context} node={node} />
      <h3>{text.takes}</h3>
      {!taken.length && <p class="small muted">{text.takesNone}</p>}
      <ul class="stage-takes">
        {taken.map((edge, i) => {
          const label = [
            edge.argument,
            text.edgeKinds[edge.kind],
            edge.from === inputsId
              ? text.fromInput(edge.input!)
              : stages.find((stage) => stage.id === edge.from)?.label,
          ]
            .filter(Boolean)
            .join(" · ");
          return (
            <li key={i} class="row">
              <span class="small grow">{label}</span>
              <IconButton icon="close" label={text.removeConnection(label)} onClick={() => onRemoveEdge(edge)} />
            </li>
          );
        })}
      </ul>
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
        {tool?.produces && (
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
function IdField({ value, error, onInput }: { value: string; error?: string; onInput: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  return (
    <div onFocusOut={() => onInput(typed.trim())}>
      <TextField label={text.id} value={typed} error={error} maxLength={100} onInput={setTyped} />
    </div>
  );
}

function Arguments({ context, node }: { context: FormContext; node: StageNode }) {
  const { editor, tools, stages, edges, inputs, errorAt } = context;
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
      <div key={name} data-path={pathText(path)}>
        {argument ? (
          <ArgumentField
            stage={node}
            argument={argument}
            tool={tool}
            inputs={inputs}
            before={before}
            tools={tools}
            value={node.args[name]}
            error={errorAt(path)}
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
  const order = [
    ...tool.arguments.map((a) => a.name).filter((name) => shown.has(name)),
    ...[...shown].filter((name) => !tool.arguments.some((a) => a.name === name)),
  ];
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

const workFields = ["tool", "toolName", "args", "arguments", "dependsOn"];

/** A stage that runs once, made into one for each value of a list. */
function toBatch(stage: Json, inputs: TemplateInput[]): Json {
  const list = inputs.find(isListInput);
  const outer = Object.fromEntries(Object.entries(stage).filter(([name]) => !workFields.includes(name)));
  const itemStage = Object.fromEntries(Object.entries(stage).filter(([name]) => workFields.includes(name)));
  return {
    ...outer,
    type: "batch",
    overBinding: list ? `$inputs.${list.name}` : "",
    itemStage,
    produces: stage.produces ?? [stage.id],
  };
}

function fromBatch(stage: Json): Json {
  const {
    type,
    overBinding,
    itemName,
    itemStage,
    itemLabelTemplate,
    concurrency,
    partialExecutionEnabled,
    maxAttemptsPerItem,
    ...rest
  } = stage;
  return { ...rest, ...objectOf(itemStage) };
}
