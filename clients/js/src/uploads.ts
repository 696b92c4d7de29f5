import { type Caller, type CallOptions, newID } from "./client.js";
import type { components } from "./types.js";

type Schemas = components["schemas"];

/** Media that a workflow or a run reads, as an entry of media_references. */
export interface Media {
  kind: "image" | "video" | "audio";
  url: string;
}

export interface UploadOptions extends CallOptions {
  /** Type of the file, such as image/png; that of the blob by default. */
  contentType?: string;
}

const slots = {
  image: ["/v2/image", "startingImage"],
  video: ["/v2/media", "referenceVideo"],
  audio: ["/v2/media", "referenceAudio"],
} as const;

/** Files of the account. */
export class Uploads {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Uploads a picture, clip or sound, and returns an entry for media_references. */
  async create(file: Blob, { contentType = file.type, signal }: UploadOptions = {}): Promise<Media> {
    const kind = contentType.split("/")[0]!;
    if (!isKind(kind)) throw new TypeError(`contentType "${contentType}" is not a type of pictures, clips or sounds`);
    const [endpoint, type] = slots[kind];
    const query = { type, jobId: newID(), contentType };
    const signed = await this.#caller.call<Schemas["UploadForm"]>("GET", `${endpoint}/uploadUrl`, { query, signal });
    const form = new FormData();
    for (const [name, value] of Object.entries(signed.fields)) form.append(name, value);
    form.append("file", file.type === contentType ? file : new Blob([file], { type: contentType }), "file");
    await this.#caller.post(signed.url, form, signal);
    const { downloadUrl } = await this.#caller.call<Schemas["DownloadReply"]>("GET", `${endpoint}/downloadUrl`, { query, signal });
    return { kind, url: downloadUrl };
  }
}

const isKind = (kind: string): kind is keyof typeof slots => Object.hasOwn(slots, kind);
