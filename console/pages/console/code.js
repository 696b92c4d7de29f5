// Blocks of code: a copy button, and colour for JSON.

import { h } from "./dom.js";
import { copyButton } from "./copy.js";

/** A block with a title bar. The button copies what the block shows at that moment. */
export function codeBlock(title, content, { wrap = false } = {}) {
  const code = h("code", null, content);
  return h("figure", { class: wrap ? "code wrap" : "code" },
    h("figcaption", null, h("span", null, title), copyButton(() => code.textContent)),
    h("pre", { tabindex: "0" }, code));
}

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** Longer texts are not coloured: it would take too long. */
const most = 60_000;

/** Splits JSON text into coloured spans. */
export function colour(text) {
  if (text.length > most) return [text];
  const out = [];
  let from = 0;
  for (const match of text.matchAll(token)) {
    out.push(text.slice(from, match.index));
    const [whole, string, colon, word] = match;
    if (string) out.push(h("span", { class: colon ? "tok-name" : "tok-string" }, string), colon ?? "");
    else out.push(h("span", { class: word ? "tok-word" : "tok-number" }, whole));
    from = match.index + whole.length;
  }
  out.push(text.slice(from));
  return out.filter((part) => part !== "");
}
