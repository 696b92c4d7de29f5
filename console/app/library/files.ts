// The files that the library keeps, and where they belong.

import { kindOf } from "../upload";

export const isLora = (file: File) => /\.safetensors$/i.test(file.name);

/** The tab whose files these are, and those that do not belong there. LoRAs come first: each asks a question. */
export function sortFiles(files: File[]): { tab?: "loras" | "uploads"; taken: File[]; others: File[] } {
  const fits = files.some(isLora) ? isLora : kindOf;
  const taken = files.filter(fits);
  return {
    tab: taken.length ? (fits === isLora ? "loras" : "uploads") : undefined,
    taken,
    others: files.filter((file) => !fits(file)),
  };
}
