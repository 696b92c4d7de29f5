// Copying text.

import { h } from "./dom.js";

const shown = 1600; // milliseconds for which "Copied" is shown

/** A button that copies what text() returns when it is pressed. */
export function copyButton(text, label = "Copy") {
  const word = h("span", { "aria-live": "polite" }, label);
  let timer;
  return h("button", {
    class: "copy", type: "button",
    onclick: async () => {
      word.textContent = (await write(text())) ? "Copied" : "Select and copy by hand";
      clearTimeout(timer);
      timer = setTimeout(() => (word.textContent = label), shown);
    },
  }, word);
}

// The clipboard API exists only on https and localhost; a service on a home
// network is often neither, so there is a fallback.
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { class: "offscreen", readonly: true, "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
