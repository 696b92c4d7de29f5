// The form of a template: a field for each of its inputs.

import { useState } from "preact/hooks";
import { words } from "../format";
import { listOf, numberOf, textOf } from "../json";
import { CheckField, NumberField, SelectField, TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { text } from "../texts/template";
import type { Upload } from "../upload";
import { Chosen, FileBox, FileField } from "./files";
import { boundsOf, isMedia, optionsOf, type TemplateInput } from "./model";
import { asked, type Values } from "./values";

export function InputsForm({
  inputs,
  values,
  onInput,
  errors,
}: {
  inputs: TemplateInput[];
  values: Values;
  onInput: (values: Values) => void;
  errors: Record<string, string>;
}) {
  const shown = asked(inputs);
  if (!shown.length) return <p class="muted">{text.noInputs}</p>;
  return (
    <>
      {shown.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={values[input.name]}
          error={errors[input.name]}
          onInput={(value) => onInput({ ...values, [input.name]: value })}
        />
      ))}
    </>
  );
}

interface OneProps {
  input: TemplateInput;
  label: string;
  help?: string;
  value: unknown;
  error?: string;
  onInput: (value: unknown) => void;
}

function InputField({
  input,
  value,
  error,
  onInput,
}: {
  input: TemplateInput;
  value: unknown;
  error?: string;
  onInput: (value: unknown) => void;
}) {
  const label = words(input.name);
  const bounds = boundsOf(input);
  const [problem, setProblem] = useState(""); // of the files that were chosen last: it is newer than what is missing
  if (!bounds)
    return <One input={input} label={label} help={input.description} value={value} error={error} onInput={onInput} />;
  const list = listOf(value);
  const change = (i: number, item: unknown) => onInput(list.map((old, k) => (k === i ? item : old)));
  const remove = (i: number) => onInput(list.filter((_, k) => k !== i));
  const isFile = isMedia(input.type);
  return (
    <fieldset class={problem || error ? "input-list wrong" : "input-list"}>
      <legend>
        {label}
        {!input.required && <span class="muted small"> {text.range(bounds.min, bounds.max)}</span>}
      </legend>
      {input.description && <p class="help-text">{input.description}</p>}
      {list.map((item, i) => (
        <div class="input-item" key={i}>
          {isFile ? (
            <Chosen kind={input.type} url={item} />
          ) : (
            <One
              input={{ ...input, required: true }}
              label={text.nth(label, i + 1)}
              value={item}
              onInput={(next) => change(i, next)}
            />
          )}
          {list.length > Math.max(isFile ? 0 : 1, bounds.min) && (
            <IconButton icon="close" label={text.removeNth(i + 1)} onClick={() => remove(i)} />
          )}
        </div>
      ))}
      {list.length < bounds.max &&
        (isFile ? (
          <FileBox
            kind={input.type as Upload["kind"]}
            label={label}
            multiple
            onProblem={setProblem}
            onFiles={(urls) => onInput([...list, ...urls].slice(0, bounds.max))}
          />
        ) : (
          <button type="button" class="quiet" onClick={() => onInput([...list, input.type === "boolean" ? false : ""])}>
            <Icon name="plus" size={16} /> {text.add}
          </button>
        ))}
      {(problem || error) && (
        <p class="error-text" role="alert">
          {problem || error}
        </p>
      )}
    </fieldset>
  );
}

function One({ input, label, help, value, error, onInput }: OneProps) {
  const options = optionsOf(input);
  const field = { label, help, error, optional: !input.required };
  const schema = input.jsonSchema ?? {};
  if (options.length) {
    const chosen = options.findIndex((option) => option.value === value);
    const none =
      input.required && input.default === undefined
        ? [{ value: "", label: "…", disabled: true }]
        : input.required
          ? []
          : [{ value: "", label: text.none_ }];
    return (
      <SelectField
        {...field}
        value={chosen < 0 ? "" : String(chosen)}
        onInput={(i) => onInput(i === "" ? undefined : options[Number(i)].value)}
        options={[...none, ...options.map((option, i) => ({ value: String(i), label: option.label }))]}
      />
    );
  }
  switch (input.type) {
    case "number":
      return (
        <NumberField
          {...field}
          value={typeof value === "number" ? value : undefined}
          min={numberOf(schema.minimum)}
          max={numberOf(schema.maximum)}
          step={numberOf(schema.multipleOf)}
          onInput={onInput}
        />
      );
    case "boolean":
      return <CheckField label={label} help={help} value={value === true} onInput={onInput} />;
    case "image":
    case "video":
    case "audio":
      return <FileField {...field} kind={input.type} value={value} onInput={onInput} />;
  }
  return (
    <TextField
      {...field}
      value={textOf(value)}
      multiline
      rows={String(value ?? "").length > 80 ? 3 : 2}
      maxLength={numberOf(schema.maxLength) ?? 32_768}
      onInput={onInput}
    />
  );
}
