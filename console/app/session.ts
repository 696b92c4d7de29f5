// The console session. The service keeps the API key; the browser holds a cookie
// that scripts cannot read and a token that counts only together with it.

import { signal } from "@preact/signals";
import { call, get, post } from "./api";

export interface Session {
  walletAddress: string;
  username: string;
  operator: boolean;
  worker: boolean;
  expiresAt: string;
}

/** The session, null when signed out, undefined while it is not known yet. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the person sees the sign-in page. */
export const endReason = signal<"" | "expired" | "signedOut">("");

const storageKey = "atelier.console";

export function sessionToken(): string {
  try {
    return localStorage.getItem(storageKey) ?? "";
  } catch {
    return "";
  }
}

function keepToken(token: string) {
  try {
    if (token) localStorage.setItem(storageKey, token);
    else localStorage.removeItem(storageKey);
  } catch {
    // Without storage the session ends with the page.
  }
}

export function endSession(reason: "expired" | "signedOut") {
  keepToken("");
  endReason.value = reason;
  session.value = null;
}

/** Opens a session with an API key or a one-time code. */
export async function signIn(credential: { apiKey: string } | { code: string }) {
  const { token, ...opened } = (await post("/v1/console/sessions", credential)).session;
  keepToken(token);
  endReason.value = "";
  session.value = opened;
}

export async function signOut() {
  try {
    await call("DELETE", "/v1/console/session");
  } finally {
    endSession("signedOut");
  }
}

/** Finds out at the start whether a session is open: by a code in the address, or by the kept token. */
export async function restoreSession() {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code) {
    history.replaceState(null, "", location.pathname + location.search);
    try {
      return await signIn({ code });
    } catch {
      // A used or expired link: an open session may still hold.
    }
  }
  if (!sessionToken()) return void (session.value = null);
  try {
    session.value = (await get("/v1/console/session")).session;
  } catch {
    session.value = null;
  }
}

// Signing out in one tab signs out the others.
addEventListener("storage", (event) => {
  if (event.key !== storageKey) return;
  if (!event.newValue) session.value = null;
  else void restoreSession();
});
