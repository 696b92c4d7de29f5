// Uploads of files that work refers to: a signed form, then the file, then a signed
// address to read it by.

import { get, randomId } from "./api";
import { text } from "./texts/upload";

export interface Upload {
  name: string;
  kind: "image" | "video" | "audio";
  url: string;
}

const types: Record<Upload["kind"], string[]> = {
  image: ["image/png", "image/jpeg", "image/webp", "image/gif"],
  video: ["video/mp4", "video/quicktime", "video/webm"],
  audio: ["audio/mp4", "audio/mpeg", "audio/flac", "audio/wav", "audio/x-wav"],
};

/** What a file picker offers for some kinds. */
export const accepted = (...kinds: Upload["kind"][]) => kinds.flatMap((kind) => types[kind]).join(",");

export const kindOf = (file: File): Upload["kind"] | undefined =>
  (Object.keys(types) as Upload["kind"][]).find((kind) => types[kind].includes(file.type));

export const uuid = () => randomId().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");

/** Where uploads of a kind go, and what the service calls them. */
export const slotOf = (kind: Upload["kind"]) =>
  ({
    uploadPath: kind === "image" ? "/v2/image/uploadUrl" : "/v2/media/uploadUrl",
    downloadPath: kind === "image" ? "/v2/image/downloadUrl" : "/v2/media/downloadUrl",
    type: { image: "referenceImage", video: "referenceVideo", audio: "referenceAudio" }[kind],
  }) as const;

/** What a store says of a file that it refuses: this service in JSON, S3 in XML. */
function reasonOf(answer: string): string {
  try {
    return JSON.parse(answer).message ?? "";
  } catch {
    return /<Message>([^<]*)</.exec(answer)?.[1] ?? "";
  }
}

/** Why a file was not stored. One that is not what its name says is told apart by what the service says of its content. */
export const refusalOf = (name: string, kind: Upload["kind"], reason: string): string =>
  /\bis not \w+\/[\w.+-]+: its content\b/.test(reason) ? text.unreadable[kind](name) : text.notStored(name, reason);

/** Uploads one file and returns where it can be read. */
export async function upload(file: File, signal?: AbortSignal): Promise<Upload> {
  const kind = kindOf(file);
  if (!kind) throw new Error(`${file.name}: this type of file cannot be used (${file.type || "unknown"}).`);
  const { uploadPath, downloadPath, type } = slotOf(kind);
  const query = { type, jobId: uuid(), contentType: file.type };
  const form = await get(uploadPath, { query, signal });
  if (file.size > form.maxSizeBytes)
    throw new Error(`${file.name} is larger than ${Math.floor(form.maxSizeBytes / 1e6)} MB.`);
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fields)) body.set(name, value);
  body.set("file", file);
  const response = await fetch(form.url, { method: "POST", body, signal, credentials: "omit" });
  if (!response.ok) {
    const reason = reasonOf(await response.text().catch(() => ""));
    throw new Error(refusalOf(file.name, kind, reason || String(response.status)));
  }
  const { downloadUrl } = await get(downloadPath, { query, signal });
  return { name: file.name, kind, url: downloadUrl };
}
