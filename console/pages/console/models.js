// The models: those that generate media, from /v1/model-catalog, and
// language models, from /v1/models.

import { h, fill, chip } from "./dom.js";
import { get, data, Refusal } from "./api.js";
import { failure } from "./notice.js";
import { count, words } from "./format.js";

/**
 * Reads both lists into one, with their errors: one list that
 * fails does not hide the other.
 */
export async function allModels(options) {
  const answers = await Promise.allSettled([
    ifAvailable(async () => ((await data("/v1/model-catalog", options)).models ?? []).map(mediaModel)),
    ifAvailable(async () => ((await get("/v1/models", options)).data ?? []).map(languageModel)),
  ]);
  const problems = answers.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
  const refused = problems.find((error) => error.status === 401);
  if (refused) throw refused;
  const lists = answers.map(({ value }) => value).filter(Array.isArray);
  return { models: lists.flat(), problems, known: lists.length > 0 };
}

// A service of another version may not have an endpoint; that is no error.
async function ifAvailable(read) {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

function mediaModel(model) {
  const workers = Object.values(model.workerCounts ?? {}).reduce((sum, n) => sum + (Number(n) || 0), 0);
  return {
    id: model.id,
    name: model.name || model.id,
    kind: model.mediaType || "other",
    tags: model.tags ?? [],
    note: model.servedBy === "preview" ? "preview only" : workers > 0 ? `${count(workers)} ${workers === 1 ? "worker" : "workers"}` : "",
    live: workers > 0,
  };
}

function languageModel(model) {
  return {
    id: model.id,
    name: model.id,
    kind: "language",
    tags: model.capabilities?.reasoning ? ["reasoning"] : [],
    note: model.context_length ? `${count(model.context_length)} tokens` : "",
    live: true,
  };
}

const order = ["image", "video", "audio", "model", "text", "language"];
const kindNames = { model: "3D", language: "Language" };

const kindName = (kind) => kindNames[kind] ?? words(kind);
const rank = (kind) => (order.includes(kind) ? order.indexOf(kind) : order.length);

/** How many models are shown at first; a button shows the rest. */
const atFirst = 12;

// Models that can be used now come first, then the popular ones.
const appeal = (model) => (model.live ? 2 : 0) + (model.tags.includes("popular") ? 1 : 0);

/** The list with its filters. */
export function modelList({ models, problems, known }) {
  return [problems.map(failure), models.length > 0 ? filtered(models) : problems.length === 0 && nothing(known)];
}

function nothing(known) {
  return h("p", { class: "muted" }, known ? "This service has no models." : "This version of the service does not list its models yet.");
}

function filtered(models) {
  const kinds = [...new Set(models.map((model) => model.kind))].sort((a, b) => rank(a) - rank(b));
  const sorted = kinds.flatMap((kind) => models.filter((model) => model.kind === kind).sort((a, b) => appeal(b) - appeal(a)));
  const grid = h("ul", { class: "models" });
  const status = h("p", { class: "small muted", role: "status" });
  const filter = h("input", { type: "search", placeholder: "Filter by name, id or tag", "aria-label": "Filter models" });
  const showAll = () => {
    draw({ all: true });
    const next = grid.children[atFirst]; // the button is gone, so the focus moves to the first new model
    next.tabIndex = -1;
    next.focus();
  };
  const more = h("button", { class: "quiet more", type: "button", onclick: showAll });
  let chosen = "";

  const draw = ({ all = false } = {}) => {
    const text = filter.value.trim().toLowerCase();
    const seen = sorted.filter((model) => (!chosen || model.kind === chosen) && matches(model, text));
    fill(grid, (all ? seen : seen.slice(0, atFirst)).map(modelCard));
    more.hidden = all || seen.length <= atFirst;
    more.textContent = `Show all ${count(seen.length)}`;
    status.textContent = seen.length === models.length ? `${count(models.length)} models` : `${count(seen.length)} of ${count(models.length)} models`;
    for (const button of choices.children) button.setAttribute("aria-pressed", String(button.value === chosen));
  };
  const choice = (kind, name) => h("button", {
    class: "choice", type: "button", value: kind,
    onclick: () => { chosen = kind; draw(); },
  }, name, " ", h("span", { class: "muted" }, count(kind ? models.filter((model) => model.kind === kind).length : models.length)));
  const choices = h("div", { class: "choices", role: "group", "aria-label": "Kind of model" },
    choice("", "All"), kinds.map((kind) => choice(kind, kindName(kind))));

  filter.addEventListener("input", () => draw());
  draw();
  return h("div", null, h("div", { class: "toolbar" }, choices, filter), status, grid, more);
}

function matches(model, text) {
  return [model.id, model.name, ...model.tags].some((part) => part.toLowerCase().includes(text));
}

function modelCard(model) {
  return h("li", null,
    h("div", { class: "model-head" },
      h("span", { class: "model-name" }, model.name),
      h("span", { class: `kind kind-${order.includes(model.kind) ? model.kind : "other"}` }, kindName(model.kind))),
    model.id !== model.name && h("code", { class: "model-id" }, model.id),
    h("div", { class: "model-foot" },
      model.tags.map((tag) => chip(tag)),
      model.note && h("span", { class: model.live ? "live" : "" }, model.note)));
}
