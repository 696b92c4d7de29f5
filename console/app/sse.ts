// Event streams. EventSource sends no headers, so the streams are read with fetch.

import { ApiError, checked, send } from "./api";
import { onReached } from "./reach";

export interface StreamEvent<T = unknown> {
  id: string;
  event: string;
  data: T;
}

export type StreamState = "connecting" | "open" | "waiting";

/** The type is that of the data that the stream sends. */
export interface StreamOptions<T> {
  signal: AbortSignal;
  onEvent: (event: StreamEvent<T>) => void;
  onState?: (state: StreamState) => void;
  lastEventId?: string;
  /** Reports whether the stream is complete, and need not be opened again when it ends. */
  isComplete?: (event: StreamEvent<T>) => boolean;
}

const silence = 40_000; // the service sends a heartbeat every 15 s

/**
 * Follows a stream until it is complete or the signal aborts it, and reconnects from the
 * last event. Refusals other than "too many" and server faults are thrown.
 */
export async function follow<T>(path: string, options: StreamOptions<T>): Promise<void> {
  let last = options.lastEventId ?? "";
  let wait = 500;
  let complete = false;
  const onEvent = (event: StreamEvent<T>) => {
    wait = 500;
    if (event.id) last = event.id;
    options.onEvent(event);
    if (options.isComplete?.(event)) complete = true;
  };
  while (!options.signal.aborted) {
    options.onState?.("connecting");
    try {
      await readOnce(path, last, options, (event) => onEvent(event as StreamEvent<T>));
    } catch (error) {
      if (options.signal.aborted) return;
      const status = error instanceof ApiError ? error.status : 0;
      if (status >= 400 && status < 500 && status !== 429 && status !== 408) throw error;
      if (error instanceof ApiError && error.retryAfter) wait = Math.max(wait, error.retryAfter * 1000);
    }
    if (complete) return;
    options.onState?.("waiting");
    await pause(wait * (0.75 + Math.random() / 2), options.signal);
    wait = Math.min(wait * 2, 30_000);
  }
}

async function readOnce(
  path: string,
  last: string,
  options: Pick<StreamOptions<never>, "signal" | "onState">,
  onEvent: (event: StreamEvent) => void,
) {
  const connection = new AbortController();
  const abort = () => connection.abort();
  options.signal.addEventListener("abort", abort);
  let timer = setTimeout(abort, silence);
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (last) headers["Last-Event-ID"] = last;
    const response = await checked(await send("GET", path, { headers, signal: connection.signal }));
    options.onState?.("open");
    await parse(response, onEvent, () => {
      clearTimeout(timer);
      timer = setTimeout(abort, silence);
    });
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", abort);
  }
}

/** Reads the events of a response, also of one to a POST. Data that is not JSON stays text. */
export async function parse(
  response: Response,
  onEvent: (event: StreamEvent) => void,
  onBytes?: () => void,
): Promise<void> {
  const reader = response
    .body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  let event = { id: "", event: "message", lines: [] as string[] };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes?.();
    const lines = (rest + value).split(/\r\n|\n|\r/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === "") {
        if (event.lines.length) onEvent({ id: event.id, event: event.event, data: decode(event.lines.join("\n")) });
        event = { id: "", event: "message", lines: [] };
        continue;
      }
      if (line.startsWith(":")) continue;
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const content = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "data") event.lines.push(content);
      else if (field === "event") event.event = content;
      else if (field === "id") event.id = content;
    }
  }
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Ends early when the browser is online again, the tab is visible again, or the service answers again.
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      document.removeEventListener("visibilitychange", visible);
      stop();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const visible = () => document.visibilityState === "visible" && end();
    const timer = setTimeout(end, ms);
    const stop = onReached(end);
    addEventListener("online", end);
    document.addEventListener("visibilitychange", visible);
    signal.addEventListener("abort", end);
  });
}
