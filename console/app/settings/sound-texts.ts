// What clips and recordings of this service say of how they were made.

import { latin, maxParts, utf8, view, type Source, type Texts } from "./source";

interface Box {
  kind: string;
  from: number;
  end: number;
}

/** The boxes of an MP4 between two places. */
async function* boxesIn(source: Source, from: number, to: number): AsyncGenerator<Box> {
  for (let n = 0; n < maxParts && to - from >= 8; n++) {
    const head = await source.bytes(from, Math.min(16, to - from));
    if (!head) return;
    let size = view(head).getUint32(0);
    let start = from + 8;
    if (size === 0) size = to - from; // it ends with the file
    if (size === 1 && head.length === 16) {
      size = Number(view(head).getBigUint64(8));
      start += 8;
    }
    if (size < start - from || size > to - from) return;
    yield { kind: latin(head.subarray(4, 8)), from: start, end: from + size };
    from += size;
  }
}

async function boxIn(source: Source, from: number, to: number, kind: string): Promise<Box | undefined> {
  for await (const box of boxesIn(source, from, to)) if (box.kind === kind) return box;
}

export async function readMp4(source: Source, found: Texts) {
  let place: Box | undefined = { kind: "", from: 0, end: source.size };
  for (const kind of ["moov", "udta", "meta"]) place = place && (await boxIn(source, place.from, place.end, kind));
  const data = place && (await source.text(place.from, place.end - place.from));
  if (!data) return;
  const start = latin(data.subarray(4, 8)) === "hdlr" ? 0 : 4; // QuickTime writes no version
  const parts = atomsIn(data.subarray(start));
  const keys = atomsIn((parts.find((a) => a.kind === "keys")?.body ?? data).subarray(8)).map((a) => utf8(a.body));
  const isKeyed = parts.some((a) => a.kind === "hdlr" && latin(a.body.subarray(8, 12)) === "mdta");
  for (const item of atomsIn(parts.find((a) => a.kind === "ilst")?.body ?? new Uint8Array())) {
    const inside = atomsIn(item.body);
    const bodyOf = (kind: string) => inside.find((a) => a.kind === kind)?.body ?? new Uint8Array();
    const name = isKeyed ? keys[view(latinBytes(item.kind)).getUint32(0) - 1] : utf8(bodyOf("name").subarray(4));
    if (name === "atelier") found.atelier = utf8(bodyOf("data").subarray(8));
  }
}

const latinBytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** The boxes in a part of a file; those that do not fit end the list. */
function atomsIn(data: Uint8Array): { kind: string; body: Uint8Array }[] {
  const atoms = [];
  for (let at = 0; at + 8 <= data.length;) {
    const size = view(data).getUint32(at);
    if (size < 8 || at + size > data.length) break;
    atoms.push({ kind: latin(data.subarray(at + 4, at + 8)), body: data.subarray(at + 8, at + size) });
    at += size;
  }
  return atoms;
}

export async function readWav(source: Source, found: Texts) {
  for (let at = 12, n = 0; n < maxParts; n++) {
    const head = await source.bytes(at, 8);
    if (!head) return;
    const kind = latin(head.subarray(0, 4));
    const length = view(head).getUint32(4, true);
    const list = kind === "LIST" && length >= 12 ? await source.bytes(at + 8, 12) : undefined;
    if (list && latin(list.subarray(0, 8)) === "INFOATLR") {
      const data = await source.text(at + 20, Math.min(view(list).getUint32(8, true), length - 12));
      if (data) found.atelier = utf8(data);
    }
    at += 8 + length + (length & 1);
  }
}

export async function readFlac(source: Source, found: Texts) {
  for (let at = 4, n = 0; n < maxParts; n++) {
    const head = await source.bytes(at, 4);
    if (!head) return;
    const length = view(head).getUint32(0) & 0xffffff;
    const isLast = head[0] & 0x80;
    const data = (head[0] & 0x7f) === 4 ? await source.text(at + 4, length) : undefined;
    if (data) readComments(data, found);
    if (isLast) return;
    at += 4 + length;
  }
}

function readComments(data: Uint8Array, found: Texts) {
  let at = 0;
  const next = () => {
    const length = at + 4 <= data.length ? view(data).getUint32(at, true) : 0;
    const text = data.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    return text;
  };
  next(); // the program
  for (at += 4; at + 4 <= data.length;) {
    const comment = utf8(next());
    if (/^atelier=/i.test(comment)) found.atelier = comment.slice("atelier=".length);
  }
}

export async function readMp3(source: Source, found: Texts) {
  const head = await source.bytes(0, 10);
  if (!head || (head[3] !== 3 && head[3] !== 4) || head[5] !== 0) return;
  const synchsafe = (b: Uint8Array, at: number) => (b[at] << 21) | (b[at + 1] << 14) | (b[at + 2] << 7) | b[at + 3];
  const isSafe = head[3] === 4;
  const data = await source.text(10, synchsafe(head, 6));
  for (let at = 0; data && at + 10 <= data.length && data[at] !== 0;) {
    const size = isSafe ? synchsafe(data, at + 4) : view(data).getUint32(at + 4);
    const content = data.subarray(at + 10, at + 10 + size);
    if (latin(data.subarray(at, at + 4)) === "TXXX" && latin(content.subarray(1, 9)) === "atelier\0")
      found.atelier = utf8(content.subarray(9));
    at += 10 + size;
  }
}
