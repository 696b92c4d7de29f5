// The console session. The service keeps the API key; the browser holds a cookie
// that scripts cannot read and a token that counts only together with it.

import { effect, signal } from "@preact/signals";
import { ApiError, del, get, post } from "./api";
import { allowOrigins } from "./origins";
import { keepToken, sessionToken, tokenKey, whenExpired } from "./token";
import type { ConsoleSession } from "./types";

export type Session = Omit<ConsoleSession, "token">;

/** The session, null when signed out, undefined while it is not known yet. */
export const session = signal<Session | null | undefined>(undefined);

/** Why it is not known whether a session is open: the service did not answer. */
export const lookupError = signal<Error | null>(null);

/** How many sessions of an account have ended here. What a page shows of one is not drawn for the next. */
export const endedSessions = signal(0);

/** Why the person sees the sign-in page. */
export const endReason = signal<"" | "expired" | "signedOut" | "usedLink">("");

function endSession(reason: "expired" | "signedOut") {
  keepToken("");
  if (reason === "signedOut") forget();
  endReason.value = reason;
  session.value = null;
}

whenExpired(() => endSession("expired"));

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
  allowOrigins(session.value?.mediaOrigins ?? []);
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
  const { token = "", ...opened } = (await post("/v1/console/sessions", credential)).session;
  keepToken(token);
  endReason.value = "";
  session.value = opened;
}

/**
 * Ends the session, or everywhere: all sessions and session tokens of the account. When the
 * service does not confirm that, the person stays signed in.
 */
export async function signOut(everywhere = false) {
  let elsewhere; // where the browser signs out of the provider
  try {
    if (everywhere) await del("/v1/account/sessions");
    else elsewhere = (await del("/v1/console/session")).signOutUrl;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error; // it had ended already
  }
  endSession("signedOut");
  if (elsewhere) location.href = elsewhere;
}

/** Reports whether the service has refused a credential: a later attempt gets the same answer. */
const isRefused = (error: unknown) =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 408 &&
  error.status !== 429;

let linkCode = ""; // of a one-time link, until the service has accepted or refused it
let lookups = 0;

const linkIn = (hash: string) => /^#(code|token)=([\w-]+)$/.exec(hash);

/** Finds out at the start whether a session is open: by what a link or a provider has put in the address, or by the kept token. */
export async function restoreSession() {
  const [, kind, given] = linkIn(location.hash) ?? [];
  if (given) {
    if (kind === "code") linkCode = given;
    else keepToken(given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  const mine = ++lookups;
  lookupError.value = null;
  try {
    const found = await findSession();
    if (mine === lookups) session.value = found;
  } catch (error) {
    if (mine !== lookups) return;
    session.value = undefined;
    lookupError.value = error as Error;
  }
}

async function findSession(): Promise<Session | null> {
  try {
    if (linkCode) {
      await signIn({ code: linkCode });
      linkCode = "";
      return session.value!;
    }
  } catch (error) {
    if (!isRefused(error)) throw error;
    linkCode = ""; // a used or expired link: an open session may still hold
    endReason.value = "usedLink";
  }
  if (!sessionToken()) return null;
  try {
    const { session: open } = await get("/v1/console/session");
    endReason.value = "";
    return open;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return null;
  }
}

addEventListener("online", () => lookupError.value && void restoreSession());

// A link that is opened in a tab that has the console already changes only the fragment of the address.
addEventListener("hashchange", () => linkIn(location.hash) && void restoreSession());

// A page that the browser keeps after it is left does not see what other tabs do meanwhile.
let leftWith = "";
addEventListener("pagehide", () => {
  leftWith = sessionToken();
});
addEventListener("pageshow", (event) => event.persisted && sessionToken() !== leftWith && void restoreSession());

// Signing out in one tab signs out the others.
addEventListener("storage", (event) => {
  if (event.key !== tokenKey) return;
  if (event.newValue) return void restoreSession();
  lookups++;
  session.value = null;
});
