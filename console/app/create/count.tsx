// How many results one request makes.

import type { Argument } from "../parts/arguments";
import { text } from "../texts/create";

export function CountField({
  argument,
  value,
  error,
  onInput,
}: {
  argument: Argument;
  value: number | undefined;
  error?: string;
  onInput: (value: string) => void;
}) {
  return (
    <>
      {error && (
        <p class="error-text" id="count-error">
          {error}
        </p>
      )}
      <label class="create-count">
        <span>{text.count}</span>
        <input
          type="number"
          min={1}
          max={argument.maximum ?? 16}
          step={1}
          value={value ?? 1}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? "count-error" : undefined}
          onInput={(e) => onInput(e.currentTarget.value)}
        />
      </label>
    </>
  );
}
