// What the list of accounts and the page of one share.

import { useId, useState } from "preact/hooks";
import { ApiError } from "../api";
import { Chip } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { text } from "../texts/operator";
import type { Account } from "../types";

const labels = text.accounts;

export const plans: { value: Account["plan"]; label: string }[] = [
  { value: "none", label: "None" },
  { value: "unlimited", label: "Unlimited" },
  { value: "unlimited_pro", label: "Unlimited Pro" },
];

export const hasRoles = (a: Account) => a.suspended || a.operator || a.worker || a.unfiltered;

export function Roles({ account }: { account: Account }) {
  return (
    <>
      {account.suspended && <Chip tone="bad">{labels.suspended}</Chip>}
      {account.operator && <Chip tone="accent">{text.title.toLowerCase()}</Chip>}
      {account.worker && <Chip>worker</Chip>}
      {account.unfiltered && <Chip tone="warn">unfiltered</Chip>}
    </>
  );
}

export function NewKey({ title, apiKey, onClose }: { title: string; apiKey: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose} closable={false}>
      <p>{labels.keyShown}</p>
      <p class="secret">
        <code>{apiKey}</code>
        <CopyButton value={apiKey} />
      </p>
      <footer>
        <button class="primary" onClick={onClose}>
          {labels.saved}
        </button>
      </footer>
    </Dialog>
  );
}

export const nothingToAdd = new Error();

/** Fields for amounts; an empty one is left out of the request. */
export function useAmounts() {
  const [amounts, set] = useState({ spark: "", premiumSpark: "", svc: "" });
  const [wrong, setWrong] = useState<{ field: string; message: string }>();
  const shared = useId();
  const names = { spark: labels.spark, premiumSpark: labels.premium, svc: labels.svc };
  const fields = (Object.keys(names) as (keyof typeof names)[]).map((name) => (
    <TextField
      key={name}
      label={names[name]}
      value={amounts[name]}
      error={wrong?.field === name ? wrong.message : undefined}
      wrongBy={wrong && !wrong.field ? shared : undefined}
      onInput={(value) => {
        set((old) => ({ ...old, [name]: value }));
        setWrong(undefined);
      }}
      placeholder="0"
    />
  ));
  /** Shows what is wrong with an amount at its field, and with all of them below. */
  const onProblem = (problem: Error) => {
    const field = problem instanceof ApiError ? problem.field : "";
    if (problem === nothingToAdd) setWrong({ field, message: labels.nothingToAdd });
    else if (field in names) {
      const message = problem.message.replace(new RegExp(`^${field}\\b`), names[field as keyof typeof names]);
      setWrong({ field, message });
    } else return false;
    return true;
  };
  const body: Partial<typeof amounts> = Object.fromEntries(Object.entries(amounts).filter(([, value]) => value.trim()));
  const shown = (
    <div>
      <div class="three">{fields}</div>
      {wrong && !wrong.field && (
        <p class="error-text" id={shared} role="alert">
          {wrong.message}
        </p>
      )}
    </div>
  );
  return { fields: shown, body, onProblem };
}
