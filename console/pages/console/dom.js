// Building the page. Data only ever becomes text nodes and attributes here, so
// that a username or a model's name can never become markup.

/**
 * Makes an element. Attributes that are functions become listeners (`onclick`),
 * true is an attribute without a value, false, null and undefined are left out.
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...flat(children));
  return element;
}

/** Children may be nested lists; what is absent is left out. */
function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

/** Replaces what is inside an element. */
export function fill(element, ...children) {
  element.replaceChildren(...flat(children));
  return element;
}

/** Text whose `quoted parts` become code, as descriptions in the API's document write them. */
export function prose(text) {
  return String(text)
    .split(/`([^`]+)`/)
    .map((part, i) => (i % 2 ? h("code", null, part) : part));
}

/** A short label. The tone is one of good, warn, bad, accent or none. */
export function chip(text, tone) {
  return h("span", { class: tone ? `chip ${tone}` : "chip" }, text);
}
