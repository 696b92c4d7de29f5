// The form: kind, tool and model, the prompt, references, LoRAs and settings.

import { useMemo } from "preact/hooks";
import { encoded } from "../api";
import { words as spell } from "../format";
import { textOf } from "../json";
import { Chip } from "../parts/chip";
import { Choices, Field, SelectField, TextField } from "../parts/field";
import { SchemaFields, SchemaForm } from "../parts/schema-form";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/create";
import type { Argument } from "../parts/arguments";
import { fieldsOf, identifier, leadOf, takesMarks } from "./arguments";
import { choicesOf, kinds, servedBy, type Catalog, type Model, type Tool } from "./catalog";
import type { Form } from "./form";
import type { Unfit } from "./lora";
import { LoraFields, type Loras } from "./loras";
import { neededMedia } from "./machine";
import { PictureTools } from "./picture-tools";
import { Slot } from "./slot";

export interface FieldsProps {
  catalog: Catalog;
  tool: Tool;
  model: Model | undefined;
  form: Form;
  errors: Record<string, string>;
  onForm: (form: Form) => void;
  onTool: (name: string) => void;
}

export function Kind({ catalog, tool, onTool }: FieldsProps) {
  const available = kinds.filter((k) => catalog.tools.some((t) => t.produces === k));
  return (
    <Choices
      label={text.kind}
      value={tool.produces!}
      options={available.map((value) => ({ value, label: text.kinds[value] }))}
      onInput={(kind) => kind !== tool.produces && onTool(catalog.tools.find((t) => t.produces === kind)!.name)}
    />
  );
}

// Descriptions name tools and arguments by their identifiers. They are written for language
// models too, which have tools that this page does not offer: sentences about those are left out.
function readable({ description, arguments: args }: Tool, { tools }: Catalog): string {
  const labels = new Map([
    ...tools.map((t) => [t.name, spell(t.name)] as const),
    ...args.map((a) => [a.name!, labelOf(a.name!)] as const),
  ]);
  const isKnown = (sentence: string) => (sentence.match(identifier) ?? []).every((name) => labels.has(name));
  return description
    .replace(/.+?(?:\. |$)/g, (sentence) => (isKnown(sentence) ? sentence : ""))
    .replace(identifier, (name) => `“${labels.get(name)}”`);
}

/** Tool and model, and who renders. */
export function Chosen({ catalog, tool, model, form, errors, onForm, onTool }: FieldsProps) {
  const choices = useMemo(() => choicesOf(tool, catalog), [tool, catalog]);
  const chosen = choices.find((c) => c.value === form.model);
  const served = chosen?.served ?? (model ? servedBy([model]) : tool.models.length ? "noWorker" : undefined);
  return (
    <div class="stack">
      <div class="create-chosen">
        <SelectField
          label={text.tool}
          value={tool.name}
          onInput={onTool}
          options={catalog.tools
            .filter((t) => t.produces === tool.produces)
            .map((t) => ({ value: t.name, label: spell(t.name) }))}
        />
        {tool.modelArgument && (
          <Field label={text.model} error={errors[tool.modelArgument]}>
            {(ids) => (
              <select
                {...ids}
                value={form.model}
                title={chosen?.label}
                onInput={(e) => onForm({ ...form, model: e.currentTarget.value })}>
                <option value="">{text.anyModel}</option>
                {(["workers", "expected", "preview", "noWorker"] as const).map(
                  (s) =>
                    choices.some((c) => c.served === s) && (
                      <optgroup key={s} label={text.served[s]}>
                        {choices
                          .filter((c) => c.served === s)
                          .map((c) => (
                            <option key={c.value} value={c.value}>
                              {c.label}
                            </option>
                          ))}
                      </optgroup>
                    ),
                )}
              </select>
            )}
          </Field>
        )}
      </div>
      <p class="help-text">
        {readable(tool, catalog).trim() + " "}
        {model && <a href={encoded`/models/${model.id}`}>{text.aboutModel}</a>}
      </p>
      {served === "expected" && (
        <p class="small">
          <Chip tone="warn">{text.served.expected}</Chip> <span class="muted">{text.expectedAbout}</span>
        </p>
      )}
      {served === "preview" && (
        <p class="small">
          <Chip tone="warn">{text.served.preview}</Chip> <span class="muted">{text.previewAbout}</span>
        </p>
      )}
      {served === "noWorker" && (
        <p class="small">
          <Chip tone="bad">{text.served.noWorker}</Chip> <span class="muted">{text.noWorkerAbout}</span>
        </p>
      )}
    </div>
  );
}

const setter = (form: Form, onForm: FieldsProps["onForm"]) => (name: string, value: unknown) => {
  const values = { ...form.values, [name]: value };
  if (value === undefined || value === "") delete values[name];
  onForm({ ...form, values });
};

/** What the tool is asked for in its example, as a sentence begins. */
const exampleOf = ({ example }: Tool) => textOf(example?.prompt).replace(/^./, (first) => first.toUpperCase());

export function Prompt({ tool, model, form, errors, onForm }: FieldsProps) {
  const lead = leadOf(tool);
  if (!lead) return null;
  return (
    <TextField
      label={lead.name === "prompt" ? text.prompt : takesMarks(tool) ? text.toSelect : labelOf(lead.name!)}
      multiline
      rows={4}
      value={textOf(form.values[lead.name!])}
      onInput={(v) => setter(form, onForm)(lead.name!, v)}
      placeholder={(lead.name === "prompt" && exampleOf(tool)) || lead.description}
      error={errors[lead.name!]}
      maxLength={model?.parameters.maxPromptLength ?? lead.maxLength}
    />
  );
}

interface AdditionsProps extends FieldsProps {
  loras?: Loras;
  unfit: Record<string, Unfit>;
}

/** The places of references: those that the tool needs, with what is marked on them, or the others. */
export function Places({ tool, model, form, errors, onForm, needed }: FieldsProps & { needed?: true }) {
  const set = setter(form, onForm);
  const all = fieldsOf(tool, model);
  const required = neededMedia(tool, model, all);
  const isNeeded = (a: Argument) => Boolean(a.media && (a.required || required.has(a.name!)));
  const slots = all.filter((a) => a.media && isNeeded(a) === !!needed && (!a.advanced || form.values[a.name!]));
  const isMarkedAbove = all.some((a) => isNeeded(a) && a.media === "image");
  return (
    <>
      {slots.length > 0 && (
        <div class="slots">
          {slots.map((a) => (
            <Slot
              key={a.name}
              argument={a}
              isRequired={needed}
              value={form.values[a.name!]}
              set={(v) => set(a.name!, v)}
              error={errors[a.name!]}
            />
          ))}
        </div>
      )}
      {isMarkedAbove === !!needed && <PictureTools tool={tool} form={form} onForm={onForm} />}
    </>
  );
}

/** The LoRAs. */
export function Additions({ tool, model, form, errors, onForm, loras, unfit }: AdditionsProps) {
  const lead = leadOf(tool);
  const set = setter(form, onForm);
  const takesLoras =
    model && tool.arguments.some((a) => a.name === "loras") && (form.loras.length > 0 || loras?.models.has(model.id));
  return (
    <>
      {takesLoras && (
        <LoraFields
          chosen={form.loras}
          modelId={model.id}
          kind={model.mediaType}
          loras={loras?.rows ?? []}
          unfit={unfit}
          error={errors.loras}
          onModel={(choice) => onForm({ ...form, model: choice })}
          onInput={(chosen) => onForm({ ...form, loras: chosen })}
          onPrompt={(w) => lead && set(lead.name!, [form.values[lead.name!], w].filter(Boolean).join(", "))}
        />
      )}
    </>
  );
}

/** The arguments that have no control outside of the settings. */
export function settingsOf({ tool, model, form }: FieldsProps) {
  const lead = leadOf(tool);
  return fieldsOf(tool, model).filter(
    (a) =>
      a !== lead &&
      a.name !== lead?.name &&
      a.name !== tool.countArgument &&
      a.name !== "aspectRatio" &&
      a.name !== "duration" &&
      !(a.media && (!a.advanced || form.values[a.name!])),
  );
}

/** How long a clip or a sound is: its price follows from it. */
export function Length({ tool, model, form, errors, onForm }: FieldsProps) {
  const fields = fieldsOf(tool, model).filter((a) => a.name === "duration");
  if (!fields.length) return null;
  return (
    <div class="create-length">
      <SchemaFields
        fields={fields}
        values={form.values}
        errors={errors}
        onInput={(values) => onForm({ ...form, values })}
      />
    </div>
  );
}

/** Everything else that the tool takes. */
export function Settings(props: FieldsProps) {
  const { form, errors, onForm } = props;
  const fields = settingsOf(props);
  if (!fields.length) return null;
  return (
    <SchemaForm
      fields={fields}
      values={form.values}
      errors={errors}
      onInput={(values) => onForm({ ...form, values })}
      replace={(a, value, set, error) =>
        a.media ? <Slot argument={a} value={value} set={set} error={error} /> : undefined
      }
    />
  );
}
