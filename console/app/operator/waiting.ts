// What waits for a decision of an operator, by kind: a number, with a + where there are more.

export type Waiting = Record<string, string>;

/** How many things wait in all; nothing where none does. */
export function sumOf(waiting: Waiting): string {
  const counts = Object.values(waiting);
  const sum = counts.reduce((n, text) => n + parseInt(text, 10), 0);
  return sum ? `${sum}${counts.some((text) => text.endsWith("+")) ? "+" : ""}` : "";
}
