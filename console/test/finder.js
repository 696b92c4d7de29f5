(role, name) => {
  const candidates = {
    button: "button, summary, [role=button]",
    link: "a[href]",
    textbox: "input:not([type=checkbox]):not([type=radio]):not([type=range]):not([type=file]), textarea",
    checkbox: "input[type=checkbox]",
    combobox: "select",
    heading: "h1, h2, h3, h4",
    dialog: "dialog[open]",
    img: "img, canvas, svg[role=img]",
    any: "*",
  }[role] ?? `[role=${role}]`;
  const words = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const nameOf = (element) => {
    const ids = element.getAttribute("aria-labelledby");
    if (ids) return words(ids.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" "));
    const label = element.getAttribute("aria-label");
    if (label) return words(label);
    if (element.labels?.length) return words(element.labels[0].textContent);
    if (element.tagName === "IMG") return words(element.alt);
    return words(element.textContent);
  };
  // A modal dialog hides what is behind it, in whichever order they are written: the topmost covers the corner.
  const corner = document.elementFromPoint(0, 0)?.closest("dialog[open]");
  const open = corner ?? [...document.querySelectorAll("dialog[open]")].at(-1);
  const root = open && role !== "dialog" ? open : document;
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const all = [...root.querySelectorAll(candidates)].filter(seen);
  return all.find((e) => nameOf(e) === name) ?? all.find((e) => nameOf(e).startsWith(name)) ?? null;
}
