// The form of a template: a field for each of its inputs.

import { useRef, useState } from "preact/hooks";
import { words } from "../format";
import { listOf, numberOf, objectOf, textOf } from "../json";
import { CheckField, Field, NumberField, SelectField, TextField } from "../parts/field";
import { Icon, IconButton, kindIcon } from "../parts/icon";
import { text as form } from "../texts/schema-form";
import { text } from "../texts/template";
import { accepted, kindOf, upload, type Upload } from "../upload";
import { boundsOf, isMedia, optionsOf, type TemplateInput } from "./model";

type MediaKind = Upload["kind"];

export type Values = Record<string, unknown>;

/** The inputs that a person is asked for. */
export const asked = (inputs: TemplateInput[]) => inputs.filter((input) => !input.internal);

/** The values that the form begins with: the defaults, and empty places for lists. */
export function initial(inputs: TemplateInput[]): Values {
  const out: Values = {};
  for (const input of asked(inputs)) {
    const bounds = boundsOf(input);
    const given = input.default;
    if (bounds)
      out[input.name] = Array.isArray(given)
        ? [...given]
        : given !== undefined
          ? [given]
          : isMedia(input.type)
            ? []
            : Array(Math.max(1, bounds.min)).fill("");
    else if (given !== undefined) out[input.name] = given;
    else if (input.type === "boolean") out[input.name] = false;
  }
  return out;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

/** The values as they are sent: empty ones are left out. */
export function filled(inputs: TemplateInput[], values: Values): Values {
  const out: Values = {};
  for (const input of asked(inputs)) {
    const value = values[input.name];
    if (Array.isArray(value)) {
      const items = value.filter((item) => !isEmpty(item));
      if (items.length) out[input.name] = items;
    } else if (!isEmpty(value)) out[input.name] = value;
  }
  return out;
}

/** What is missing, by the name of the input. */
export function lacking(inputs: TemplateInput[], values: Values): Record<string, string> {
  const given = filled(inputs, values);
  const out: Record<string, string> = {};
  for (const input of asked(inputs)) {
    const bounds = boundsOf(input);
    const n = listOf(given[input.name]).length;
    if (input.required && given[input.name] === undefined) out[input.name] = form.problems.required;
    else if (bounds && n > 0 && (n < bounds.min || n > bounds.max))
      out[input.name] = text.range(bounds.min, bounds.max);
  }
  return out;
}

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
  if (!bounds)
    return <One input={input} label={label} help={input.description} value={value} error={error} onInput={onInput} />;
  const list = listOf(value);
  const change = (i: number, item: unknown) => onInput(list.map((old, k) => (k === i ? item : old)));
  const remove = (i: number) => onInput(list.filter((_, k) => k !== i));
  const isFile = isMedia(input.type);
  return (
    <fieldset class="input-list">
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
            kind={input.type as MediaKind}
            label={label}
            multiple
            onFiles={(urls) => onInput([...list, ...urls].slice(0, bounds.max))}
          />
        ) : (
          <button type="button" class="quiet" onClick={() => onInput([...list, input.type === "boolean" ? false : ""])}>
            <Icon name="plus" size={16} /> {text.add}
          </button>
        ))}
      {error && (
        <p class="error-text" role="alert">
          {error}
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

const urlOf = (value: unknown): string => (typeof value === "string" ? value : textOf(objectOf(value).url));

function FileField({
  label,
  help,
  error,
  optional,
  kind,
  value,
  onInput,
}: {
  label: string;
  help?: string;
  error?: string;
  optional?: boolean;
  kind: MediaKind;
  value: unknown;
  onInput: (value: unknown) => void;
}) {
  const url = urlOf(value);
  return (
    <Field label={label} help={help} error={error} optional={optional}>
      {(ids) =>
        url ? (
          <div class="input-item">
            <Chosen kind={kind} url={url} />
            <IconButton
              icon="close"
              id={ids.id}
              label={`${text.remove}: ${label}`}
              onClick={() => onInput(undefined)}
            />
          </div>
        ) : (
          <FileBox kind={kind} label={label} ids={ids} onFiles={([first]) => onInput(first)} />
        )
      }
    </Field>
  );
}

function Chosen({ kind, url }: { kind: string; url: unknown }) {
  const [failed, setFailed] = useState(false);
  const source = urlOf(url);
  if (kind === "audio") return <audio class="grow" src={source} controls preload="metadata" />;
  return (
    <span class="chosen grow">
      {kind === "image" && !failed ? (
        <img src={source} alt="" onError={() => setFailed(true)} />
      ) : (
        <Icon name={kindIcon(kind)} size={28} />
      )}
      <span class="small muted cut">{decodeURIComponent(source.split("?")[0].split("/").pop() ?? "")}</span>
    </span>
  );
}

/** Takes files by choice, drop or paste, or the address of one. */
function FileBox({
  kind,
  label,
  ids,
  multiple,
  onFiles,
}: {
  kind: MediaKind;
  label: string;
  ids?: { id: string };
  multiple?: boolean;
  onFiles: (urls: string[]) => void;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [address, setAddress] = useState("");
  const [over, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const take = async (files: File[]) => {
    const fitting = files.filter((file) => kindOf(file) === kind).slice(0, multiple ? 64 : 1);
    if (!fitting.length) return setProblem(text.notAKind(kind));
    setBusy(true);
    setProblem("");
    try {
      const urls: string[] = [];
      for (const file of fitting) urls.push((await upload(file)).url);
      onFiles(urls);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    void take(files);
  };
  const useAddress = () => {
    if (/^https?:\/\/./.test(address.trim())) onFiles([address.trim()]);
    setAddress("");
  };
  return (
    <div
      class={over ? "file-box over" : "file-box"}
      onPaste={paste}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take([...(event.dataTransfer?.files ?? [])]);
      }}>
      <button type="button" class="quiet" {...ids} disabled={busy} onClick={() => chooser.current?.click()}>
        <Icon name={kindIcon(kind)} size={16} /> {busy ? text.uploading : multiple ? text.uploadMore : text.upload}
      </button>
      <input
        ref={chooser}
        class="offscreen"
        type="file"
        tabIndex={-1}
        aria-label={`${text.upload}: ${label}`}
        accept={accepted(kind)}
        multiple={multiple}
        onChange={(event) => {
          void take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <input
        class="grow"
        type="url"
        aria-label={`${text.address}: ${label}`}
        placeholder={text.orAddress}
        value={address}
        onInput={(event) => setAddress(event.currentTarget.value)}
        onBlur={useAddress}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            useAddress();
          }
        }}
      />
      {problem && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
