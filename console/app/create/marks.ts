// What was drawn on a picture and is not used yet: it is there again when the dialog is opened again, as long as the
// form has that picture.

import { useState } from "preact/hooks";

interface Marks {
  picture: string;
  /** What the dialog began with: marks that were made on something else are past. */
  begun: string;
  value: unknown;
}

const kept = new Map<string, Marks>();

export const forgetMarks = () => kept.clear();

/** The marks of one kind that are kept for a picture, or what to begin with. */
export function marksOn<T>(kind: string, picture: string, begin: T): T {
  const marks = kept.get(kind);
  return marks?.picture === picture && marks.begun === JSON.stringify(begin) ? (marks.value as T) : begin;
}

/** Keeps the marks of one kind, for one picture: the one that was drawn on last. */
export const keepMarks = <T>(kind: string, picture: string, begin: T, value: T) =>
  void kept.set(kind, { picture, begun: JSON.stringify(begin), value });

/** State that outlasts the dialog in which it is drawn. */
export function useMarks<T>(kind: string, picture: string, begin: T): [T, (change: (old: T) => T) => void] {
  const [marks, setMarks] = useState(() => marksOn(kind, picture, begin));
  const change = (next: (old: T) => T) =>
    setMarks((old) => {
      const value = next(old);
      keepMarks(kind, picture, begin, value);
      return value;
    });
  return [marks, change];
}
