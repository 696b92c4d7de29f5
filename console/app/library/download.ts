// Downloads of items: one as its file, several as one archive.

import { archive, type Entry } from "./archive";
import type { LibraryArtifact } from "../types";

const mostBytes = 1e9; // of an archive, which the browser holds until it is saved

const extensions: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "model/gltf-binary": "glb",
  "application/json": "json",
  "text/plain": "txt",
};

/** A name for the file of an item: when it was made, a number, and the beginning of its prompt. */
export function fileName(item: LibraryArtifact, n: number): string {
  const prompt = item.prompt
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  const extension = extensions[item.contentType.split(";")[0]] ?? "bin";
  return `${[item.createdAt.slice(0, 10), String(n).padStart(3, "0"), prompt || item.kind].join("-")}.${extension}`;
}

function save(url: string, name: string) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

/** Saves items to the device. */
export async function download(items: LibraryArtifact[]): Promise<void> {
  if (items.length > 1 && items.reduce((n, item) => n + item.bytes, 0) < mostBytes) {
    try {
      return await saveArchive(items);
    } catch {
      // Such as a store that other pages may not read: the browser itself can.
    }
  }
  // One after the other: browsers drop downloads that begin at once. The service names the files.
  for (const [i, item] of items.entries()) {
    if (i) await new Promise((resolve) => setTimeout(resolve, 300));
    save(item.url, item.kind);
  }
}

async function saveArchive(items: LibraryArtifact[]) {
  const files: Entry[] = [];
  for (const [i, item] of items.entries()) {
    const response = await fetch(item.url, { credentials: "omit" });
    if (!response.ok) throw new Error(`${item.url}: ${response.status}`);
    files.push({ name: fileName(item, i + 1), blob: await response.blob(), date: new Date(item.createdAt) });
  }
  const url = URL.createObjectURL(await archive(files));
  save(url, `atelier-${items[0].createdAt.slice(0, 10)}.zip`);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
