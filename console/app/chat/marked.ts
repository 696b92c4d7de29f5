// The words of a search in a text.

/** The parts of a text: every second one is a word of the search. */
export function marked(text: string, search: string): string[] {
  const words = search.split(/\s+/).filter(Boolean);
  if (!words.length) return [text];
  words.sort((a, b) => b.length - a.length); // the longest that fits
  const any = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text.split(new RegExp(`(${any})`, "giu"));
}
