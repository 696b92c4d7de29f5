// Small labels, and the status of work in words and colour.

import type { ComponentChildren } from "preact";
import { words } from "../format";
import { text } from "../texts/shell";

export type Tone = "good" | "warn" | "bad" | "accent" | "active" | "";

export function Chip({ tone = "", children, title }: { tone?: Tone; children: ComponentChildren; title?: string }) {
  return (
    <span class={tone ? `chip ${tone}` : "chip"} title={title}>
      {children}
    </span>
  );
}

const tones: Record<string, Tone> = {
  completed: "good",
  ready: "good",
  active: "good",
  running: "active",
  processing: "active",
  leased: "active",
  validating: "active",
  waiting_for_user: "warn",
  paused: "warn",
  partial: "warn",
  partial_failure: "warn",
  review: "warn",
  failed: "bad",
  rejected: "bad",
  revoked: "bad",
};

/** A status in words. */
export const statusName = (status: string) => text.statuses[status] ?? words(status);

/** A status by the name that people have for it, or else its own. */
export function Status({ status, name }: { status: string; name?: string }) {
  return <Chip tone={tones[status] ?? ""}>{name ?? statusName(status)}</Chip>;
}

export function Progress({ value, label }: { value: number | null | undefined; label: string }) {
  return <progress class="progress" aria-label={label} max={1} value={value ?? undefined} />;
}
