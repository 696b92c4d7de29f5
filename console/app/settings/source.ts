// A file that is read for texts. What it claims does not matter: no more than maxBytes of texts are read, and no more
// parts than maxParts.

const maxBytes = 1 << 20;
const windowSize = 1 << 18;

export const maxParts = 1 << 14;

/** Texts by their key: atelier, parameters (AUTOMATIC1111's web UI), prompt (ComfyUI). */
export type Texts = Record<string, string>;

/** A file that is read in parts, so that large ones need little memory. */
export class Source {
  private start = 0;
  private window = new Uint8Array();
  private left = maxBytes;

  constructor(private file: Blob) {}

  get size() {
    return this.file.size;
  }

  /** Bytes of the file; undefined where it ends before. */
  async bytes(at: number, length: number): Promise<Uint8Array | undefined> {
    if (at + length > this.file.size) return undefined;
    if (at < this.start || at + length > this.start + this.window.length) {
      const end = Math.max(at + windowSize, at + length);
      this.window = new Uint8Array(await this.file.slice(at, end).arrayBuffer());
      this.start = at;
    }
    return this.window.subarray(at - this.start, at - this.start + length);
  }

  /** A part that may be a text; undefined if it is larger than what may still be read. */
  async text(at: number, length: number): Promise<Uint8Array | undefined> {
    if (length > this.left) return undefined;
    this.left -= length;
    return this.bytes(at, length);
  }

  /** Decompresses a text; empty if it is damaged, or larger than what may still be read. */
  async inflate(data: Uint8Array): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let length = 0;
    try {
      const stream = new Blob([data as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
      const reader = stream.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        length += next.value.length;
        if (length > this.left) {
          await reader.cancel();
          return new Uint8Array();
        }
        parts.push(next.value);
      }
    } catch {
      return new Uint8Array();
    }
    this.left -= length;
    return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  }
}

/** A text in Latin-1. What browsers decode under that name is Windows-1252. */
export const latin = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** A text in UTF-8, or in Latin-1 where it is not UTF-8. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return latin(bytes);
  }
}

export const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
