// Modal dialogs on the browser's own element, which keeps the focus inside and returns it.

import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { endedSessions } from "../session";
import { text } from "../texts/shell";
import { IconButton } from "./icon";
import { useModal } from "./modal";

export function Dialog({
  title,
  onClose,
  children,
  wide,
  full,
  high,
  side,
  closable = true,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
  /** As large as the window allows. */
  full?: boolean;
  /** At the top of the window, where what it holds changes its height. */
  high?: boolean;
  /** It lies along the left edge. No field has the focus, because a phone would show its keyboard. */
  side?: boolean;
  closable?: boolean;
}) {
  const element = useModal(side ? undefined : firstControl);
  const heading = useId();
  return (
    <dialog
      ref={element}
      class={["dialog", wide && "wide", full && "full", high && "high", side && "side"].filter(Boolean).join(" ")}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (closable) onClose();
      }}
      onClick={(event) => closable && event.target === element.current && onClose()}>
      <div class="dialog-body">
        <header>
          <h2 id={heading}>{title}</h2>
          {closable && <IconButton icon="close" size={20} label={text.close} onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}

const field = ":is(input:not([type=hidden], [hidden]), select, textarea):not(:disabled)";

/**
 * What a dialog is opened for: its first field, or else the first control below its head. The
 * browser would take the button that closes it. Questions offer the safe answer first.
 */
function firstControl(dialog: HTMLElement) {
  return (
    dialog.querySelector<HTMLElement>(`.dialog-body ${field}`) ??
    dialog.querySelector<HTMLElement>(".dialog-body > header ~ * :is(button:not(:disabled), a[href])")
  );
}

interface Question {
  title: string;
  body?: ComponentChildren;
  confirm: string;
  /** The other answer, where "Cancel" could be read as this one. */
  decline?: string;
  danger?: boolean;
  answer: (yes: boolean) => void;
}

const question = signal<Question | null>(null);

effect(() => {
  endedSessions.value;
  question.peek()?.answer(false);
});

/** Asks before something that cannot be undone. */
export function ask(options: Omit<Question, "answer">): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = {
      ...options,
      answer: (yes) => {
        question.value = null;
        resolve(yes);
      },
    };
  });
}

export function DialogHost() {
  const q = question.value;
  if (!q) return null;
  return (
    <Dialog title={q.title} onClose={() => q.answer(false)}>
      {q.body && <div class="dialog-text">{q.body}</div>}
      <footer>
        <button class="quiet" onClick={() => q.answer(false)}>
          {q.decline ?? text.cancel}
        </button>
        <button class={q.danger ? "primary danger" : "primary"} onClick={() => q.answer(true)}>
          {q.confirm}
        </button>
      </footer>
    </Dialog>
  );
}
