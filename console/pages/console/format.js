// Numbers, dates and identifiers as people read them.

/**
 * A decimal string with thousands separated. The digits are cut, never rounded in
 * floating point: a balance must not look larger than it is.
 */
export function amount(text, places = 2) {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text));
  if (!match) return String(text);
  const [, sign, whole, fraction = ""] = match;
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = fraction.slice(0, places).replace(/0+$/, "");
  return sign + grouped + (rest && `.${rest}`);
}

const days = new Intl.DateTimeFormat("en", { dateStyle: "long" });

export function day(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? String(text) : days.format(date);
}

/** An identifier as words: unlimited_pro and unlimitedPro are "Unlimited pro". */
export function words(name) {
  const text = String(name).replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const counts = new Intl.NumberFormat("en");

export function count(number) {
  return counts.format(number);
}

export function bytes(number) {
  if (number < 1000) return `${number} B`;
  if (number < 1e6) return `${(number / 1e3).toFixed(1)} kB`;
  return `${(number / 1e6).toFixed(1)} MB`;
}
