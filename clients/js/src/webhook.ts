import type { Workflow } from "./shapes.js";

/** What a webhook gets. */
export type WebhookEvent =
  | { type: `workflow.${string}`; timestamp: string; data: WebhookWork & { workflowId: string; title?: string } }
  | { type: `run.${string}`; timestamp: string; data: WebhookWork & { runId: string; sessionId?: string; text?: string } }
  | { type: `${"lora" | "balance"}.${string}`; timestamp: string; data: Record<string, unknown> };

interface WebhookWork {
  status: Workflow["status"];
  waiting?: { reason: string; message?: string; stepId?: string };
  error?: { code: string; message: string };
  artifacts?: { id: string; kind: string; mimeType?: string; stepId?: string; url: string }[];
  artifactCount: number;
  createdAt: string;
}

/** A request that was not signed with the secret, or that is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

export interface VerifyOptions {
  /** How many seconds the time of the request may differ from now; 300 by default. */
  tolerance?: number;
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a request to a webhook (Standard Webhooks) and returns its event. The body is the text as it came.
 * The id of the header webhook-id is the same at each attempt: ignore what you have seen.
 */
export async function verifyWebhook(body: string | Uint8Array, headers: HeaderSource, secret: string, { tolerance = 300 }: VerifyOptions = {}): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("a header of the signature is missing");
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= tolerance)) throw new WebhookVerificationError("the request is too old or too new");
  const secretBytes = decode(secret.replace(/^whsec_/, ""));
  if (!secretBytes?.length) throw new TypeError("the secret is not valid base64");
  const key = await crypto.subtle.importKey("raw", secretBytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(await new Blob([`${id}.${timestamp}.`, content as Uint8Array<ArrayBuffer>]).arrayBuffer());
  for (const signature of signatures.split(" ")) {
    const [version, text = ""] = signature.split(",");
    const bytes = version === "v1" ? decode(text) : undefined;
    if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) return JSON.parse(new TextDecoder().decode(content)) as WebhookEvent;
  }
  throw new WebhookVerificationError("no signature is valid");
}

function header(headers: HeaderSource, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(value) ? value[0] : value;
}

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined; // not base64
  }
}
