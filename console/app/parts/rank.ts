// The order of what a search finds.

/**
 * The items that have a term in their name or description. Those whose name begins with it come first, then those that
 * have it at the beginning of a word of their name, elsewhere in their name, and only in their description.
 */
export function rank<T>(items: T[], term: string, nameOf: (item: T) => string, about: (item: T) => string): T[] {
  const wanted = term.trim().toLowerCase().replaceAll("_", " ");
  const place = (item: T) => {
    const name = nameOf(item).toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (` ${name}`.includes(` ${wanted}`)) return 1;
    if (name.includes(wanted)) return 2;
    return about(item).toLowerCase().includes(wanted) ? 3 : 4;
  };
  return items.filter((item) => place(item) < 4).sort((a, b) => place(a) - place(b)); // otherwise as they were
}
