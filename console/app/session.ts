// The console session. The service keeps the API key; the browser holds a cookie
// that scripts cannot read and a token that counts only together with it.

import { effect, signal } from "@preact/signals";
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

/** How many sessions of an account have ended here. What a page shows of one is not drawn for the next. */
export const endedSessions = signal(0);

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
  if (reason === "signedOut") forget();
  endReason.value = reason;
  session.value = null;
}

const accountKey = "atelier.account"; // in the storage of the tab: the account whose drafts it has
const forgetters = new Set<() => void>();

/** Calls a function when the tab must forget what a person has written: after signing out, and for another account. */
export function onForget(forgetter: () => void) {
  forgetters.add(forgetter);
}

function forget() {
  for (const forgetter of forgetters) forgetter();
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith("atelier.")) sessionStorage.removeItem(key);
  } catch {
    // Without storage nothing was kept.
  }
}

// Who signs in again after the session has expired finds the drafts; another account does not.
let account = "";
effect(() => {
  const wallet = session.value?.walletAddress ?? "";
  if (account && account !== wallet) endedSessions.value = endedSessions.peek() + 1;
  account = wallet;
  if (!wallet) return;
  try {
    const before = sessionStorage.getItem(accountKey);
    if (before && before !== wallet) forget();
    sessionStorage.setItem(accountKey, wallet);
  } catch {
    forget();
  }
});

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
