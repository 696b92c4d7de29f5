// One argument of a stage: a value, or a binding to an input, a result or the item of a batch.

import { useEffect, useState } from "preact/hooks";
import { textOf } from "../json";
import { Field, SelectField, TextField } from "../parts/field";
import { SchemaField } from "../parts/schema-form";
import type { StageNode } from "../template/derive";
import type { Argument, TemplateInput, Tool } from "../template/model";
import { commonName } from "../create/catalog";
import { useModelNames } from "../models/names";
import { describe, labelOf } from "../texts/arguments";
import { text } from "../texts/builder";
import { bindingFor, bindingInWords, fits, makersOf, sourceOfInput, sourceOfStage, type Tools } from "./connect";

const whole = /^\$(inputs|artifacts|item)\b\S*$/;

export interface ArgumentProps {
  stage: StageNode;
  argument: Argument;
  tool?: Tool;
  inputs: TemplateInput[];
  /** The stages whose results this one can take. */
  before: StageNode[];
  tools: Tools;
  value: unknown;
  error?: string;
  onInput: (value: unknown) => void;
}

export function ArgumentField(given: ArgumentProps) {
  const { description } = given.argument;
  const argument = { ...given.argument, description: description && describe(description) };
  const props = { ...given, argument };
  const { stage, inputs, before, tools, value, onInput } = props;
  const [isTyped, setTyped] = useState(false); // the expression is written instead of chosen
  const isBound = typeof value === "string" && whole.test(value);
  const sources = [
    ...inputs.map((input) => ({ label: text.fromInput(input.name), source: sourceOfInput(input) })),
    ...before.map((node) => ({ label: text.fromStage(makersOf(node, before)), source: sourceOfStage(node, tools) })),
  ]
    .filter(({ source }) => source.kind && fits(source, argument))
    .map(({ label, source }) => ({ label, binding: bindingFor(source, stage, argument) }))
    .filter(({ binding }, i, all) => all.findIndex((other) => other.binding === binding) === i);
  const isAdded = argument.type === "string" && !argument.media && !argument.enum && !isBound && Boolean(value);
  const options = sources.map(({ label, binding }) => ({
    value: binding,
    label: isAdded ? text.insert(label) : label,
  }));
  const within = isAdded ? sources.filter((s) => names(value as string, s.binding)).map((s) => s.label) : [];
  if (stage.isBatch && !options.some((option) => option.value === "$item"))
    options.push({ value: "$item", label: text.fromItem });
  if (stage.isBatch) options.push({ value: "$item.index", label: text.fromItemIndex });
  const said = isBound ? bindingInWords(value, inputs, before) : undefined;
  if (isBound && !options.some((option) => option.value === value)) options.unshift({ value, label: said ?? value });
  const choose = (binding: string) => {
    if (binding === "") onInput(undefined);
    else if (isAdded) onInput(`${value} ${binding}`);
    else onInput(binding);
  };
  if (isBound && argument.type !== "string" && said && !isTyped)
    return (
      <Field
        label={labelOf(argument.name)}
        help={argument.description}
        error={props.error}
        optional={!argument.required}>
        {(ids) => (
          <select
            {...ids}
            title={value}
            value={value}
            onInput={({ currentTarget: { value: next } }) => (next === typed ? setTyped(true) : choose(next))}>
            <option value="">{text.value}</option>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
            <option value={typed}>{text.expression}</option>
          </select>
        )}
      </Field>
    );
  return (
    <div class="argument">
      {isBound && argument.type !== "string" ? (
        <TextField
          label={labelOf(argument.name)}
          help={argument.description}
          error={props.error}
          value={value}
          optional={!argument.required}
          onInput={(next) => onInput(next || undefined)}
        />
      ) : (
        <ValueField {...props} />
      )}
      {options.length > 0 && (
        <select
          class="bind"
          aria-label={text.bindOf(labelOf(argument.name))}
          title={isBound ? value : undefined}
          value={isBound ? value : ""}
          onInput={(event) => {
            choose(event.currentTarget.value);
            if (!isBound) event.currentTarget.value = "";
          }}>
          <option value="">{within.length ? text.valueWith(within) : text.value}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** Reports whether a text has a binding. */
const names = (value: string, binding: string) => {
  const at = value.indexOf(binding);
  return at >= 0 && !/^[\w-]/.test(value.slice(at + binding.length));
};

/** A value that the form for tools cannot show, such as a list with bindings, is shown as JSON. */
function ValueField({ argument, tool, value, error, onInput }: ArgumentProps) {
  const is = Array.isArray(value) ? "array" : typeof value;
  const wants = argument.type === "integer" ? "number" : argument.type;
  if (value !== undefined && (is !== wants || (is !== "string" && JSON.stringify(value).includes('"$')))) {
    return (
      <JsonField
        label={labelOf(argument.name)}
        help={argument.description}
        error={error}
        value={value}
        onInput={onInput}
      />
    );
  }
  if (tool && argument.name === tool.modelArgument && !argument.enum)
    return (
      <ModelField argument={argument} tool={tool} value={textOf(value) || undefined} error={error} onInput={onInput} />
    );
  // A default is not written into a template: an argument that is not set follows the tool.
  return (
    <SchemaField
      argument={argument}
      value={value}
      errors={error ? { [argument.name]: error } : {}}
      path={argument.name}
      onInput={onInput}
    />
  );
}

const other = "other"; // no model has this name
const typed = "typed"; // no binding is written so

/** The models that serve a tool, to choose from, or the name of another or an expression. */
function ModelField({
  argument,
  tool,
  value,
  error,
  onInput,
}: {
  argument: Argument;
  tool: Tool;
  value?: string;
  error?: string;
  onInput: (value: unknown) => void;
}) {
  const modelName = useModelNames();
  const names = [...new Set(tool.models.map((model) => model.selectors[0] ?? model.modelId))];
  const labelFor = (name: string) => {
    const models = tool.models.filter((model) => model.modelId === name || model.selectors[0] === name);
    return models.length ? commonName(models.map((model) => modelName(model.modelId))) : name;
  };
  const [isOther, setOther] = useState(value !== undefined && !names.includes(value));
  const isFree = isOther || (value !== undefined && !names.includes(value));
  const label = labelOf(argument.name);
  const choose = (next: string) => {
    setOther(next === other);
    if (next !== other) onInput(next || undefined);
  };
  return (
    <>
      <SelectField
        label={label}
        help={text.modelHelp}
        error={isFree ? undefined : error}
        value={isFree ? other : (value ?? "")}
        onInput={choose}
        options={[
          { value: "", label: tool.defaultModel ? text.modelDefault(labelFor(tool.defaultModel)) : text.modelAny },
          ...names.map((name) => ({ value: name, label: labelFor(name) })),
          { value: other, label: text.modelOther },
        ]}
      />
      {isFree && (
        <TextField
          label={text.modelName}
          error={error}
          value={value ?? ""}
          onInput={(next) => onInput(next || undefined)}
        />
      )}
    </>
  );
}

/** A value as JSON. What is not valid stays in the field and is not written. */
export function JsonField({
  label,
  help,
  error,
  optional,
  value,
  onInput,
}: {
  label: string;
  help?: string;
  error?: string;
  optional?: boolean;
  value: unknown;
  onInput: (value: unknown) => void;
}) {
  const shown = value === undefined ? "" : JSON.stringify(value);
  const [typed, setTyped] = useState(shown);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    if (!isWrong) setTyped(shown);
  }, [shown]);
  const change = (next: string) => {
    setTyped(next);
    if (!next.trim()) {
      setWrong(false);
      return onInput(undefined);
    }
    try {
      const parsed = JSON.parse(next);
      setWrong(false);
      onInput(parsed);
    } catch {
      setWrong(true);
    }
  };
  return (
    <Field label={label} help={help} error={isWrong ? text.notJson : error} optional={optional}>
      {(ids) => (
        <textarea
          {...ids}
          class="mono"
          rows={2}
          spellcheck={false}
          value={typed}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
