// When the deliveries of a webhook are sent, and how soon its log is read again.

import type { Webhook, WebhookDelivery } from "../types";

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

type Health = Pick<Webhook, "failingSince" | "nextAttemptAt">;

/** Whether a delivery has failed at least once and is tried again. */
export const isRetried = ({ status, attempts }: Sent) => status === "waiting" && attempts > 0;

/** Whether a delivery that was never tried waits until its webhook, which fails, answers again. */
export const isHeld = ({ status, attempts }: Sent, webhook: Health | undefined) =>
  status === "waiting" && !attempts && !!webhook?.failingSince;

/** When a delivery that waits is tried again: not before its webhook is, which may have been read later. */
export const nextTry = ({ nextAttemptAt }: Sent, webhook: Health | undefined): number =>
  Math.max(...[nextAttemptAt, webhook?.nextAttemptAt].map((at) => (at ? Date.parse(at) : 0)));
