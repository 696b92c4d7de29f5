// Calls to the service, and its errors.

import { key } from "./session.js";

/** An error of the service, or of the connection to it. */
export class Refusal extends Error {
  constructor(message, { status = 0, requestId = "", body = null, retryAfter = 0 } = {}) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/** Gets a path and returns its whole JSON; throws a Refusal unless it succeeds. */
export async function get(path, { signal, credential = key() } = {}) {
  let response;
  try {
    response = await fetch(path, { headers: headers(credential), signal, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The service cannot be reached. Is it running?");
  }
  const body = await json(response);
  if (response.ok && body !== null) return body;
  throw refusal(response, body);
}

/** The same, for endpoints that answer in the success envelope. */
export async function data(path, options) {
  return (await get(path, options)).data ?? {};
}

export function headers(credential) {
  const out = { Accept: "application/json" };
  if (credential) out.Authorization = `Bearer ${credential}`;
  return out;
}

async function json(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

// Errors come in three envelopes: the usual one, that of the language model
// routes, and the bare text of some 429.
function refusal(response, body) {
  const message = body?.message ?? body?.error?.message ?? (typeof body?.error === "string" ? body.error : "");
  return new Refusal(message || `The service answered ${response.status} without a message.`, {
    status: response.status,
    requestId: response.headers.get("X-Request-Id") ?? "",
    retryAfter: Number(response.headers.get("Retry-After")) || 0,
    body,
  });
}
