// The list of operations beside the reference, with its filter.

import { h } from "./dom.js";
import { badge, breakable } from "./operation.js";

/** Draws the list into place, and keeps it at the operation that is being read. */
export function sidebar(place, groups, sections) {
  const entries = groups.flatMap((group) => group.operations.map((operation) => ({ operation, link: entryLink(operation) })));
  const links = new Map(entries.map(({ operation, link }) => [operation.id, link]));
  const blocks = groups.map((group) => h("section", null,
    h("h2", null, group.name),
    h("ul", null, group.operations.map(({ id }) => h("li", null, links.get(id))))));
  const none = h("p", { class: "muted small", hidden: true, role: "status" }, "No endpoint matches.");
  const filter = h("input", { type: "search", placeholder: "Filter endpoints", "aria-label": "Filter endpoints", "aria-keyshortcuts": "/" });

  const narrow = () => {
    const parts = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { operation, link } of entries) link.parentElement.hidden = !parts.every((part) => words(operation).includes(part));
    for (const block of blocks) block.hidden = block.querySelector("li:not([hidden])") === null;
    none.hidden = blocks.some((block) => !block.hidden);
  };
  filter.addEventListener("input", narrow);
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") place.querySelector("section:not([hidden]) li:not([hidden]) a")?.click();
    if (event.key === "Escape") { filter.value = ""; narrow(); }
  });

  const nav = h("nav", { id: "endpoints", "aria-label": "Endpoints" }, blocks, none);
  const toggle = h("button", { class: "toggle", type: "button", "aria-controls": "endpoints", "aria-expanded": "false" }, "Endpoints");
  const expand = (open) => {
    place.classList.toggle("open", open);
    toggle.setAttribute("aria-expanded", String(open));
  };
  toggle.addEventListener("click", () => expand(!place.classList.contains("open")));
  filter.addEventListener("focus", () => expand(true));
  nav.addEventListener("click", (event) => event.target.closest("a") && expand(false));
  place.addEventListener("keydown", (event) => event.key === "Escape" && expand(false));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    filter.focus();
  });

  place.replaceChildren(h("div", { class: "finder" }, toggle, filter), nav);
  follow(nav, links, sections);
}

function entryLink({ id, method, path, summary }) {
  return h("a", { href: `#${id}`, title: summary }, badge(method), h("span", { class: "path" }, breakable(path)));
}

function words({ method, path, summary, id, tag }) {
  return `${method} ${path} ${summary} ${id} ${tag}`.toLowerCase();
}

// Marks the operation at the top of the window, and keeps its link in sight.
function follow(nav, links, sections) {
  let current = null;
  const observer = new IntersectionObserver((seen) => {
    const top = seen.find((entry) => entry.isIntersecting);
    const link = top && links.get(top.target.id);
    if (!link || link === current) return;
    current?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    current = link;
    const list = nav.getBoundingClientRect();
    const box = link.getBoundingClientRect();
    if (box.top < list.top || box.bottom > list.bottom) nav.scrollTop += box.top - list.top - list.height / 2;
  }, { rootMargin: "-15% 0px -80% 0px" });
  for (const section of sections) observer.observe(section);
}
