// How soon the log of a webhook is read again.

import type { WebhookDelivery } from "../types";

const soon = 1000;
const later = 5000;

type Sent = Pick<WebhookDelivery, "status" | "attempts" | "nextAttemptAt" | "endedAt">;

/** Whether a delivery is being sent, or is about to be: its outcome is a moment away. */
const isUnderWay = ({ status, attempts, nextAttemptAt, endedAt }: Sent, now: number) =>
  !endedAt && (status === "sending" || attempts === 0 || (!!nextAttemptAt && Date.parse(nextAttemptAt) <= now));

/** After how many milliseconds deliveries are read again; never where all have ended. */
export function readAgainIn(deliveries: Sent[], now: number): number | undefined {
  if (deliveries.some((d) => isUnderWay(d, now))) return soon;
  return deliveries.some((d) => !d.endedAt) ? later : undefined;
}
