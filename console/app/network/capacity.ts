// How much the workers of a network can take.

import type { NetworkWorker } from "../types";

type Taking = Pick<NetworkWorker, "draining" | "unavailable" | "capacity">;

/** Whether a worker gets new jobs. */
export const takesJobs = ({ draining, unavailable }: Pick<Taking, "draining" | "unavailable">) =>
  !draining && !unavailable;

/** How many jobs the workers that get new ones render at once. */
export const capacityOf = (workers: Taking[]) =>
  workers.filter(takesJobs).reduce((n, worker) => n + worker.capacity, 0);
