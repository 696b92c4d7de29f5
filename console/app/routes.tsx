// Every page of the console: its address, its name and its module, which is loaded when
// the page is opened.

import lazy from "preact-iso/lazy";
import type { IconName } from "./parts/icon";
import { text } from "./texts/shell";

export interface Page {
  path: string;
  component: any;
  /** For the navigation; a page without a group is reached from another one. */
  name?: string;
  icon?: IconName;
  group?: "make" | "see" | "account" | "end";
  access?: "operator" | "public";
}

const create = lazy(() => import("./pages/create"));
const chat = lazy(() => import("./pages/chat"));
const workflows = lazy(() => import("./pages/workflows"));
const workflow = lazy(() => import("./pages/workflow"));
const templates = lazy(() => import("./pages/templates"));
const template = lazy(() => import("./pages/template"));
const builder = lazy(() => import("./pages/builder"));
const library = lazy(() => import("./pages/library"));
const models = lazy(() => import("./pages/models"));
const usage = lazy(() => import("./pages/usage"));
const network = lazy(() => import("./pages/network"));
const keys = lazy(() => import("./pages/keys"));
const operator = lazy(() => import("./pages/operator"));
const reference = lazy(() => import("./pages/reference"));

export const pages: Page[] = [
  { path: "/", component: create, name: text.pages.create, icon: "create", group: "make" },
  { path: "/chat", component: chat, name: text.pages.chat, icon: "chat", group: "make" },
  { path: "/chat/:id", component: chat },
  { path: "/templates", component: templates, name: text.pages.templates, icon: "template", group: "make" },
  { path: "/templates/new", component: builder },
  { path: "/templates/:id", component: template },
  { path: "/templates/:id/edit", component: builder },
  { path: "/workflows", component: workflows, name: text.pages.workflows, icon: "workflow", group: "see" },
  { path: "/workflows/:id", component: workflow },
  { path: "/library", component: library, name: text.pages.library, icon: "library", group: "see" },
  { path: "/models", component: models, name: text.pages.models, icon: "model", group: "see" },
  { path: "/models/:id", component: models },
  { path: "/network", component: network, name: text.pages.network, icon: "network", group: "see" },
  { path: "/usage", component: usage, name: text.pages.usage, icon: "usage", group: "account" },
  { path: "/keys", component: keys, name: text.pages.keys, icon: "key", group: "account" },
  { path: "/operator", component: operator, name: text.pages.operator, icon: "operator", group: "account", access: "operator" },
  { path: "/operator/:area", component: operator, access: "operator" },
  { path: "/operator/:area/:id", component: operator, access: "operator" },
  { path: "/docs", component: reference, name: text.pages.docs, icon: "docs", group: "end", access: "public" },
];
