// The texts in a file that may say how it was made: of a PNG, a JPEG, a WebP, a clip or a recording.

import { readFlac, readMp3, readMp4, readWav } from "./sound-texts";
import { latin, maxParts, Source, utf8, view, type Texts } from "./source";

const keys = ["atelier", "parameters", "prompt"];

/** The texts of a file; undefined for one of another format. */
export async function readTexts(file: Blob): Promise<Texts | undefined> {
  const source = new Source(file);
  const head = latin((await source.bytes(0, Math.min(12, file.size))) ?? new Uint8Array());
  const found: Texts = {};
  if (head.startsWith("\x89PNG\r\n\x1a\n")) await readPng(source, found);
  else if (head.startsWith("\xff\xd8\xff")) await readJpeg(source, found);
  else if (head.startsWith("RIFF") && head.endsWith("WEBP")) await readWebp(source, found);
  else if (head.startsWith("RIFF") && head.endsWith("WAVE")) await readWav(source, found);
  else if (head.startsWith("fLaC")) await readFlac(source, found);
  else if (head.startsWith("ID3")) await readMp3(source, found);
  else if (/^.{4}(?:ftyp|moov|mdat|wide)/s.test(head)) await readMp4(source, found);
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
