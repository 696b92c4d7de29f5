// The limits of an API key: the fields to choose them, and a sentence about them.

import { useId } from "preact/hooks";
import { get } from "../api";
import { amount, moment } from "../format";
import { useData, useSettled } from "../hooks";
import { text } from "../texts/keys";
import type { Bodies, BudgetPart, KeyLimits } from "../types";
import { CheckField, Field, NumberField, SelectField, TextField } from "./field";
import { entriesOf, limitProblem, unknownOf } from "./limit-problem";
import { expiryOf } from "./expiry";

export type NewLimits = NonNullable<Bodies["POST /v1/account/keys"]["limits"]>;
type Group = NonNullable<KeyLimits["groups"]>[number];

const parts = ["day", "month", "total"] as const;
const groups: Group[] = ["chat", "media", "workflows", "account", "worker", "operator"];

/** What the fields hold. Empty fields do not limit. */
export interface Draft {
  expires: string;
  day: string;
  month: string;
  total: string;
  unit: "spark" | "usd";
  rate?: number;
  groups: Group[];
  readOnly: boolean;
  models: string;
  tools: string;
  addresses: string;
}

/** What the fields hold for limits; empty fields without. */
export function draftOf(limits: KeyLimits | null | undefined): Draft {
  const budget = limits?.budget;
  const part = (p: BudgetPart | undefined) => (p ? amount(p.limit, 6).replaceAll(",", "") : "");
  return {
    expires: limits?.expiresAt?.slice(0, 10) ?? "",
    day: part(budget?.day),
    month: part(budget?.month),
    total: part(budget?.total),
    unit: budget?.unit ?? "spark",
    rate: limits?.requestsPerMinute,
    groups: limits?.groups ?? [],
    readOnly: limits?.readOnly ?? false,
    models: limits?.models?.join(", ") ?? "",
    tools: limits?.tools?.join(", ") ?? "",
    addresses: limits?.addresses?.join(", ") ?? "",
  };
}

function names(list: string): string[] | undefined {
  const found = entriesOf(list);
  return found.length ? found : undefined;
}

/** The limits of a request; null without any. */
export function limitsOf(draft: Draft, before?: KeyLimits | null): NewLimits | null {
  const { day, month, total, unit } = draft;
  const limits: NewLimits = {
    expiresAt: expiryOf(draft.expires, before?.expiresAt),
    budget:
      day || month || total
        ? { unit, day: day || undefined, month: month || undefined, total: total || undefined }
        : undefined,
    requestsPerMinute: draft.rate,
    groups: draft.groups.length ? draft.groups : undefined,
    readOnly: draft.readOnly || undefined,
    models: names(draft.models),
    tools: names(draft.tools),
    addresses: names(draft.addresses),
  };
  return Object.values(limits).some((v) => v !== undefined) ? limits : null;
}

/** The ids of the models that the service has now; none where they cannot be read. */
function useModels(): string[] {
  const listed = useData(async (signal) => {
    const [language, media] = await Promise.all([get("/v1/models", { signal }), get("/v1/model-catalog", { signal })]);
    return [...new Set([...language.data, ...media.models].map(({ id }) => id))].sort();
  }, []);
  return listed.data ?? [];
}

/** The fields. field is that which the service refuses, and why. */
export function LimitFields({
  draft,
  onInput,
  field,
  why,
}: {
  draft: Draft;
  onInput: (draft: Draft) => void;
  field?: string;
  why?: string;
}) {
  const set = (change: Partial<Draft>) => onInput({ ...draft, ...change });
  const at = (name: string, label: string) =>
    field?.startsWith(`limits.${name}`)
      ? limitProblem(why ?? "", label, entriesOf(String(draft[name as keyof Draft] ?? "")))
      : undefined;
  const part = parts.find((name) => field === `limits.budget.${name}`);
  const budgetError = at("budget", part ? text.budgetOf[part] : text.budget);
  const wrong = useId();
  const models = useModels();
  const unknown = unknownOf(useSettled(draft.models, 400), models);
  return (
    <>
      <fieldset class="budget">
        <legend>{text.budget}</legend>
        {parts.map((name) => (
          <TextField
            key={name}
            label={text.budgetPer[name]}
            value={draft[name]}
            onInput={(entered) => set({ [name]: entered })}
            wrongBy={name === part ? wrong : undefined}
          />
        ))}
        <SelectField
          label={text.budgetUnit}
          value={draft.unit}
          onInput={(unit) => set({ unit })}
          options={[
            { value: "spark", label: text.unit.spark },
            { value: "usd", label: text.unit.usd },
          ]}
        />
        {budgetError && (
          <p class="error-text" id={wrong}>
            {budgetError}
          </p>
        )}
        <p class="help-text">{text.budgetHelp}</p>
      </fieldset>
      <div class="limit-pair">
        <TextField
          label={text.expires}
          optional
          type="date"
          value={draft.expires}
          onInput={(expires) => set({ expires })}
          error={at("expiresAt", text.expires)}
        />
        <NumberField
          label={text.rate}
          optional
          min={1}
          value={draft.rate}
          onInput={(rate) => set({ rate })}
          error={at("requestsPerMinute", text.rate)}
        />
      </div>
      <Field label={text.groups} optional help={text.groupsHelp} error={at("groups", text.groups)}>
        {(ids) => (
          <div class="row" role="group" {...ids}>
            {groups.map((g) => (
              <CheckField
                key={g}
                label={text.group[g]}
                value={draft.groups.includes(g)}
                onInput={(on) => set({ groups: groups.filter((o) => (o === g ? on : draft.groups.includes(o))) })}
              />
            ))}
          </div>
        )}
      </Field>
      <CheckField
        label={text.readOnly}
        help={text.readOnlyHelp}
        value={draft.readOnly}
        onInput={(readOnly) => set({ readOnly })}
      />
      <TextField
        label={text.models}
        optional
        help={
          <>
            {text.modelsHelp}
            {unknown.length > 0 && <strong class="unknown-models"> {text.modelsUnknown(unknown.join(", "))}</strong>}
          </>
        }
        value={draft.models}
        onInput={(models) => set({ models })}
        suggestions={models.map((id) => draft.models.replace(/[^\s,]*$/, "") + id)}
        error={at("models", text.models)}
      />
      <TextField
        label={text.tools}
        optional
        help={text.toolsHelp}
        value={draft.tools}
        onInput={(tools) => set({ tools })}
        error={at("tools", text.tools)}
      />
      <TextField
        label={text.addresses}
        optional
        help={text.addressesHelp}
        value={draft.addresses}
        onInput={(addresses) => set({ addresses })}
        error={at("addresses", text.addresses)}
      />
    </>
  );
}

/** What a key is limited to, and what is used of its budget. */
export function describeLimits(limits: KeyLimits): string {
  const { budget } = limits;
  const part = (p: BudgetPart | undefined, per: string) =>
    p && text.used(amount(p.used), amount(p.limit), text.unit[budget!.unit], per);
  return [
    limits.expiresAt && text.expiresAt(moment(limits.expiresAt)),
    part(budget?.day, text.perDay),
    part(budget?.month, text.perMonth),
    part(budget?.total, text.inAll),
    limits.requestsPerMinute && text.perMinute(limits.requestsPerMinute),
    limits.readOnly && text.readOnly,
    limits.groups?.map((g) => text.group[g]).join(", "),
    limits.models && text.onlyModels(limits.models.join(", ")),
    limits.tools?.join(", "),
    limits.addresses?.join(", "),
  ]
    .filter(Boolean)
    .join(" · ");
}
