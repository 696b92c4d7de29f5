// Saving a file for reuse.

import { ApiError, post } from "../api";
import { sizeLimit } from "../format";
import { toast } from "../parts/toast";
import { text } from "../texts/library";
import { kindOf } from "../upload";
import { sha256 } from "./sha256";

const words = text.uploads;

/** Saves a file, and tells how far that is. A file that the account has already is not sent again. */
export async function saveAsset(file: File, limit: number, onState: (state: string) => void) {
  if (!kindOf(file) || file.type === "image/gif") throw new ApiError(words.type(file.name));
  if (limit && file.size > limit) throw new ApiError(words.tooLarge(sizeLimit(limit)));
  onState(words.hashing);
  const data = await file.arrayBuffer();
  const prepared = await post("/v1/assets/prepare", {
    sha256: await sha256(data),
    bytes: file.size,
    contentType: file.type,
    name: file.name.slice(0, 80),
  });
  if (prepared.reused) return toast(words.same);
  onState(words.sending);
  const response = await fetch(prepared.uploadUrl!, {
    method: "PUT",
    headers: prepared.uploadHeaders,
    body: data,
    credentials: "omit",
  });
  if (!response.ok) throw new ApiError(`${file.name}: ${response.status}`, response.status);
  onState(words.checking);
  await post("/v1/assets/{id}/finalize", {}, { path: { id: prepared.id } });
}
