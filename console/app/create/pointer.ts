// References as the values of a form hold them.

import { isObject } from "../json";

export interface Reference {
  id: string;
  kind: string;
  name: string;
  state: "uploading" | "ready" | "failed";
  url?: string;
  thumbnailUrl?: string | null;
  error?: string;
  file?: File;
}

/** All references, by id. */
export type References = Record<string, Reference>;

/** What the values of a form hold in place of a reference. */
export interface Pointer {
  ref: string;
}

export const isPointer = (value: unknown): value is Pointer => isObject(value) && typeof value.ref === "string";

/** Whether a value holds a reference, at any depth. */
export const holdsPointer = (value: unknown): boolean =>
  isPointer(value) || (value !== null && typeof value === "object" && Object.values(value).some(holdsPointer));

/** The references that values hold, at any depth. */
export function referencesIn(value: unknown, references: References): Reference[] {
  if (isPointer(value)) return references[value.ref] ? [references[value.ref]] : [];
  return value !== null && typeof value === "object"
    ? Object.values(value).flatMap((inner) => referencesIn(inner, references))
    : [];
}
