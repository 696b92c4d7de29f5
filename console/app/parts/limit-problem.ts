// What is wrong with a limit of a key, in the words of its field.

/** The entries of a field that holds several, separated by commas or spaces. */
export const entriesOf = (list: string): string[] => list.split(/[\s,]+/).filter(Boolean);

/**
 * A message of the service that begins with the name of a field, with the label in its place. The entry of a list is
 * named by what it is, not by its number.
 */
export function limitProblem(message: string, label: string, entries: string[] = []): string {
  const [start, index] = /^limits\.[\w.]+(?:\[(\d+)\])?/.exec(message) ?? [""];
  const rest = message.slice(start.length).trim();
  if (index === undefined) return `${label} ${rest}`;
  const entry = entries[Number(index)];
  const why = /^is wrong: (.*)$/s.exec(rest)?.[1];
  if (why) return `${label}: ${why}`;
  return entry ? `${label}: "${entry}" ${rest}` : `${label} ${rest}`;
}

/** The entries that are none of those which are known; none while nothing is known. */
export const unknownOf = (list: string, known: string[]): string[] =>
  known.length ? entriesOf(list).filter((entry) => !known.includes(entry)) : [];
