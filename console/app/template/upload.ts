// Uploads of a person's own files, for inputs of templates.

import { ApiError, checked, get } from "../api";
import { text } from "../texts/template";

export type MediaKind = "image" | "video" | "audio";

const slots: Record<MediaKind, { area: string; type: string; accept: string }> = {
  image: { area: "image", type: "startingImage", accept: "image/png,image/jpeg,image/webp,image/gif" },
  video: { area: "media", type: "referenceVideo", accept: "video/mp4,video/quicktime,video/webm" },
  audio: { area: "media", type: "referenceAudio", accept: "audio/mpeg,audio/mp4,audio/wav,audio/flac" },
};

export const acceptOf = (kind: MediaKind) => slots[kind].accept;

/** A UUID, also where the page is not a secure context. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

/** Uploads a file and returns the address at which the service reads it. */
export async function upload(file: File, kind: MediaKind, signal?: AbortSignal): Promise<string> {
  const { area, type } = slots[kind];
  const query = { type, jobId: uuid(), contentType: file.type };
  const form = await get(`/v2/${area}/uploadUrl`, { query, signal });
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fields as Record<string, string>)) body.append(name, value);
  body.append("file", file);
  let response: Response;
  try {
    response = await fetch(form.url, { method: "POST", body, signal });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(text.uploadFailed);
  }
  await checked(response);
  return (await get(`/v2/${area}/downloadUrl`, { query, signal })).downloadUrl;
}
