// The dialogs that create an API key and change its limits, for an account and for operators.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, randomId } from "../api";
import { text } from "../texts/keys";
import { text as common } from "../texts/shell";
import type { Bodies, KeyLimits } from "../types";
import { Dialog } from "./dialog";
import { TextField } from "./field";
import { draftOf, LimitFields, limitsOf, type NewLimits } from "./key-limits";
import { Failure } from "./notice";

/** Sends a form. After a refusal the first field that is wrong has the focus, and is seen with what is wrong. */
function useSend(send: () => Promise<void>) {
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const field = error instanceof ApiError && error.field.startsWith("limits") ? error.field : "";
  useLayoutEffect(() => {
    if (!error) return;
    const wrong = form.current!.querySelector<HTMLElement>("[aria-invalid]");
    const control = wrong?.matches("[role=group]") ? wrong.querySelector("input") : wrong;
    (control ?? form.current!.querySelector<HTMLElement>("[type=submit]"))?.focus({ preventScroll: true });
    (wrong?.closest("fieldset, .field") ?? form.current!).scrollIntoView({ block: wrong ? "nearest" : "start" });
  }, [error]);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (problem) {
      setBusy(false);
      setError(problem as Error);
    }
  };
  return { form, busy, submit, field, error };
}

interface LimitProps {
  name: string;
  limits: KeyLimits | null | undefined;
  /** Stores the limits, of which there are none for null, and closes the dialog. */
  save: (limits: NewLimits | null) => Promise<void>;
  onClose: () => void;
}

export function LimitKey({ name, limits, save, onClose }: LimitProps) {
  const [draft, setDraft] = useState(() => draftOf(limits));
  const { form, busy, submit, field, error } = useSend(() => save(limitsOf(draft, limits)));
  return (
    <Dialog title={text.limitsOf(name || text.unnamed)} onClose={onClose}>
      <form class="stack" ref={form} onSubmit={submit}>
        {error && !field && <Failure error={error} />}
        <p class="small muted">
          {text.limitsHelp} {text.limitsChange}
        </p>
        <LimitFields draft={draft} onInput={setDraft} field={field} why={error?.message} />
        <footer class="row end">
          <button class="quiet" type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button class="primary" type="submit" disabled={busy}>
            {text.save}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface CreateProps {
  /** Creates the key, once for each idempotency key, and closes the dialog. */
  create: (body: Bodies["POST /v1/account/keys"], idempotencyKey: string) => Promise<void>;
  onClose: () => void;
}

export function CreateKey({ create, onClose }: CreateProps) {
  const [name, setName] = useState("");
  const [draft, setDraft] = useState(() => draftOf(null));
  const [intent] = useState(randomId);
  const { form, busy, submit, field, error } = useSend(() =>
    create({ name: name.trim(), limits: limitsOf(draft) ?? undefined }, intent),
  );
  return (
    <Dialog title={text.create} onClose={onClose}>
      <form class="stack" ref={form} onSubmit={submit}>
        {error && !field && <Failure error={error} />}
        <TextField label={text.name} help={text.nameHelp} value={name} onInput={setName} maxLength={100} />
        <details open={!!field}>
          <summary>{text.limits}</summary>
          <div class="stack">
            <p class="small muted">{text.limitsHelp}</p>
            <LimitFields draft={draft} onInput={setDraft} field={field} why={error?.message} />
          </div>
        </details>
        <footer class="row end">
          <button class="quiet" type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button class="primary" type="submit" disabled={busy || !name.trim()}>
            {text.create}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
