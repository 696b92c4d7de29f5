// The texts in a picture that may say how it was made: of a PNG, a JPEG or a WebP. What a file
// claims does not matter: no more than maxBytes of texts are read, and no more parts than maxParts.

const maxBytes = 1 << 20;
const maxParts = 1 << 14;
const windowSize = 1 << 18;

/** Texts by their key: atelier, parameters (AUTOMATIC1111's web UI), prompt (ComfyUI). */
export type Texts = Record<string, string>;

const keys = ["atelier", "parameters", "prompt"];

/** A file that is read in parts, so that large ones need little memory. */
class Source {
  private start = 0;
  private window = new Uint8Array();
  private left = maxBytes;

  constructor(private file: Blob) {}

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
const latin = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** A text in UTF-8, or in Latin-1 where it is not UTF-8. */
function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return latin(bytes);
  }
}

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The texts of a picture; undefined for another file. */
export async function readTexts(file: Blob): Promise<Texts | undefined> {
  const source = new Source(file);
  const head = latin((await source.bytes(0, Math.min(12, file.size))) ?? new Uint8Array());
  const found: Texts = {};
  if (head.startsWith("\x89PNG\r\n\x1a\n")) await readPng(source, found);
  else if (head.startsWith("\xff\xd8\xff")) await readJpeg(source, found);
  else if (head.startsWith("RIFF") && head.endsWith("WEBP")) await readWebp(source, found);
  else return undefined;
  return found;
}

async function readPng(source: Source, found: Texts) {
  for (let at = 8, n = 0; n < maxParts; n++) {
    const head = await source.bytes(at, 8);
    if (!head) return;
    const length = view(head).getUint32(0);
    const kind = latin(head.subarray(4));
    if (kind === "IEND") return;
    if (kind === "tEXt" || kind === "zTXt" || kind === "iTXt") {
      const name = await source.bytes(at + 8, Math.min(length, 80));
      const key = name && latin(name).split("\0", 1)[0];
      const data = key && keys.includes(key) ? await source.text(at + 8, length) : undefined;
      if (key && data) found[key] = await pngText(source, kind, data.slice(key.length + 1));
    }
    at += length + 12;
  }
}

async function pngText(source: Source, kind: string, data: Uint8Array): Promise<string> {
  if (kind === "tEXt") return utf8(data);
  if (kind === "zTXt") return utf8(await source.inflate(data.subarray(1)));
  let at = 2;
  for (let n = 0; n < 2; n++) {
    const end = data.indexOf(0, at); // of the language, and of the name in it
    if (end < 0) return "";
    at = end + 1;
  }
  return utf8(data[0] === 1 ? await source.inflate(data.subarray(at)) : data.subarray(at));
}

async function readJpeg(source: Source, found: Texts) {
  for (let at = 2, n = 0; n < maxParts; n++) {
    const head = await source.bytes(at, 4);
    if (!head || head[0] !== 0xff || head[1] === 0xda) return;
    if (head[1] === 0xff) {
      at++; // padding
      continue;
    }
    const marker = head[1];
    const length = view(head).getUint16(2) - 2;
    if (length < 0) return;
    if (marker === 0xe1 || marker === 0xfe) {
      const data = await source.text(at + 4, length);
      if (!data) return;
      if (marker === 0xe1 && latin(data.subarray(0, 6)) === "Exif\0\0") readExif(data.subarray(6), found);
      else if (marker === 0xfe) readComment(utf8(data), found);
    }
    at += 4 + length;
  }
}

/** A comment of a JPEG is {"atelier": …}, or the parameters of another program. */
function readComment(comment: string, found: Texts) {
  if (comment.startsWith('{"atelier":')) found.atelier = comment.slice('{"atelier":'.length, -1);
  else found.parameters ??= comment;
}

async function readWebp(source: Source, found: Texts) {
  for (let at = 12, n = 0; n < maxParts; n++) {
    const head = await source.bytes(at, 8);
    if (!head) return;
    const kind = latin(head.subarray(0, 4));
    const length = view(head).getUint32(4, true);
    if (kind === "EXIF" || kind === "XMP ") {
      const data = await source.text(at + 8, length);
      if (data && kind === "XMP ") {
        const packet = /<atelier:settings>([^<]*)<\/atelier:settings>/.exec(utf8(data));
        if (packet) found.atelier = unescape(packet[1]);
      } else if (data) {
        readExif(latin(data.subarray(0, 6)) === "Exif\0\0" ? data.subarray(6) : data, found);
      }
    }
    at += 8 + length + (length & 1);
  }
}

const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const unescape = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name) return entities[name] ?? whole;
    const code = hex ? parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** The user comment of EXIF data, and the graph that ComfyUI writes as the model of a camera. */
function readExif(data: Uint8Array, found: Texts) {
  if (data.length < 8) return;
  const little = data[0] === 0x49;
  const v = view(data);
  const scan = (at: number, entry: (tag: number, value: Uint8Array, number: number) => void) => {
    if (at + 2 > data.length) return;
    for (let i = 0, p = at + 2; i < v.getUint16(at, little) && p + 12 <= data.length; i++, p += 12) {
      const count = v.getUint32(p + 4, little);
      const number = v.getUint32(p + 8, little);
      entry(v.getUint16(p, little), data.subarray(number, number + count), number);
    }
  };
  let directory = 0;
  let graph: Uint8Array | undefined;
  let comment: Uint8Array | undefined;
  scan(v.getUint32(4, little), (tag, value, number) => {
    if (tag === 0x8769) directory = number;
    if ((tag === 0x010f || tag === 0x0110) && latin(value.subarray(0, 7)) === "prompt:") graph = value.subarray(7);
  });
  if (directory) scan(directory, (tag, value) => tag === 0x9286 && (comment = value));
  if (graph) found.prompt = utf8(graph).replace(/\0+$/, "");
  if (comment && comment.length > 8) found.parameters = userComment(comment);
}

function userComment(data: Uint8Array): string {
  const text = data.subarray(8);
  if (latin(data.subarray(0, 8)) !== "UNICODE\0") return utf8(text).replace(/\0+$/, "");
  // Programs disagree on the order of the bytes: in most texts, one of two is zero.
  let zeros = 0;
  text.forEach((byte, i) => byte === 0 && (zeros += i % 2 ? -1 : 1));
  return new TextDecoder(zeros < 0 ? "utf-16le" : "utf-16be").decode(text).replace(/\0+$/, "");
}
