// Short messages at the top of the window. They go by themselves, except errors, of which that of the
// connection goes when the service is there again, and not while the person points at them or has the focus there.

import { effect, signal, untracked } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useListener } from "../hooks";
import { reachable } from "../reach";
import { endedSessions } from "../session";
import { text } from "../texts/shell";
import { IconButton } from "./icon";
import { modals } from "./modal";

interface Toast {
  id: number;
  message: string;
  tone: "plain" | "bad";
  action?: { label: string; run: () => void };
  /** What is done when the toast goes and its action was not chosen. */
  otherwise?: (isLeaving: boolean) => Promise<void>;
  /** Tells the person that it was not done, because the session has ended. */
  dropped?: string;
  count: number;
}

const toasts = signal<Toast[]>([]);
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const holds = new Set<"pointer" | "focus">();
let nextId = 1;

const shortTime = 6000;
const actionTime = 20_000; // to read, to decide and to get there with the keys

/** Shows a message. Returns a function that takes it away. */
export function toast(
  message: string,
  options: Pick<Toast, "action" | "otherwise" | "dropped"> & { tone?: Toast["tone"] } = {},
): () => void {
  const tone = options.tone ?? "plain";
  const same = toasts.value.find((t) => t.message === message && t.tone === tone && !t.action && !options.action);
  if (same) {
    toasts.value = toasts.value.map((t) => (t === same ? { ...t, count: t.count + 1 } : t));
    return () => hide(same);
  }
  const added: Toast = { ...options, id: nextId++, message, tone, count: 1 };
  toasts.value = [...toasts.value, added];
  if (!holds.size) start(added);
  return () => hide(added);
}

export function toastError(error: unknown) {
  if ((error as Error).message === text.unreachable && toasts.value.some((t) => t.message === text.unreachable)) return; // said once
  toast((error as Error).message || text.failed, { tone: "bad" });
}

// It is no longer true.
effect(() => {
  if (reachable.value) untracked(() => toasts.value.filter((t) => t.message === text.unreachable).forEach(hide));
});

function start(t: Toast) {
  clearTimeout(timers.get(t.id));
  if (t.tone !== "bad") timers.set(t.id, setTimeout(end, t.action ? actionTime : shortTime, t));
}

// A dialog has the attention, and a message that was seen would cover it. Errors stay, and what can still be chosen.
let opened = 0;
effect(() => {
  const isMore = modals.value.length > opened;
  opened = modals.value.length;
  if (isMore) untracked(() => toasts.value.filter((t) => t.tone !== "bad" && !t.action).forEach(hide));
});

function stop(id: number) {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

function hold(by: "pointer" | "focus", isHeld: boolean) {
  if (isHeld) holds.add(by);
  else holds.delete(by);
  for (const t of toasts.value) {
    if (holds.size) stop(t.id);
    else start(t);
  }
}

/** What moves to another place, or is gone, is not left by the pointer or the focus. */
function release() {
  holds.clear();
  toasts.peek().forEach(start);
}

function hide({ id }: Toast) {
  stop(id);
  toasts.value = toasts.value.filter((t) => t.id !== id);
  if (!toasts.value.length) release();
}

const running = new Set<Promise<void>>(); // what is done after a toast

function end(t: Toast, isLeaving = false) {
  hide(t);
  const work = t.otherwise?.(isLeaving).finally(() => running.delete(work!));
  if (work) running.add(work);
}

/** Does at once what waits for the end of a toast. */
export async function finishToasts(isLeaving = false) {
  for (const t of toasts.value) if (t.otherwise) end(t, isLeaving);
  await Promise.all(running);
}

addEventListener("pagehide", () => void finishToasts(true));

// What waits cannot be done for an account whose session has ended.
effect(() => {
  endedSessions.value;
  untracked(() => {
    for (const t of toasts.value) {
      if (t.action) hide(t);
      if (t.dropped) toast(t.dropped, { tone: "bad" });
    }
  });
});

const key = "F8";

export function Toasts() {
  const home = useRef<HTMLDivElement>(null);
  const region = useRef<HTMLDivElement>(null);
  // At once, so that the region never goes with a dialog, and is there before a message that follows.
  useLayoutEffect(
    () =>
      effect(() => {
        (modals.value.at(-1) ?? home.current!).append(region.current!);
        release();
      }),
    [],
  );
  const before = useRef<Element | null>(null); // what had the focus
  useListener("keydown", (event) => {
    const last = region.current!.lastElementChild?.querySelector("button");
    if (event.key !== key || !last) return;
    event.preventDefault();
    last.focus();
  });
  const isInside = (target: EventTarget | null) => region.current!.contains(target as Node | null);
  // The focus goes back before the button that has it disappears.
  const leave = () => {
    if (!isInside(document.activeElement)) return;
    const modal = modals.value.at(-1);
    const other = modal
      ? modal.querySelector("button:enabled, input:enabled, a[href]")
      : document.querySelector("main");
    for (const to of [before.current, other]) {
      if (!(modal ?? document).contains(to)) continue;
      (to as HTMLElement | null)?.focus({ preventScroll: true });
      if (!isInside(document.activeElement)) return; // what has been disabled meanwhile does not take it
    }
  };
  return (
    <div ref={home}>
      <div
        ref={region}
        class="toasts"
        role="status"
        aria-live="polite"
        aria-label={text.messages(key)}
        onMouseEnter={() => hold("pointer", true)}
        onMouseLeave={() => hold("pointer", false)}
        onFocusIn={(event) => {
          if (!isInside(event.relatedTarget)) before.current = event.relatedTarget as Element | null;
          hold("focus", true);
        }}
        onFocusOut={(event) => !isInside(event.relatedTarget) && hold("focus", false)}>
        {toasts.value.map((t) => (
          <div key={t.id} class={`toast ${t.tone}`}>
            <span>
              {t.message}
              {t.count > 1 && <span class="muted"> ×{t.count}</span>}
            </span>
            {t.action && (
              <button
                class="quiet"
                title={key}
                onClick={() => {
                  leave();
                  hide(t);
                  t.action!.run();
                }}>
                {t.action.label}
              </button>
            )}
            <IconButton
              icon="close"
              label={text.close}
              onClick={() => {
                leave();
                end(t);
              }}
            />
          </div>
        ))}
      </div>
    </div>
  );
}
