// What this browser remembers of a person's choices. Without storage it forgets them with the page.

export function kept(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export function keep(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page.
  }
}

export function unkeep(key: string) {
  try {
    localStorage.removeItem(key);
  } catch {
    // There is nothing.
  }
}
