// Calls to the service, and its errors.

import { reachable } from "./reach";
import { endSession, sessionToken } from "./session";
import { text } from "./texts/shell";

/** An error of the service, or of the connection to it (status 0). */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status = 0,
    readonly code: string | number = 0,
    readonly requestId = "",
    readonly retryAfter = 0,
    readonly body: any = null,
  ) {
    super(message);
  }
}

export interface CallOptions {
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  signal?: AbortSignal;
  /** One for each intent of the person, kept for its repetitions. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  /** The request is sent also when the page is left. */
  keepalive?: boolean;
}

/** An address in which every value is encoded: an id may have any characters. */
export const encoded = (texts: TemplateStringsArray, ...values: (string | number)[]) => String.raw({ raw: texts }, ...values.map(encodeURIComponent));

/** Calls an endpoint that answers in the success envelope, and returns its data. */
export async function call<T = any>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const body = await json(response);
  if (response.ok && body !== null) return body.data ?? body;
  throw refusal(response, body);
}

export const get = <T = any>(path: string, options?: CallOptions) => call<T>("GET", path, options);
export const post = <T = any>(path: string, body?: unknown, options?: CallOptions) => call<T>("POST", path, { ...options, body });

/** Sends a request with the credentials of the session, and returns the response as it comes. */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  const token = sessionToken();
  if (token) headers["Atelier-Console"] = token;
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  let response: Response;
  try {
    response = await fetch(path + queryText(options.query), {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
      keepalive: options.keepalive,
      cache: "no-store",
      credentials: "same-origin",
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    reachable.value = false;
    throw new ApiError(text.unreachable);
  }
  reachable.value = true;
  if (response.status === 401 && token && token === sessionToken()) endSession("expired"); // not a later session
  return response;
}

/** Throws the error of a response that is not a success. */
export async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw refusal(response, await json(response));
}

function queryText(query: CallOptions["query"]): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text && "?" + text;
}

async function json(response: Response): Promise<any> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

// Errors come in three envelopes: the usual one, that of the language model
// routes, and the bare text of some 429.
function refusal(response: Response, body: any): ApiError {
  const message = body?.message ?? body?.error?.message ?? (typeof body?.error === "string" ? body.error : "");
  return new ApiError(
    message || `The service answered ${response.status} without a message.`,
    response.status,
    body?.errorCode ?? body?.error?.code ?? 0,
    response.headers.get("X-Request-Id") ?? "",
    Number(response.headers.get("Retry-After")) || 0,
    body,
  );
}

/** A random id, also where the page is not a secure context and randomUUID is absent. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
