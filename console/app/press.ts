// One intention of a person starts one piece of work.

import { useRef } from "preact/hooks";

const doubleClick = 800; // milliseconds; the slowest double click that systems know is a little quicker

/**
 * A function that does something when a person presses a button. A press counts only when the
 * work before is done, and when it is not the next one of a double click on the same thing: that
 * belongs to the intention before, also when the service has answered in between.
 */
export function usePress(): <T>(what: string, work: () => Promise<T>) => Promise<T | undefined> {
  const last = useRef({ what: "", at: 0, isBusy: false });
  return async (what, work) => {
    const now = performance.now();
    const { current } = last;
    if (current.isBusy || (current.what === what && now - current.at < doubleClick)) {
      current.at = now;
      return undefined;
    }
    last.current = { what, at: now, isBusy: true };
    try {
      return await work();
    } catch (error) {
      last.current.what = ""; // nothing was started: the next press is another attempt
      throw error;
    } finally {
      last.current.isBusy = false;
    }
  };
}
