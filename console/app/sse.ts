// Event streams. EventSource sends no headers, so the streams are read with fetch.

import { ApiError, checked, send } from "./api";

export interface StreamEvent {
  id: string;
  event: string;
  data: any;
}

export type StreamState = "connecting" | "open" | "waiting";

export interface StreamOptions {
  signal: AbortSignal;
  onEvent: (event: StreamEvent) => void;
  onState?: (state: StreamState) => void;
  lastEventId?: string;
  /** Reports whether the stream is complete, and need not be opened again when it ends. */
  isComplete?: (event: StreamEvent) => boolean;
}

const silence = 40_000; // the service sends a heartbeat every 15 s

/**
 * Follows a stream until it is complete or the signal aborts it, and reconnects from the
 * last event. Refusals other than "too many" and server faults are thrown.
 */
export async function follow(path: string, options: StreamOptions): Promise<void> {
  let last = options.lastEventId ?? "";
  let wait = 500;
  let complete = false;
  const onEvent = (event: StreamEvent) => {
    wait = 500;
    if (event.id) last = event.id;
    options.onEvent(event);
    if (options.isComplete?.(event)) complete = true;
  };
  while (!options.signal.aborted) {
    options.onState?.("connecting");
    try {
      await readOnce(path, last, options, onEvent);
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

async function readOnce(path: string, last: string, options: StreamOptions, onEvent: (event: StreamEvent) => void) {
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
export async function parse(response: Response, onEvent: (event: StreamEvent) => void, onBytes?: () => void): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream() as any).getReader();
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

function decode(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Ends early when the browser is online again or the tab is visible again.
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      document.removeEventListener("visibilitychange", visible);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const visible = () => document.visibilityState === "visible" && end();
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
    document.addEventListener("visibilitychange", visible);
    signal.addEventListener("abort", end);
  });
}
