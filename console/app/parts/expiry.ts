/** When a key expires: at the end of a day that is chosen, and when it did where that day is as it was. */
export const expiryOf = (day: string, before?: string | null): string | undefined =>
  day === "" ? undefined : before?.slice(0, 10) === day ? before : `${day}T23:59:59Z`;
