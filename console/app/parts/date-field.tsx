// A day in a form.

import { Field } from "./field";

/** A day, as YYYY-MM-DD; empty for none. */
export function DateField({
  label,
  value = "",
  onInput,
  ...limits
}: {
  label: string;
  value: string | undefined;
  min?: string;
  max?: string;
  onInput: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(ids) => (
        <input {...ids} {...limits} type="date" value={value} onInput={(e) => onInput(e.currentTarget.value)} />
      )}
    </Field>
  );
}
