// Numbers, dates and identifiers as people read them.

/**
 * A decimal string with thousands separated. The digits are cut, never rounded in
 * floating point: a balance must not look larger than it is.
 */
export function amount(value: string | number | null | undefined, places = 2): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value ?? ""));
  if (!match) return String(value ?? "");
  const [, sign, whole, fraction = ""] = match;
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = fraction.slice(0, places).replace(/0+$/, "");
  return sign + grouped + (rest && `.${rest}`);
}

/** A number with its unit, which stay on one line. */
export const unit = (value: string | number, name: string) => `${value}\u00a0${name}`;

/** A price, rounded to hundredths; one below a tenth to two digits that count. */
export function price(value: string | number): string {
  const number = Number(value);
  return amount(number < 0.1 && number > 0 ? number.toPrecision(2) : number.toFixed(2), 6);
}

const locale = globalThis.document?.documentElement.lang || "en"; // tests have no document
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const counts = new Intl.NumberFormat(locale);

type Time = string | number | Date | null | undefined;

/** Times come as RFC 3339 text or as milliseconds. */
export function toDate(value: Time): Date | null {
  if (value === null || value === undefined || value === "") return null;
  const date = new Date(typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value);
  return Number.isNaN(date.getTime()) ? null : date;
}

function show(options: Intl.DateTimeFormatOptions) {
  const format = new Intl.DateTimeFormat(locale, options);
  return (value: Time) => {
    const date = toDate(value);
    return date ? format.format(date) : "";
  };
}
export const day = show({ dateStyle: "long" });
export const moment = show({ dateStyle: "medium", timeStyle: "short" });
export const clock = show({ timeStyle: "medium" });

/** "3 minutes ago", "in 2 days". Less than a minute ahead is "now": clocks differ. */
export function ago(value: Time, now = Date.now()): string {
  const date = toDate(value);
  if (!date) return "";
  const ahead = (date.getTime() - now) / 1000;
  const seconds = ahead > 0 && ahead < 60 ? 0 : ahead;
  for (const [unit, size] of [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ] as const) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(Math.trunc(seconds), "second");
}

/** How long something has lasted, as "7 minutes". */
export function lasting(since: Time, now = Date.now()): string {
  const seconds = Math.max(0, now - (toDate(since)?.getTime() ?? now)) / 1000;
  const [unit, size] =
    (
      [
        ["day", 86400],
        ["hour", 3600],
        ["minute", 60],
      ] as const
    ).find(([, size]) => seconds >= size) ?? (["second", 1] as const);
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Math.trunc(seconds / size));
}

/** Text of a person without the characters that change the direction of what follows. */
export const plain = (text: string) => text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");

/** A sentence of the service with its times as people read them. */
export const withTimes = (sentence: string) =>
  sentence.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => moment(time));

/** A duration in seconds as "1:05" or "2:03:04". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (!parts[0]) parts.shift();
  return parts.map((part, i) => (i ? String(part).padStart(2, "0") : part)).join(":");
}

const units = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

const inUnit = (value: number, unit: string, digits = 0) =>
  new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits }).format(
    value,
  );

/** How long something took, in its two largest units: "40 ms", "0.8 sec", "2 min 5 sec", "3 hr 2 min". */
export function span(seconds: number): string {
  if (seconds > 0 && seconds < 0.1) return inUnit(Math.max(1, Math.round(seconds * 1000)), "millisecond");
  if (seconds < 9.95) return inUnit(Math.max(0, seconds), "second", 1);
  const whole = Math.round(seconds);
  const first = units.findIndex(([, size]) => whole >= size);
  const [unit, size] = units[first];
  const [next, nextSize] = units[first + 1] ?? [];
  const rest = next ? Math.floor((whole % size) / nextSize!) : 0;
  const large = inUnit(Math.floor(whole / size), unit);
  return rest > 0 ? `${large} ${inUnit(rest, next!)}` : large;
}

/** A time that is estimated, in one unit: "15 sec", "3 min". It does not change with every second. */
export function about(seconds: number): string {
  const [, size] = units.find(([, size]) => seconds > size) ?? units[units.length - 1];
  const step = size === 1 ? 5 : size;
  return span(Math.max(1, Math.ceil(seconds / step)) * step);
}

const names: Record<string, string> = {
  "3d": "3D",
  png: "PNG",
  jpg: "JPEG",
  jpeg: "JPEG",
  webp: "WebP",
  gif: "GIF",
  mp4: "MP4",
  webm: "WebM",
  mov: "MOV",
  mp3: "MP3",
  wav: "WAV",
  flac: "FLAC",
  glb: "GLB",
  lora: "LoRA",
  loras: "LoRAs",
  nft: "NFT",
  url: "URL",
  urls: "URLs",
};

/** An identifier as words: unlimited_pro and unlimitedPro are "Unlimited pro". Formats have their own spelling. */
export function words(name: string): string {
  const text = String(name)
    .replace(/[_-]+/g, " ")
    .replace(/\bLoRA/g, "lora") // one word, though its capitals are in the middle
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\w+/g, (word) => names[word.toLowerCase()] ?? word);
}

export const count = (value: number) => counts.format(value);

export function bytes(value: number): string {
  if (value < 1000) return unit(value, "B");
  if (value < 1e6) return unit((value / 1e3).toFixed(1), "kB");
  if (value < 1e9) return unit((value / 1e6).toFixed(1), "MB");
  return unit((value / 1e9).toFixed(1), "GB");
}

/** A limit of files: those that are whole in powers of two are named so. */
export function sizeLimit(value: number): string {
  for (const [name, size] of [
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
    ["KiB", 2 ** 10],
  ] as const)
    if (value >= size && value % size === 0) return unit(value / size, name);
  return bytes(value);
}

export const percent = (share: number) => unit(Math.round(share * 100), "%");

export const shortWallet = (wallet: string) =>
  wallet.length > 14 ? `${wallet.slice(0, 8)}…${wallet.slice(-4)}` : wallet;
