// The levels of headings in a text that is a part of a page.

/** The level of each heading below the first one: each is at most one deeper than what it is in. */
export function levelsOf(depths: number[]): number[] {
  const outer: number[] = [];
  return depths.map((depth) => {
    while (outer.length && outer.at(-1)! >= depth) outer.pop();
    return outer.push(depth) - 1;
  });
}
