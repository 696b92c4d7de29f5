// The reference page, drawn from the OpenAPI document that the service generates
// from its route table.

import { h, fill, prose } from "./dom.js";
import { get } from "./api.js";
import { key, forget } from "./session.js";
import { failure } from "./notice.js";
import { groups } from "./document.js";
import { operationSection } from "./operation.js";
import { sidebar } from "./sidebar.js";
import { header } from "./header.js";

const main = document.querySelector("#reference");

function showSession() {
  header(key()
    ? { onSignOut: () => { forget(); showSession(); } }
    : { onSignOut: null, signInLink: `/?then=${encodeURIComponent(`/docs${location.hash}`)}` });
}

function refused() {
  forget();
  showSession();
}

function draw(doc) {
  const arranged = groups(doc);
  fill(main,
    introduction(doc),
    authentication(doc),
    arranged.map((group) => h("section", { class: "group" },
      h("header", null, h("h2", null, group.name), group.description && h("p", { class: "muted" }, prose(group.description))),
      group.operations.map((operation) => operationSection(doc, operation, { onRefused: refused })))));
  sidebar(document.querySelector("#sidebar"), arranged, main.querySelectorAll(".operation"));
}

function introduction({ info = {} }) {
  return h("section", { class: "introduction" },
    h("p", { class: "eyebrow" }, `${info.title ?? "atelier"} ${info.version ?? ""}`),
    h("h1", null, "API reference"),
    info.description && h("p", { class: "lead" }, prose(info.description)),
    h("p", { class: "muted" }, "Base address ", h("code", null, location.origin), ". The document behind this page is ",
      h("a", { href: "/openapi.json" }, "openapi.json"), ", for any OpenAPI tool."));
}

function authentication(doc) {
  const schemes = Object.values(doc.components?.securitySchemes ?? {});
  if (schemes.length === 0) return null;
  return h("section", { class: "authentication", id: "authentication" },
    h("h2", null, "Authentication"),
    h("p", null, "Endpoints marked public take no credential. All others take one of:"),
    h("dl", { class: "facts" }, schemes.map((scheme) => h("div", null,
      h("dt", null, h("code", null, scheme.type === "http" ? "Authorization: Bearer CREDENTIAL" : `${scheme.name}: CREDENTIAL`)),
      h("dd", null, prose(scheme.description ?? ""))))));
}

// The browser looked for the anchor of the address before it was drawn.
function goToAnchor() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id) document.getElementById(id)?.scrollIntoView();
}

showSession();
addEventListener("hashchange", showSession); // signing in comes back to where the reader is
addEventListener("pageshow", showSession);
try {
  draw(await get("/openapi.json", { credential: "" }));
  goToAnchor();
} catch (error) {
  fill(main, failure(error));
}
