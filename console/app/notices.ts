// Notices of the browser when long work has ended while the console is out of sight.

import { signal } from "@preact/signals";
import { get } from "./api";
import { toDate } from "./format";
import { keep, kept } from "./keep";
import { onChange } from "./live";
import { isOver } from "./status";
import { text } from "./texts/shell";
import { titleOf } from "./workflow/model";

const key = "atelier.notices";

/** How long work has to take, in seconds, so that its end is worth a notice. */
const longWork = 10;

/** Whether this browser can show notices. It can only where the page is secure. */
export const canNotify = "Notification" in globalThis;

/** Whether the person wants them, and the browser lets us. */
export const notices = signal(canNotify && kept(key) === "on" && Notification.permission === "granted");

/** Turns them on or off, and throws why they cannot be turned on. */
export async function setNotices(wanted: boolean) {
  const permission = wanted ? await Notification.requestPermission() : undefined;
  notices.value = permission === "granted";
  keep(key, notices.value ? "on" : "off");
  if (permission === "denied") throw new Error(text.notices.blocked);
  if (wanted && !notices.value) throw new Error(text.notices.notAllowed);
}

export function startNotices() {
  onChange((change) => {
    if (change.kind !== "workflow" || !isOver(change.data.status)) return;
    if (notices.value && document.visibilityState === "hidden") void notify(change.data.workflowId);
  });
}

async function notify(workflowId: string) {
  try {
    const { workflow } = await get("/v1/creative-agent/workflows/{id}", { path: { id: workflowId } });
    const { createdAt, updatedAt } = workflow.timestamps;
    if (toDate(updatedAt)!.getTime() - toDate(createdAt)!.getTime() < longWork * 1000) return;
    const notice = new Notification(text.notices.ended(titleOf(workflow).slice(0, 80), workflow.status), {
      tag: workflowId, // every tab makes it, and one is shown
      icon: "/console/icon.svg",
    });
    notice.onclick = () => {
      window.focus();
      location.href = `/workflows/${encodeURIComponent(workflowId)}`;
    };
  } catch {
    // It was deleted, or the service is away: there is nothing to tell.
  }
}
