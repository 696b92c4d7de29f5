// The signed-in session. The key is kept in sessionStorage: it ends with the tab, and
// other tabs of this origin do not see it.

const place = "atelier.key";

/** The key, or the empty string. Storage can be switched off; then there is no session. */
export function key() {
  try {
    return sessionStorage.getItem(place) ?? "";
  } catch {
    return "";
  }
}

export function remember(value) {
  sessionStorage.setItem(place, value);
}

export function forget() {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // What cannot be stored need not be forgotten.
  }
}
