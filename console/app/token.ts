// The token of the session, which the service checks together with the cookie.

/** The key of the token in the storage of the browser. */
export const tokenKey = "atelier.console";

export function sessionToken(): string {
  try {
    return localStorage.getItem(tokenKey) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a token for all tabs; an empty one removes it. */
export function keepToken(token: string) {
  try {
    if (token) localStorage.setItem(tokenKey, token);
    else localStorage.removeItem(tokenKey);
  } catch {
    // Without storage the session ends with the page.
  }
}

let onExpire = () => {};

/** Sets what happens when the service refuses the token. */
export function whenExpired(listener: () => void) {
  onExpire = listener;
}

export const expire = () => onExpire();
