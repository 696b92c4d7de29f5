// Whether what the dashboard shows is still true.

const interval = 30_000; // at which the dashboard is read again

/**
 * Since when the state of the installation is not known, or null while it is. Read is when it was read last, and lost
 * since when the service cannot be reached. A service that hangs answers nothing, not even with an error.
 */
export function unknownSince(read: number, now: number, lost: number | null, isFailing: boolean): number | null {
  if (lost !== null) return lost;
  return isFailing || now - read > 4 * interval ? read : null;
}
