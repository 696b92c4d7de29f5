// Reading values whose shape is not checked: documents, stored drafts, arguments.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The value if it is an object, else an empty one. */
export const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** The value if it is a list, else an empty one. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The texts of a list. */
export const textsOf = (value: unknown): string[] => listOf(value).filter((item) => typeof item === "string");

/** The value if it is a text, else an empty one. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The value if it is a number. */
export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
