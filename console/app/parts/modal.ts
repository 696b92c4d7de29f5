// The modal dialogs that are open. All else in the window is inert meanwhile, also what
// lies above them: what must stay in reach goes into the topmost one.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The open dialogs, the topmost last. */
export const modals = signal<HTMLDialogElement[]>([]);

/** What the scrollbar, or the place that is kept for it, takes of the window: dialogs as large as the window have it. */
const measureGutter = () =>
  document.documentElement.style.setProperty("--gutter", `${innerWidth - document.body.offsetWidth}px`);

/** Opens a dialog when it is drawn, with the focus where the browser puts it or on another control. */
export function useModal(initialFocus?: (dialog: HTMLDialogElement) => HTMLElement | null) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (!modals.peek().length) measureGutter();
    dialog.showModal();
    initialFocus?.(dialog)?.focus();
    modals.value = [...modals.peek(), dialog];
    return () => {
      modals.value = modals.peek().filter((d) => d !== dialog);
      dialog.close();
    };
  }, []);
  return element;
}
