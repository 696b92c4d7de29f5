// Calls to the service, and its errors.

import { probe, reachable } from "./reach";
import { text } from "./texts/shell";
import { expire, sessionToken } from "./token";
import type { Answers, Bodies, Failure, LlmFailure } from "./types";

/** An error of the service, or of the connection to it (status 0). */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status = 0,
    readonly code: string | number = 0,
    readonly requestId = "",
    readonly retryAfter = 0,
    readonly failure: Partial<Failure> = {},
  ) {
    super(message);
  }

  /** The field of the request that the service refuses, or empty. */
  get field(): string {
    const field = this.failure.details?.field;
    return typeof field === "string" ? field : "";
  }
}

/** No answer came. */
export class UnreachableError extends ApiError {
  constructor() {
    super(text.unreachable);
  }
}

type Endpoint = keyof Answers;

/** The paths that a method has, with their parameters in braces. */
type PathOf<M extends string> = { [E in Endpoint]: E extends `${M} ${infer P}` ? P : never }[Endpoint];

/** What an endpoint answers with. */
type Answer<M extends string, P extends string> = `${M} ${P}` extends infer E extends Endpoint ? Answers[E] : never;

/** What an endpoint takes. */
type Body<M extends string, P extends string> = `${M} ${P}` extends infer E extends keyof Bodies
  ? Bodies[E]
  : Record<string, never> | undefined;

type Parameter<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Parameter<Rest> : never;

export interface SendOptions {
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  signal?: AbortSignal;
  /** One for each intent of the person, kept for its repetitions. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  /** The request is sent also when the page is left. */
  keepalive?: boolean;
}

type CallOptions = Omit<SendOptions, "body">;

/** The options of a call; a path with parameters needs their values. */
type Options<P extends string> = [Parameter<P>] extends [never]
  ? [options?: CallOptions]
  : [options: CallOptions & { path: Record<Parameter<P>, string> }];

/** An address in which every value is encoded: an id may have any characters. */
export const encoded = (texts: TemplateStringsArray, ...values: (string | number)[]) =>
  String.raw({ raw: texts }, ...values.map(encodeURIComponent));

export const get = <P extends PathOf<"GET">>(path: P, ...[options]: Options<P>) =>
  call<Answer<"GET", P>>("GET", path, options);

export const post = <P extends PathOf<"POST">>(path: P, body: Body<"POST", P>, ...[options]: Options<P>) =>
  call<Answer<"POST", P>>("POST", path, { ...options, body });

export const put = <P extends PathOf<"PUT">>(path: P, body: Body<"PUT", P>, ...[options]: Options<P>) =>
  call<Answer<"PUT", P>>("PUT", path, { ...options, body });

export const patch = <P extends PathOf<"PATCH">>(path: P, body: Body<"PATCH", P>, ...[options]: Options<P>) =>
  call<Answer<"PATCH", P>>("PATCH", path, { ...options, body });

export const del = <P extends PathOf<"DELETE">>(path: P, ...[options]: Options<P>) =>
  call<Answer<"DELETE", P>>("DELETE", path, options);

/**
 * Sends a file as the body of a request, tells how much of it was sent, from 0 to 1, and returns the data and whether
 * the service has made something new.
 */
export async function postFile<P extends PathOf<"POST">>(
  path: P,
  file: File,
  options: { query: SendOptions["query"]; signal: AbortSignal; onProgress: (sent: number) => void },
): Promise<{ data: Answer<"POST", P>; isNew: boolean }> {
  const request = new XMLHttpRequest(); // fetch does not tell how much was sent
  const token = sessionToken();
  const response = await new Promise<Response>((resolve, reject) => {
    request.open("POST", path + queryText(options.query));
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    if (token) request.setRequestHeader("Atelier-Console", token);
    request.upload.onprogress = (e) => e.lengthComputable && options.onProgress(e.loaded / e.total);
    request.onerror = () => void probe().then((isThere) => reject(new ApiError(isThere ? text.cut : text.unreachable)));
    request.onload = () => {
      const headers = new Headers();
      for (const name of ["X-Request-Id", "Retry-After"]) headers.set(name, request.getResponseHeader(name) ?? "");
      resolve(new Response(request.responseText, { status: request.status, headers }));
    };
    options.signal.addEventListener("abort", () => {
      request.abort();
      reject(new DOMException("", "AbortError"));
    });
    request.send(file);
  });
  if (response.status === 401 && token && token === sessionToken()) expire();
  return { data: await dataOf(response), isNew: response.status === 201 };
}

/** Calls an endpoint, and returns its data. */
async function call<T>(
  method: string,
  path: string,
  options: SendOptions & { path?: Record<string, string> } = {},
): Promise<T> {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.path![name]));
  return dataOf<T>(await send(method, address, options));
}

/** The data of an answer. */
async function dataOf<T>(response: Response): Promise<T> {
  const body = await json(response);
  if (!response.ok || body === null) throw refusal(response, body);
  // The success envelope, which a few endpoints do without.
  const { status, data } = body as { status?: string; data?: unknown };
  return (status === "success" && data !== undefined ? data : body) as T;
}

/** Sends a request with the credentials of the session, and returns the response as it comes. */
export async function send(method: string, path: string, options: SendOptions = {}): Promise<Response> {
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
    throw new UnreachableError();
  }
  reachable.value = !isOfProxy(response);
  if (response.status === 401 && token && token === sessionToken()) expire(); // not a later session
  return response;
}

/** Whether a proxy says that it cannot reach the service: whatever the service answers has an id. */
const isOfProxy = ({ status, headers }: Response) => status >= 502 && status <= 504 && !headers.has("X-Request-Id");

/** Throws the error of a response that is not a success. */
export async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw refusal(response, await json(response));
}

function queryText(query: SendOptions["query"]): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text && "?" + text;
}

async function json(response: Response): Promise<object | null> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

// Errors come in three envelopes: the usual one, that of the language model
// routes, and the bare text of some 429.
function refusal(response: Response, body: object | null): ApiError {
  const { error, ...failure } = (body ?? {}) as Partial<Failure> & { error?: LlmFailure["error"] | string };
  const about = typeof error === "string" ? { message: error, code: 0 } : error;
  return new ApiError(
    failure.message || about?.message || `The service answered ${response.status} without a message.`,
    response.status,
    failure.errorCode ?? about?.code ?? 0,
    response.headers.get("X-Request-Id") ?? "",
    Number(response.headers.get("Retry-After")) || 0,
    failure,
  );
}

/** A random id, also where the page is not a secure context and randomUUID is absent. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
