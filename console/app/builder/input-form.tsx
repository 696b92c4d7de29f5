// The form of the inputs of a template.

import { numberOf } from "../json";
import { CheckField, NumberField, SelectField, TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import type { Path } from "../template/derive";
import { boundsOf, inputTypes, isMedia, optionsOf, type TemplateInput } from "../template/model";
import { text } from "../texts/builder";
import { JsonField } from "./argument";
import { newInput, removeAt, renameInput } from "./connect";
import { insertAt, pathText, setAt } from "./document";
import type { FormContext } from "./form";

export function InputsForm({
  context,
  onConnect,
}: {
  context: FormContext;
  onConnect: (input: TemplateInput) => void;
}) {
  const { editor, inputs, stages, tools } = context;
  const add = () => editor.edit((now) => insertAt(now, ["inputs"], newInput(inputs, stages, tools)));
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

interface InputProps {
  context: FormContext;
  input: TemplateInput;
  index: number;
}

function InputForm({ context, input, index, onConnect }: InputProps & { onConnect: () => void }) {
  const { editor, errorAt } = context;
  const path: Path = ["inputs", index];
  const set = (name: string, value: unknown) => editor.set([...path, name], value);
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
          onInput={(value) => set("options", optionsFrom(value, input))}
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
      <BoundsFields
        input={input}
        error={errorAt([...path, "multiple", "max"])}
        onInput={(value) => set("multiple", value)}
      />
      <div class="row">
        <button type="button" class="quiet" onClick={onConnect}>
          {text.connect}
        </button>
        <OrderButtons context={context} input={input} index={index} />
      </div>
    </fieldset>
  );
}

/** The options that are written one a line. One whose value stays keeps its label. */
const optionsFrom = (lines: string, input: TemplateInput) =>
  lines.split("\n").map((line) => optionsOf(input).find((o) => String(o.value) === line && o.label !== line) ?? line);

/** Whether an input has several values, and how many. */
function BoundsFields({
  input,
  error,
  onInput,
}: {
  input: TemplateInput;
  error?: string;
  onInput: (bounds: { min: number; max: number } | undefined) => void;
}) {
  const bounds = boundsOf(input);
  return (
    <>
      {input.type !== "boolean" && (
        <CheckField
          label={text.inputMultiple}
          value={bounds !== undefined}
          onInput={(value) => onInput(value ? { min: 1, max: 5 } : undefined)}
        />
      )}
      {bounds && (
        <div class="pair">
          <NumberField
            label={text.inputMin}
            value={bounds.min}
            onInput={(value) => onInput({ min: value ?? 0, max: bounds.max })}
          />
          <NumberField
            label={text.inputMax}
            value={bounds.max}
            error={error}
            onInput={(value) => onInput({ min: bounds.min, max: value ?? 64 })}
          />
        </div>
      )}
    </>
  );
}

/** Buttons that move an input among the others, and remove it. */
function OrderButtons({ context: { editor, inputs }, input, index }: InputProps) {
  const swap = (other: number) =>
    editor.edit((now) => setAt(setAt(now, ["inputs", index], inputs[other]), ["inputs", other], input));
  return (
    <>
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
        onClick={() => editor.edit((now) => removeAt(now, ["inputs", index]))}
      />
    </>
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
