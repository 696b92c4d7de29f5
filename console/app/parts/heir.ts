// The focus where what had it is removed from a list.

import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Gives the focus to an element when what had it inside of the list is gone, as after a row was removed: the browser
 * would put it at the start of the page. The list is that of the component, which is drawn when the row goes.
 */
export function useHeir<L extends HTMLElement, H extends HTMLElement>() {
  const list = useRef<L>(null);
  const heir = useRef<H>(null);
  const last = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const element = list.current;
    const note = (event: FocusEvent) => (last.current = event.target as Element);
    element?.addEventListener("focusin", note);
    return () => element?.removeEventListener("focusin", note);
  }, []);
  useLayoutEffect(() => {
    if (!last.current || last.current.isConnected) return;
    last.current = null;
    if (document.activeElement === document.body) heir.current?.focus({ preventScroll: true });
  });
  return { list, heir };
}
