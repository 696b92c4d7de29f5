// Media as the parts show them, wherever they come from.

import { words } from "../format";
import { mediaOrigins } from "../origins";
import type { Artifact, LibraryArtifact } from "../types";

export interface MediaItem {
  id: string;
  kind: string;
  url: string;
  thumbnailUrl?: string | null;
  contentType?: string;
  width?: number | null;
  height?: number | null;
  durationSeconds?: number | null;
  colors?: string[] | null;
  /** The loudness of a sound along its length, from 0 to 255. */
  peaks?: number[] | null;
  modelId?: string | null;
  seed?: number | null;
  /** Shown on what has no picture. */
  title?: string;
  /** For screen readers: the prompt, or the name of the file. */
  label?: string;
}

/** A result of a workflow. The picture of a video comes from the library. */
export const mediaOf = (artifact: Artifact & { thumbnailUrl?: string }, label: string): MediaItem => ({
  id: artifact.id,
  kind: artifact.kind,
  url: artifact.url,
  thumbnailUrl: artifact.thumbnailUrl,
  contentType: artifact.mimeType,
  width: artifact.width,
  height: artifact.height,
  durationSeconds: artifact.durationSeconds,
  seed: artifact.seed,
  label,
});

/** What a result is called: its prompt, or what made it where that needs no words. */
export const nameOf = (artifact: Pick<LibraryArtifact, "prompt" | "toolName">) =>
  artifact.prompt || words(artifact.toolName);

/** A result as the library lists it. */
export const libraryItem = (artifact: LibraryArtifact, label = nameOf(artifact)): MediaItem => ({
  ...artifact,
  id: artifact.artifactId,
  label,
});

/** The host and the file of an address that pages may not load media from; undefined for those of the service. */
export function elsewhere(url: string, page = location.href, own = mediaOrigins): string | undefined {
  const { protocol, host, pathname, origin } = new URL(url, page);
  if (!protocol.startsWith("http") || [new URL(page).origin, ...own].includes(origin)) return undefined;
  const file = pathname.split("/").at(-1);
  return file ? `${host}/${pathname.lastIndexOf("/") > 0 ? "…/" : ""}${file}` : host;
}
