// Forms that are drawn from declared arguments, as GET /v1/tools lists them.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { words } from "../format";
import { listOf, numberOf, objectOf, textOf } from "../json";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/schema-form";
import type { Argument, Values } from "./arguments";
import { CheckField, Field, NumberField, SelectField, TextField } from "./field";
import { IconButton } from "./icon";

/** Draws an argument in another way, or returns undefined to leave it as it is. */
export type Replace = (
  argument: Argument,
  value: unknown,
  set: (value: unknown) => void,
  error?: string,
) => ComponentChildren | undefined;

interface FormProps {
  fields: Argument[];
  values: Values;
  onInput: (values: Values) => void;
  /** Errors by path, such as "width" or "keyframes[0].atSeconds". */
  errors?: Record<string, string>;
  replace?: Replace;
}

/** All arguments: the usual ones first, the advanced ones behind a summary. */
export function SchemaForm(props: FormProps) {
  const usual = props.fields.filter((a) => !a.advanced || a.required);
  const advanced = props.fields.filter((a) => a.advanced && !a.required);
  const isSet = advanced.some((a) => props.values[a.name!] !== undefined);
  const wrong = advanced.some((a) => Object.keys(props.errors ?? {}).some((path) => path.split(/[.[]/)[0] === a.name));
  return (
    <div class="schema-form">
      <SchemaFields {...props} fields={usual} />
      {advanced.length > 0 && (
        <details open={isSet || wrong}>
          <summary>{text.more}</summary>
          <SchemaFields {...props} fields={advanced} />
        </details>
      )}
    </div>
  );
}

/** Some arguments, one field each. */
export function SchemaFields({
  fields,
  values,
  onInput,
  errors = {},
  replace,
  path = "",
}: FormProps & { path?: string }) {
  return (
    <>
      {fields.map((a) => {
        const name = a.name!;
        const set = (value: unknown) => {
          const next = { ...values };
          if (value === undefined) delete next[name];
          else next[name] = value;
          onInput(next);
        };
        return (
          <SchemaField
            key={name}
            argument={a}
            value={values[name]}
            onInput={set}
            errors={errors}
            replace={replace}
            path={path + name}
          />
        );
      })}
    </>
  );
}

const long = /^(prompt|lyrics|srt|text|dialogue|description|.*[pP]rompt|.*Description|.*Transcript)$/;

interface SchemaFieldProps {
  argument: Argument;
  value: unknown;
  onInput: (value: unknown) => void;
  errors?: Record<string, string>;
  replace?: Replace;
  path: string;
  label?: string;
}

/** The field of one argument. An empty field has no value. */
export function SchemaField({ argument: a, value, onInput, errors = {}, replace, path, label }: SchemaFieldProps) {
  const error = errors[path];
  const drawn = replace?.(a, value, onInput, error);
  if (drawn !== undefined) return <>{drawn}</>;
  const field = { label: label ?? labelOf(a.name ?? ""), help: a.description, error };
  const control = { argument: a, value, onInput, field };
  const group = { argument: a, value, onInput, errors, replace, path, label: field.label };
  if (a.enum) return <ChoiceField {...control} />;
  switch (a.type) {
    case "boolean":
      return <BooleanField {...control} />;
    case "integer":
    case "number":
      return (
        <NumberField
          {...field}
          help={numberHelp(a)}
          value={numberOf(value)}
          onInput={onInput}
          placeholder={defaultOf(a)}
          min={a.minimum}
          max={a.maximum}
          step={a.step ?? (a.type === "integer" ? 1 : undefined)}
        />
      );
    case "array":
      return <ListField {...group} />;
    case "object":
      if (a.open || !a.fields) return <JsonField {...field} value={value} onInput={onInput} />;
      return <GroupField {...group} fields={a.fields} />;
  }
  return <StringField {...control} />;
}

const defaultOf = (a: Argument) => (a.default === undefined ? "" : String(a.default));

/** What the control of an argument gets, whatever its type. */
interface ControlProps {
  argument: Argument;
  value: unknown;
  onInput: (value: unknown) => void;
  field: { label: string; help?: string; error?: string };
}

function ChoiceField({ argument: a, value, onInput, field }: ControlProps) {
  const values = a.enum!;
  const unset = a.required ? "…" : defaultOf(a) ? text.defaultIs(words(defaultOf(a))) : text.byModel;
  return (
    <SelectField
      {...field}
      value={value === undefined ? "" : String(value)}
      onInput={(v) => onInput(v === "" ? undefined : values.find((option) => String(option) === v))}
      options={[
        ...(a.required && value !== undefined ? [] : [{ value: "", label: unset }]),
        ...optionsOf(values, value),
      ]}
    />
  );
}

function BooleanField({ argument: a, value, onInput, field }: ControlProps) {
  if (typeof a.default === "boolean")
    return (
      <CheckField
        {...field}
        value={(value ?? a.default) === true}
        onInput={(v) => onInput(v === a.default ? undefined : v)}
      />
    );
  return (
    <SelectField
      {...field}
      value={value === undefined ? "" : String(value)}
      onInput={(v) => onInput(v === "" ? undefined : v === "true")}
      options={[
        { value: "", label: text.byModel },
        { value: "true", label: text.yes },
        { value: "false", label: text.no },
      ]}
    />
  );
}

function StringField({ argument: a, value, onInput, field }: ControlProps) {
  const listId = useId();
  const give = (v: string) => onInput(v === "" ? undefined : v);
  if (!a.suggestions)
    return (
      <TextField
        {...field}
        value={textOf(value)}
        onInput={give}
        multiline={long.test(a.name ?? "") || (a.maxLength ?? 0) > 200}
        rows={2}
        maxLength={a.maxLength}
        placeholder={defaultOf(a)}
      />
    );
  return (
    <Field {...field}>
      {(ids) => (
        <>
          <input
            {...ids}
            list={listId}
            value={textOf(value)}
            placeholder={defaultOf(a)}
            maxlength={a.maxLength}
            onInput={(e) => give(e.currentTarget.value)}
          />
          <datalist id={listId}>
            {a.suggestions!.map((s) => (
              <option key={s} value={s} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

type GroupProps = SchemaFieldProps & { errors: Record<string, string>; label: string };

function GroupField({
  argument: a,
  fields,
  value,
  onInput,
  errors,
  replace,
  path,
  label,
}: GroupProps & { fields: Argument[] }) {
  return (
    <fieldset class="schema-group">
      <legend>{label}</legend>
      {a.description && <p class="help-text">{a.description}</p>}
      {errors[path] && <p class="error-text">{errors[path]}</p>}
      <SchemaFields
        fields={fields}
        values={objectOf(value)}
        errors={errors}
        replace={replace}
        path={path + "."}
        onInput={(next) => onInput(Object.keys(next).length ? next : undefined)}
      />
    </fieldset>
  );
}

/** The values to choose from. Of several names of the same thing, such as jpg and jpeg, one is shown. */
function optionsOf(values: unknown[], chosen: unknown) {
  const label = (value: unknown) => (typeof value === "string" ? words(value) : String(value));
  const shown = values.filter(
    (value, i) =>
      value === chosen || !values.some((other, k) => label(other) === label(value) && (other === chosen || k < i)),
  );
  return shown.map((value) => ({ value: String(value), label: label(value) }));
}

// The range replaces what the description says of it, unless it is too wide to help.
function numberHelp(a: Argument) {
  if (a.minimum === undefined || a.maximum === undefined || a.maximum - a.minimum > 1e6) return a.description;
  const range = `${text.range(a.minimum, a.maximum, a.unit ?? "")}.`;
  return !a.description || /own range|^Seconds\b[^.]*\.$/.test(a.description) ? range : `${a.description} ${range}`;
}

function ListField({ argument: a, value, onInput, errors, replace, path, label }: GroupProps) {
  const entries = listOf(value);
  const change = (next: unknown[]) => onInput(next.length ? next : undefined);
  const item: Argument = a.items ?? { type: "string" };
  const errorId = useId();
  return (
    <fieldset class="schema-group" aria-describedby={errors[path] && errorId}>
      <legend>{label}</legend>
      {a.description && <p class="help-text">{a.description}</p>}
      {errors[path] && (
        <p class="error-text" id={errorId}>
          {errors[path]}
        </p>
      )}
      {entries.map((entry, i) => (
        <div class="schema-entry" key={i}>
          <SchemaField
            argument={item}
            value={entry ?? undefined}
            errors={errors}
            replace={replace}
            path={`${path}[${i}]`}
            label={text.entry(label, i + 1)}
            onInput={(v) => change(entries.map((old, k) => (k === i ? (v === undefined ? emptyEntry(item) : v) : old)))}
          />
          <IconButton
            icon="close"
            label={text.remove(label, i + 1)}
            onClick={() => change(entries.filter((_, k) => k !== i))}
          />
        </div>
      ))}
      {entries.length < (a.maxItems ?? 100) && (
        <div>
          <button type="button" class="quiet" onClick={() => change([...entries, emptyEntry(item)])}>
            {text.add(label)}
          </button>
        </div>
      )}
    </fieldset>
  );
}

const emptyEntry = (a: Argument) => (a.type === "object" ? {} : a.enum ? a.enum[0] : a.type === "string" ? "" : null);

/** An object of any shape. What is not valid JSON yet stays in the field alone. */
function JsonField({
  value,
  onInput,
  ...field
}: {
  label: string;
  help?: ComponentChildren;
  error?: string;
  value: unknown;
  onInput: (value: unknown) => void;
}) {
  const [typed, setTyped] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [wrong, setWrong] = useState(false);
  const read = (v: string) => {
    setTyped(v);
    try {
      onInput(v.trim() === "" ? undefined : JSON.parse(v));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <TextField
      {...field}
      label={`${field.label} (${text.json})`}
      error={wrong ? text.problems.json : field.error}
      value={typed}
      onInput={read}
      multiline
      rows={3}
    />
  );
}
