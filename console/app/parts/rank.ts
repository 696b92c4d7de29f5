// The order of what a search finds.

/** A text as words: in small letters, without the signs between them. A name with underlines in a text stays one. */
const wordsOf = (text: string, sign = /[\p{L}\p{N}]+/gu) => text.toLowerCase().match(sign) ?? [];

/**
 * The items that have a term in their name or description. Those whose name begins with it come first, then those that
 * have it at the beginning of a word of their name, elsewhere in their name, and only in their description. Signs and
 * spaces do not count: "zimage" finds Z-Image. Where nothing has the words of the term together, what has each of them
 * at the beginning of a word is found, in the name before the description.
 */
export function rank<T>(items: T[], term: string, nameOf: (item: T) => string, about: (item: T) => string): T[] {
  const wanted = wordsOf(term);
  const together = wanted.join("");
  const spaced = wanted.join(" ");
  /** The word of a text at which another text begins, or -1. */
  const at = (words: string[], wanted = together) => {
    const text = words.join("");
    let start = 0;
    return words.findIndex((word) => text.startsWith(wanted, (start += word.length) - word.length));
  };
  const begins = (words: string[]) => (word: string) => at(words, word) >= 0;
  const all = items.map((item) => {
    const name = wordsOf(nameOf(item));
    const rest = wordsOf(about(item), /[\p{L}\p{N}_]+/gu);
    const fits = [
      !together || at(name) === 0,
      at(name) > 0,
      name.join(" ").includes(spaced),
      at(rest) >= 0 || rest.join(" ").includes(spaced),
      wanted.every(begins(name)),
      wanted.every(begins([...name, ...rest])),
    ];
    return { item, place: fits.indexOf(true) };
  });
  const found = all.filter(({ place }) => place >= 0);
  const last = found.some(({ place }) => place < 4) ? 3 : 5;
  return found
    .filter(({ place }) => place <= last)
    .sort((a, b) => a.place - b.place) // otherwise as they were
    .map(({ item }) => item);
}
