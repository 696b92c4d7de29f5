// Who is signed in. The key lives in sessionStorage: it ends with the tab, and
// no other page of this origin's tabs sees it.

const place = "atelier.key";

/** The key, or the empty string. Storage can be switched off; then nobody is signed in. */
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
