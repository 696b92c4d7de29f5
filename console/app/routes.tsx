// Every page of the console: its address, its name and its module, which is loaded when
// the page is opened.

import { lazyPage } from "./load";
import type { IconName } from "./parts/icon";
import { text } from "./texts/shell";

export interface Page {
  path: string;
  component: ReturnType<typeof lazyPage>;
  /** What pages that share it hold stays when the address changes between them. */
  key?: string;
  /** For the navigation; a page without a group is reached from another one. */
  name?: string;
  icon?: IconName;
  group?: "make" | "see" | "account" | "end";
  access?: "operator" | "public";
}

const create = lazyPage("create", () => import("./pages/create"));
const chat = lazyPage("chat", () => import("./pages/chat"));
const workflows = lazyPage("workflows", () => import("./pages/workflows"));
const workflow = lazyPage("workflow", () => import("./pages/workflow"));
const compare = lazyPage("compare", () => import("./pages/compare"));
const templates = lazyPage("templates", () => import("./pages/templates"));
const template = lazyPage("template", () => import("./pages/template"));
const builder = lazyPage("builder", () => import("./pages/builder"));
const library = lazyPage("library", () => import("./pages/library"));
const models = lazyPage("models", () => import("./pages/models"));
const usage = lazyPage("usage", () => import("./pages/usage"));
const network = lazyPage("network", () => import("./pages/network"));
const account = lazyPage("account", () => import("./pages/account"));
const webhooks = lazyPage("webhooks", () => import("./pages/webhooks"));
const operator = lazyPage("operator", () => import("./pages/operator"));
const reference = lazyPage("reference", () => import("./pages/reference"));

export const pages: Page[] = [
  { path: "/", component: create, name: text.pages.create, icon: "create", group: "make" },
  { path: "/chat", component: chat, key: "chat", name: text.pages.chat, icon: "chat", group: "make" },
  { path: "/chat/:id", component: chat, key: "chat" },
  { path: "/templates", component: templates, name: text.pages.templates, icon: "template", group: "make" },
  { path: "/templates/new", component: builder, key: "builder" },
  { path: "/templates/:id", component: template },
  { path: "/templates/:id/edit", component: builder, key: "builder" },
  { path: "/workflows", component: workflows, name: text.pages.workflows, icon: "workflow", group: "see" },
  { path: "/workflows/compare", component: compare },
  { path: "/workflows/:id", component: workflow },
  { path: "/library", component: library, name: text.pages.library, icon: "library", group: "see" },
  { path: "/models", component: models, name: text.pages.models, icon: "model", group: "see" },
  { path: "/models/:id", component: models },
  { path: "/network", component: network, name: text.pages.network, icon: "network", group: "see" },
  { path: "/usage", component: usage, name: text.pages.usage, icon: "usage", group: "account" },
  { path: "/account", component: account, name: text.pages.account, icon: "key", group: "account" },
  { path: "/keys", component: account }, // its earlier address
  {
    path: "/webhooks",
    component: webhooks,
    key: "webhooks",
    name: text.pages.webhooks,
    icon: "send",
    group: "account",
  },
  { path: "/webhooks/:id", component: webhooks, key: "webhooks" },
  {
    path: "/operator",
    component: operator,
    name: text.pages.operator,
    icon: "operator",
    group: "account",
    access: "operator",
  },
  { path: "/operator/:area", component: operator, access: "operator" },
  { path: "/operator/:area/:id", component: operator, access: "operator" },
  { path: "/docs", component: reference, name: text.pages.docs, icon: "docs", group: "end", access: "public" },
];
