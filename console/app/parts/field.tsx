// Form fields: a label, help, an error at the field, and the control.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { text } from "../texts/shell";

interface FieldProps {
  label: string;
  help?: ComponentChildren;
  error?: string;
  optional?: boolean;
  /** The error comes without a press on what sends the form: it is announced. */
  isAlert?: boolean;
  /** The id of an error that the field shares with others, and that is shown below them. */
  wrongBy?: string;
}

/** Lays a control out with its label. The control gets the id and the description. */
export function Field({
  label,
  help,
  error,
  optional,
  isAlert,
  wrongBy,
  children,
}: FieldProps & {
  children: (ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ComponentChildren;
}) {
  const id = useId();
  const described = [help && `${id}-help`, error ? `${id}-error` : wrongBy].filter(Boolean).join(" ");
  const isWrong = Boolean(error || wrongBy);
  return (
    <div class={isWrong ? "field wrong" : "field"}>
      <label for={id}>
        {label}
        {optional && <span class="muted small"> {text.optional}</span>}
      </label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": isWrong || undefined })}
      {help && (
        <p class="help-text" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p class="error-text" id={`${id}-error`} role={isAlert ? "alert" : undefined}>
          {error}
        </p>
      )}
    </div>
  );
}

// maxlength is set as an attribute: as a property, a limit that goes away becomes 0.
export function TextField({
  value,
  onInput,
  multiline,
  rows = 3,
  type = "text",
  placeholder,
  maxLength,
  autoFocus,
  suggestions,
  ...field
}: FieldProps & {
  value: string;
  onInput: (value: string) => void;
  multiline?: boolean;
  rows?: number;
  type?: string;
  placeholder?: string;
  maxLength?: number;
  autoFocus?: boolean;
  /** What the browser offers to enter, in a field of one line. */
  suggestions?: string[];
}) {
  const list = useId();
  return (
    <Field {...field}>
      {(ids) =>
        multiline ? (
          <textarea
            {...ids}
            rows={rows}
            value={value}
            placeholder={placeholder}
            maxlength={maxLength}
            onInput={(e) => onInput(e.currentTarget.value)}
          />
        ) : (
          <>
            <input
              {...ids}
              type={type}
              value={value}
              placeholder={placeholder}
              maxlength={maxLength}
              list={suggestions ? list : undefined}
              onInput={(e) => onInput(e.currentTarget.value)}
            />
            {suggestions && (
              <datalist id={list}>
                {suggestions.map((suggestion) => (
                  <option key={suggestion} value={suggestion} />
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Field>
  );
}

/** A number, with a slider beside it when the range is known. Empty is undefined. */
export function NumberField({
  value,
  onInput,
  min,
  max,
  step,
  placeholder,
  ...field
}: FieldProps & {
  value: number | undefined;
  onInput: (value: number | undefined) => void;
  min?: number;
  max?: number;
  step?: number;
  placeholder?: string;
}) {
  const ranged = min !== undefined && max !== undefined && max - min <= 10_000;
  return (
    <Field {...field}>
      {(ids) => (
        <span class="number">
          {ranged && (
            <input
              type="range"
              aria-label={field.label}
              min={min}
              max={max}
              step={step ?? "any"}
              class={value === undefined && !placeholder ? "unset" : undefined}
              value={value ?? Number(placeholder ?? (min + max) / 2)}
              onInput={(e) => onInput(Number(e.currentTarget.value))}
            />
          )}
          <input
            {...ids}
            type="number"
            min={min}
            max={max}
            step={step ?? "any"}
            value={value ?? ""}
            placeholder={placeholder}
            onInput={(e) => onInput(e.currentTarget.value === "" ? undefined : Number(e.currentTarget.value))}
          />
        </span>
      )}
    </Field>
  );
}

export function SelectField<T extends string>({
  value,
  onInput,
  options,
  ...field
}: FieldProps & { value: T; onInput: (value: T) => void; options: { value: T; label: string; disabled?: boolean }[] }) {
  return (
    <Field {...field}>
      {(ids) => (
        <select
          {...ids}
          value={value}
          title={options.find((o) => o.value === value)?.label}
          onInput={(e) => onInput(e.currentTarget.value as T)}>
          {options.map((o) => (
            <option key={o.value} value={o.value} disabled={o.disabled}>
              {o.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  value,
  onInput,
  label,
  help,
  error,
}: FieldProps & { value: boolean; onInput: (value: boolean) => void }) {
  const id = useId();
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class={error ? "field check wrong" : "field check"}>
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={described || undefined}
        aria-invalid={error ? true : undefined}
        onInput={(e) => onInput(e.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {help && (
        <p class="help-text" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p class="error-text" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** A few exclusive choices, as buttons. */
export function Choices<T extends string>({
  label,
  value,
  onInput,
  options,
}: {
  label: string;
  value: T;
  onInput: (value: T) => void;
  options: { value: T; label: ComponentChildren }[];
}) {
  return (
    <div class="choices" role="group" aria-label={label}>
      {options.map((o) => (
        <button
          type="button"
          key={o.value}
          class="choice"
          aria-pressed={o.value === value}
          onClick={() => onInput(o.value)}>
          {o.label}
        </button>
      ))}
    </div>
  );
}
