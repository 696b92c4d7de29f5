// References: files that a request works from. They are uploaded with signed forms, or
// are results and saved uploads that the service already has.

import { signal } from "@preact/signals";
import { get, post, randomId } from "../api";
import { text } from "../texts/create";
import { slotOf, upload, uuid, type Upload } from "../upload";
import type { Pointer, Reference } from "./pointer";

/** All references of this page, by id. Values of a form hold { ref: id }. */
export const references = signal<Record<string, Reference>>({});

function update(id: string, change: Partial<Reference>) {
  const old = references.value[id];
  if (old) references.value = { ...references.value, [id]: { ...old, ...change } };
}

function add(reference: Omit<Reference, "id">): Pointer {
  const id = randomId();
  references.value = { ...references.value, [id]: { ...reference, id } };
  return { ref: id };
}

/** A reference to something that has an address already. */
export function referTo(kind: string, url: string, name: string, thumbnailUrl?: string | null): Pointer {
  const known = Object.values(references.value).find((r) => r.url === url && r.kind === kind);
  return known
    ? { ref: known.id }
    : add({ kind, url, name, thumbnailUrl: thumbnailUrl ?? (kind === "image" ? url : null), state: "ready" });
}

/** Begins to upload a file. The reference is ready when its upload is. */
export function uploadReference(file: File, kind: string): Pointer {
  const pointer = add({
    kind,
    name: file.name || text.kindName[kind],
    state: "uploading",
    file,
    thumbnailUrl: kind === "image" ? URL.createObjectURL(file) : null,
  });
  void send(pointer.ref, file);
  return pointer;
}

export function retryUpload(reference: Reference) {
  update(reference.id, { state: "uploading", error: undefined });
  void send(reference.id, reference.file!);
}

async function send(id: string, file: File) {
  try {
    const { url } = await upload(file);
    update(id, { state: "ready", url, file: undefined });
  } catch (error) {
    update(id, { state: "failed", error: (error as Error).message });
  }
}

/** A saved upload as a reference: it is bound to a new project, whose copy is then read. */
export async function referToAsset(asset: { id: string; name: string; contentType: string }): Promise<Pointer> {
  const kind = asset.contentType.split("/")[0] as Upload["kind"];
  const { downloadPath, type } = slotOf(kind);
  const jobId = uuid();
  await post("/v1/assets/{id}/bind", { projectId: jobId, type }, { path: { id: asset.id } });
  const { downloadUrl } = await get(downloadPath, { query: { type, jobId } });
  return referTo(kind, downloadUrl, asset.name);
}
