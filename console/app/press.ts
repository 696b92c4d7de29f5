// One intention of a person starts one piece of work.

import { useRef } from "preact/hooks";
import { ApiError, randomId } from "./api";

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

/**
 * A function that sends something under an idempotency key. The key stays the same for what is
 * sent again after a lost answer, which then starts nothing twice; an answer ends it, and so do
 * a refusal and another request.
 */
export function useIntent(): <T>(what: string, send: (key: string) => Promise<T>) => Promise<T> {
  const intent = useRef({ what: "", key: "" });
  return async (what, send) => {
    if (!intent.current.key || intent.current.what !== what) intent.current = { what, key: randomId() };
    try {
      const answer = await send(intent.current.key);
      intent.current.key = "";
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.status) intent.current.key = "";
      throw error;
    }
  };
}
