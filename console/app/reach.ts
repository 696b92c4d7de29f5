// Whether the service can be reached. When it cannot, it is asked until it answers.

import { effect, signal } from "@preact/signals";

export const reachable = signal(true);

/** Since when it cannot be reached, or null. */
export const lostAt = signal<Date | null>(null);

const patience = 8000; // a service that hangs takes connections and answers nothing

/** Asks the service for a small answer, and reports whether one came. */
export async function probe(): Promise<boolean> {
  try {
    const options = { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(patience) } as const;
    reachable.value = (await fetch("/console/main.js", options)).ok;
  } catch {
    reachable.value = false;
  }
  return reachable.value;
}

const probeEvery = 5000;

effect(() => {
  if (reachable.value) return;
  lostAt.value = new Date();
  const ask = () => void probe();
  const timer = setInterval(ask, probeEvery);
  addEventListener("online", ask);
  return () => {
    lostAt.value = null;
    clearInterval(timer);
    removeEventListener("online", ask);
  };
});

/** Calls a function when the service, which cannot be reached now, can be again, until the returned function is called. */
export function onReached(run: () => void): () => void {
  let wasLost = !reachable.peek();
  return reachable.subscribe((is) => {
    if (is && wasLost) run();
    wasLost = !is;
  });
}
