// The modal dialogs that are open. All else in the window is inert meanwhile, also what
// lies above them: what must stay in reach goes into the topmost one.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The open dialogs, the topmost last. */
export const modals = signal<HTMLDialogElement[]>([]);

/** Opens a dialog when it is drawn. */
export function useModal() {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    modals.value = [...modals.peek(), dialog];
    return () => {
      modals.value = modals.peek().filter((d) => d !== dialog);
      dialog.close();
    };
  }, []);
  return element;
}
