// Messages in the page: notices, errors with what to do, empty lists.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, UnreachableError } from "../api";
import { lostAt, onReached } from "../reach";
import { session } from "../session";
import { text } from "../texts/shell";

export function Notice({ tone, children }: { tone: "bad" | "warn" | "plain" | "good"; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {children}
    </div>
  );
}

interface FailureProps {
  error: Error;
  /** What is said in place of its message. */
  message?: string;
  retry?: () => void;
}

/**
 * An error in words, with its request id for the operator, and a way to try again. What was not read because the
 * service cannot be reached is read again when it can be, and the page has said why.
 */
export function Failure({ error, message = error.message, retry }: FailureProps) {
  const isSaid = session.value && retry && error instanceof UnreachableError && lostAt.value;
  useEffect(() => (isSaid ? onReached(retry!) : undefined), [!isSaid]);
  if (isSaid) return <p class="muted">{text.notRead}</p>;
  return (
    <div class="notice bad" role="alert">
      <p>{message || text.failed}</p>
      {error instanceof ApiError && error.requestId && error.status >= 500 && (
        <p class="small muted">
          {text.requestId} <code>{error.requestId}</code>
        </p>
      )}
      {retry && (
        <button class="quiet" onClick={retry}>
          {text.tryAgain}
        </button>
      )}
    </div>
  );
}

/** What a list shows when it has nothing: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="lead">{title}</p>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}

/** The place of a page that is being loaded. */
export function Waiting() {
  return <div class="waiting" role="status" aria-label={text.loading} />;
}
