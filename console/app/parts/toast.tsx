// Short messages at the edge of the window. They go by themselves, except errors.

import { signal } from "@preact/signals";
import { text } from "../texts/shell";
import { Icon } from "./icon";

interface Toast {
  id: number;
  message: string;
  tone: "plain" | "bad";
  action?: { label: string; run: () => void };
  count: number;
}

const toasts = signal<Toast[]>([]);
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let nextId = 1;

export function toast(message: string, options: { tone?: "plain" | "bad"; action?: Toast["action"] } = {}) {
  const tone = options.tone ?? "plain";
  const same = toasts.value.find((t) => t.message === message && t.tone === tone && !options.action);
  if (same) {
    toasts.value = toasts.value.map((t) => (t === same ? { ...t, count: t.count + 1 } : t));
    return;
  }
  const id = nextId++;
  toasts.value = [...toasts.value, { id, message, tone, action: options.action, count: 1 }];
  if (tone !== "bad") timers.set(id, setTimeout(hide, 6000, id));
}

export const toastError = (error: unknown) => toast((error as Error).message || text.failed, { tone: "bad" });

function hide(id: number) {
  clearTimeout(timers.get(id));
  timers.delete(id);
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((t) => (
        <div key={t.id} class={`toast ${t.tone}`}>
          <span>{t.message}{t.count > 1 && <span class="muted"> ×{t.count}</span>}</span>
          {t.action && <button class="quiet" onClick={() => { hide(t.id); t.action!.run(); }}>{t.action.label}</button>}
          <button class="icon-button" aria-label={text.close} onClick={() => hide(t.id)}><Icon name="close" size={16} /></button>
        </div>
      ))}
    </div>
  );
}
