// Several files as one ZIP archive, made in the browser. The files are stored as they are:
// media do not become smaller.

export interface Entry {
  name: string;
  blob: Blob;
  date: Date;
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

async function checksum(blob: Blob): Promise<number> {
  let sum = 0xffffffff;
  const reader = blob.stream().getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    for (const byte of value!) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}

/** Fields of 2 or 4 bytes, the lowest first. */
function fields(...list: [size: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(list.reduce((n, [size]) => n + size, 0)));
  let at = 0;
  for (const [size, value] of list) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

/** The archive of files with different names: fewer than 65,536, and together smaller than 4 GB. */
export async function archive(files: Entry[]): Promise<Blob> {
  const parts: BlobPart[] = [],
    directory: BlobPart[] = [];
  let at = 0,
    directorySize = 0;
  for (const { name, blob, date } of files) {
    const bytes = new TextEncoder().encode(name);
    const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
    const day = ((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
    // Version 2.0, names in UTF-8, stored, and the size twice: as it is stored and as it is.
    const entry = fields(
      [2, 20],
      [2, 0x0800],
      [2, 0],
      [2, time],
      [2, day],
      [4, await checksum(blob)],
      [4, blob.size],
      [4, blob.size],
      [2, bytes.length],
      [2, 0],
    );
    parts.push(fields([4, 0x04034b50]), entry, bytes, blob);
    directory.push(fields([4, 0x02014b50], [2, 20]), entry, fields([2, 0], [2, 0], [2, 0], [4, 0], [4, at]), bytes);
    at += 4 + entry.length + bytes.length + blob.size;
    directorySize += 6 + entry.length + 14 + bytes.length;
  }
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, directorySize],
    [4, at],
    [2, 0],
  );
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
