// The statuses that workflows, steps and runs share.

import type { Workflow } from "./types";

export type Status = Workflow["status"];

const final: Status[] = ["completed", "partial_failure", "failed", "cancelled"];

/** Reports whether nothing more happens to what has this status. */
export const isOver = (status: Status) => final.includes(status);
