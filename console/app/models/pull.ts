// How far the files of a model are on their way into the folder of a ComfyUI.

import { bytes, span } from "../format";
import { text as all } from "../texts/models";
import type { ModelFolder, Pull } from "../types";

const text = all.fetching;

/** Whether a pull may still change. */
export const isActive = (pull: Pull | null) => pull?.state === "queued" || pull?.state === "running";

/** Whether something changes by itself, so that it has to be read again. */
export const isWatched = (folders: ModelFolder[] = []) => folders.some((f) => isActive(f.pull));

export interface Shown {
  tone: "plain" | "good" | "bad" | "warn";
  sentence: string;
  /** How much has come, from 0 to 1; absent while that is not known. */
  share?: number;
  /** What the button does. */
  action: "start" | "again" | "onward" | "cancel";
}

/** What a person reads about a folder. */
export function show({ modelsDir, pull }: ModelFolder): Shown {
  switch (pull?.state) {
    case undefined:
      return { tone: "plain", sentence: text.about(modelsDir), action: "start" };
    case "queued":
      return { tone: "plain", sentence: text.queued(modelsDir), action: "cancel" };
    case "running":
      return { tone: "plain", ...progress(pull), action: "cancel" };
    case "completed":
      return { tone: "good", sentence: text.completed(modelsDir), action: "again" };
    case "cancelled":
      return { tone: "warn", sentence: text.cancelled, action: "onward" };
    default:
      return { tone: "bad", sentence: pull?.problem ?? text.failed, action: "onward" };
  }
}

function progress(pull: Pull) {
  if (!pull.file || !pull.bytesTotal) return { sentence: text.sizing };
  const parts = [text.running(pull.file, bytes(pull.bytesDone), bytes(pull.bytesTotal))];
  if (pull.bytesPerSecond > 0) {
    const left = (pull.bytesTotal - pull.bytesDone) / pull.bytesPerSecond;
    parts.push(text.speed(bytes(pull.bytesPerSecond)), text.left(span(left)));
  }
  return { sentence: parts.join(" · "), share: pull.bytesDone / pull.bytesTotal };
}
