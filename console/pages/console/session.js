// The signed-in session. The key is kept in sessionStorage: it ends with the tab, and
// other tabs of this origin do not see it.

const storageKey = "atelier.key";

/** The key, or the empty string. Storage can be switched off; then there is no session. */
export function key() {
  try {
    return sessionStorage.getItem(storageKey) ?? "";
  } catch {
    return "";
  }
}

export function remember(value) {
  sessionStorage.setItem(storageKey, value);
}

export function forget() {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Without storage there is no key to remove.
  }
}
