// Changes of the account, live. One stream for the whole browser where it has Web Locks
// (secure contexts): the tab that holds the lock reads the stream and passes its events to
// the others. Elsewhere each visible tab has its own stream.

import { effect, signal } from "@preact/signals";
import { probe } from "./reach";
import { session } from "./session";
import { follow, type StreamState } from "./sse";
import type { AccountEvents } from "./types";

/** A change: its kind is the event's name, "ready" when everything has to be read again. */
export type Change = { [K in keyof AccountEvents]: { kind: K; data: AccountEvents[K] } }[keyof AccountEvents];

type Message = Change | { state: StreamState };

/** The state of the connection, for the shell. */
export const connection = signal<StreamState>("connecting");

const listeners = new Set<(change: Change) => void>();

/** Calls a function for every change, until the returned function is called. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Changes are delivered once a frame, so that a burst of events paints once.
let pending: Change[] = [];

function deliver(change: Change) {
  pending.push(change);
  if (pending.length > 1) return;
  const flush = () => {
    const changes = pending;
    pending = [];
    for (const change of changes) for (const listener of [...listeners]) listener(change);
  };
  if (document.visibilityState === "visible") requestAnimationFrame(flush);
  else setTimeout(flush, 250);
}

const path = "/v1/events/stream?topics=workflows,runs,artifacts,balance,loras,workers";

const read = (signal: AbortSignal, pass: (message: Message) => void) =>
  follow<Change["data"]>(path, {
    signal,
    onEvent: (event) => pass({ kind: event.event, data: event.data } as Change),
    onState: (state) => pass({ state }),
  }).catch(() => {});

function receive(message: Message) {
  if (!("state" in message)) return deliver(message);
  connection.value = message.state;
  if (message.state === "waiting") void probe(); // in every tab: only one reads the stream
}

/** Follows the changes while a session is open. */
export function startLive() {
  let stop: (() => void) | undefined;
  let wallet = "";
  effect(() => {
    const now = session.value?.walletAddress ?? "";
    if (now === wallet) return;
    wallet = now;
    stop?.();
    stop = wallet ? start(wallet) : undefined;
  });
}

function start(wallet: string): () => void {
  const abort = new AbortController();
  if (navigator.locks && "BroadcastChannel" in window) share(wallet, abort.signal);
  else alone(abort.signal);
  return () => abort.abort();
}

function share(wallet: string, signal: AbortSignal) {
  const channel = new BroadcastChannel("atelier." + wallet);
  channel.onmessage = (event) => receive(event.data);
  signal.addEventListener("abort", () => channel.close());
  const pass = (message: Message) => {
    if (signal.aborted) return;
    channel.postMessage(message);
    receive(message);
  };
  navigator.locks.request("atelier.live." + wallet, { signal }, () => read(signal, pass)).catch(() => {});
}

function alone(signal: AbortSignal) {
  let current: AbortController | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    current?.abort();
    current = undefined;
  };
  const update = () => {
    clearTimeout(hiding);
    if (document.visibilityState === "hidden") hiding = setTimeout(close, 10_000);
    else if (!current) {
      current = new AbortController();
      void read(current.signal, receive);
    }
  };
  document.addEventListener("visibilitychange", update);
  signal.addEventListener("abort", () => {
    document.removeEventListener("visibilitychange", update);
    clearTimeout(hiding);
    close();
  });
  update();
}
