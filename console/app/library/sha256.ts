// The SHA-256 of a file. Browsers have it in secure contexts only; elsewhere it is
// computed here (FIPS 180-4).

export async function sha256(data: ArrayBuffer): Promise<string> {
  const digest = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", data))
    : compute(new Uint8Array(data));
  return Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join("");
}

// The first 32 bits of the fractional parts of the roots of primes.
function roots(power: number, n: number): Uint32Array {
  const out = new Uint32Array(n);
  for (let candidate = 2, i = 0; i < n; candidate++) {
    let isPrime = true;
    for (let d = 2; d * d <= candidate; d++) if (candidate % d === 0) isPrime = false;
    if (isPrime) out[i++] = (candidate ** power % 1) * 2 ** 32;
  }
  return out;
}

export function compute(data: Uint8Array): Uint8Array {
  const k = roots(1 / 3, 64);
  const state = roots(1 / 2, 8);
  const whole = data.length - (data.length % 64);
  const w = new Uint32Array(64);
  const block = (view: DataView, at: number) => {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15],
        b = w[i - 2];
      w[i] =
        (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)) +
        w[i - 7] +
        (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)) +
        w[i - 16];
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
      const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] += value));
  };
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < whole; at += 64) block(view, at);
  const rest = new Uint8Array(data.length % 64 < 56 ? 64 : 128);
  rest.set(data.subarray(whole));
  rest[data.length % 64] = 0x80;
  const end = new DataView(rest.buffer);
  end.setUint32(rest.length - 8, Math.floor((data.length * 8) / 2 ** 32));
  end.setUint32(rest.length - 4, (data.length * 8) >>> 0);
  for (let at = 0; at < rest.length; at += 64) block(end, at);
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((value, i) => out.setUint32(4 * i, value));
  return new Uint8Array(out.buffer);
}

const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n));
