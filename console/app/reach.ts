// Whether the service can be reached. When it cannot, it is asked until it answers.

import { effect, signal } from "@preact/signals";

export const reachable = signal(true);

/** Asks the service for a small answer, and reports whether one came. */
export async function probe(): Promise<boolean> {
  try {
    reachable.value = (await fetch("/console/main.js", { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    reachable.value = false;
  }
  return reachable.value;
}

const probeEvery = 5000;

effect(() => {
  if (reachable.value) return;
  const ask = () => void probe();
  const timer = setInterval(ask, probeEvery);
  addEventListener("online", ask);
  return () => {
    clearInterval(timer);
    removeEventListener("online", ask);
  };
});
