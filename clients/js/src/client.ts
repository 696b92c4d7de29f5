import { frames, type Frame } from "./stream.js";

export interface ClientOptions {
  /** Address of the service, such as http://127.0.0.1:8080. */
  baseURL: string;
  /** An API key or a session token. */
  apiKey: string;
  /** How often a call is tried again when the service cannot be reached or is busy; 4 by default. */
  retries?: number;
  /** Used instead of the global fetch. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Ends the call, or the reading of events. */
  signal?: AbortSignal;
}

export interface StartOptions extends CallOptions {
  /** Your name for this start: a repeated one returns the first. One is made when it is left out. */
  idempotencyKey?: string;
}

/** An error answer of the service. */
export class AtelierError extends Error {
  override readonly name = "AtelierError";
  constructor(
    /** HTTP status. */
    readonly status: number,
    message: string,
    /** Number of the error, as in docs/errors.md; 0 when a proxy has answered. */
    readonly code: number = 0,
    /** Facts about the error, for programs. */
    readonly details: Readonly<Record<string, unknown>> = {},
    /** Seconds to wait before the next try. */
    readonly retryAfter: number = 0,
    /** To quote in a report. */
    readonly requestId: string | null = null,
  ) {
    super(message);
  }

  /** The field of the request that is wrong, such as input.steps[0].arguments.prompt. */
  get field(): string | undefined {
    return typeof this.details.field === "string" ? this.details.field : undefined;
  }
}

/** A stream that sends nothing for this long, not even a heartbeat, is opened again. */
const silence = 90_000;

interface Request extends StartOptions {
  query?: Record<string, string | number | undefined>;
  body?: unknown;
}

/** What is read from a stream: an event of the log has a sequence; after the last one nothing follows. */
export interface Update<T> {
  value: T;
  sequence?: number;
  last?: boolean;
}

/** Calls one service with one credential. */
export class Caller {
  readonly #options: Required<ClientOptions>;

  constructor({ baseURL, apiKey, retries = 4, fetch = globalThis.fetch.bind(globalThis) }: ClientOptions) {
    this.#options = { baseURL: baseURL.replace(/\/+$/, ""), apiKey, retries, fetch };
  }

  /** Calls an endpoint and returns the data of its answer. */
  async call<T>(method: string, path: string, { query = {}, body, idempotencyKey, signal }: Request = {}): Promise<T> {
    const parameters = Object.entries(query).flatMap(([k, v]) => (v === undefined ? [] : [[k, String(v)]]));
    const headers = this.#headers();
    if (idempotencyKey) headers.set("Idempotency-Key", idempotencyKey);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const init: RequestInit = { method, headers, signal: signal ?? null, body: body === undefined ? null : JSON.stringify(body) };
    const url = this.#options.baseURL + path + (parameters.length ? `?${new URLSearchParams(parameters)}` : "");
    for (let failures = 0; ; failures++) {
      try {
        const answer = await this.#options.fetch(url, init);
        if (!answer.ok) throw await refusal(answer);
        return ((await answer.json()) as { data: T }).data;
      } catch (error) {
        await this.#pause(error, failures, signal);
      }
    }
  }

  /** Sends a signed form, whose last field is the file. */
  async post(url: string, form: FormData, signal?: AbortSignal): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        const answer = await this.#options.fetch(url, { method: "POST", body: form, signal: signal ?? null });
        if (!answer.ok) throw await refusal(answer);
        return;
      } catch (error) {
        await this.#pause(error, failures, signal);
      }
    }
  }

  /** Reads a stream of events to the last one. A stream that breaks is opened again after the last event that was read. */
  async *follow<T>(path: string, read: (frame: Frame) => Update<T> | undefined, after: number, signal?: AbortSignal): AsyncGenerator<T, void> {
    for (let failures = 0; ; failures++) {
      const connection = new AbortController();
      const leave = () => connection.abort(signal?.reason);
      signal?.addEventListener("abort", leave);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(() => connection.abort(new Error("the stream sent nothing for too long")), silence);
      };
      try {
        signal?.throwIfAborted();
        const headers = this.#headers();
        headers.set("Accept", "text/event-stream");
        if (after >= 0) headers.set("Last-Event-ID", String(after));
        alive();
        const answer = await this.#options.fetch(this.#options.baseURL + path, { headers, signal: connection.signal });
        if (!answer.ok) throw await refusal(answer);
        for await (const frame of frames(answer.body!, alive)) {
          if (frame.event === "error") throw new Error(`the stream failed: ${frame.data}`);
          const update = read(frame);
          if (!update) continue;
          if (update.sequence !== undefined) {
            if (update.sequence <= after) continue;
            after = update.sequence;
          }
          failures = 0;
          clearTimeout(timer); // the reader may take its time
          yield update.value;
          if (update.last) return;
          alive();
        }
        throw new Error("the stream ended before the last event");
      } catch (error) {
        await this.#pause(error, failures, signal);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
        connection.abort();
      }
    }
  }

  #headers(): Headers {
    return new Headers({ Authorization: `Bearer ${this.#options.apiKey}` });
  }

  /** Waits before the next try, or throws the error when there is no point in one. */
  async #pause(error: unknown, failures: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const answered = error instanceof AtelierError;
    if (failures >= this.#options.retries || (answered && ![429, 502, 503, 504].includes(error.status))) throw error;
    const grown = 250 * 2 ** failures * (1 + Math.random()); // clients that failed together do not return together
    await sleep(Math.max(grown, answered ? error.retryAfter * 1000 : 0), signal);
  }
}

/** A new idempotency key or id of a project. crypto.randomUUID is missing in pages without TLS. */
export function newID(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function refusal(answer: Response): Promise<AtelierError> {
  let body: { message?: string; errorCode?: number; details?: Record<string, unknown> } = {};
  try {
    body = ((await answer.json()) as typeof body | null) ?? {};
  } catch {
    // A proxy has answered.
  }
  return new AtelierError(
    answer.status,
    body.message ?? `the service answered ${answer.status}`,
    body.errorCode,
    body.details,
    Number(answer.headers.get("Retry-After")) || 0,
    answer.headers.get("X-Request-Id"),
  );
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal?.addEventListener("abort", leave, { once: true });
  });
}
