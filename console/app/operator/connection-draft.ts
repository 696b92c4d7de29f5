// What the form of a connection holds, and the body of a request that it becomes.

import type { Bodies, Connection, FoundModel, FoundServer, LLMModel } from "../types";

export type Kind = Connection["kind"];

export const kinds: Kind[] = ["llm", "comfyui", "images", "vendor", "lora_source"];

export interface Draft {
  kind: Kind;
  name: string;
  baseUrl: string;
  apiKey: string;
  /** The stored key is removed. */
  dropKey: boolean;
  /** Language models. None: those that the server lists. */
  llmModels: LLMModel[];
  /** Models of the catalog, a line each: the id, or the id = the server's name. */
  models: string;
  protocol: string;
  adapter: string;
  /** The folder of a ComfyUI, as the service sees it. */
  modelsDir: string;
  site: "huggingface" | "civitai";
  host: string;
}

type Settings = Omit<Bodies["POST /v1/operator/connections"], "name" | "apiKey" | "reason">;

/** The settings of a connection, whatever its kind. */
const settingsOf = (c: Connection) => c.llm ?? c.comfyui ?? c.images ?? c.vendor ?? c.loraSource;

export const addressOf = (c: Connection) => settingsOf(c)?.baseUrl ?? "";

/** The models that a connection offers. Those of a ComfyUI depend on its files. */
export function modelsOf(c: Connection): string[] {
  if (c.comfyui) return c.health?.models.map((m) => m.id) ?? [];
  return (c.llm ?? c.images ?? c.vendor)?.models.map((m) => m.id) ?? [];
}

/** What an operator has connected. The others are named by the program itself. */
export const isConnected = (c: Connection) => c.from !== "default";

export const firstProtocol = (kind: Kind) => (kind === "llm" ? "openai" : "openai-images");

export function emptyDraft(kind: Kind = "llm"): Draft {
  return {
    kind,
    name: "",
    baseUrl: "",
    apiKey: "",
    dropKey: false,
    llmModels: [],
    models: "",
    protocol: firstProtocol(kind),
    adapter: "",
    modelsDir: "",
    site: "huggingface",
    host: "",
  };
}

export const draftOfServer = (s: FoundServer): Draft => ({
  ...emptyDraft(s.kind),
  name: s.program.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
  baseUrl: s.baseUrl,
});

const line = (m: { id: string; upstreamId?: string }) => (m.upstreamId ? `${m.id} = ${m.upstreamId}` : m.id);

export function draftOf(c: Connection): Draft {
  return {
    ...emptyDraft(c.kind),
    name: c.name,
    baseUrl: addressOf(c),
    llmModels: c.llm?.models ?? [],
    models: c.comfyui
      ? (c.comfyui.models ?? []).join("\n")
      : ((c.images ?? c.vendor)?.models.map(line).join("\n") ?? ""),
    protocol: (c.llm ?? c.images ?? c.vendor)?.protocol ?? firstProtocol(c.kind),
    adapter: c.vendor?.adapter ?? "",
    modelsDir: c.comfyui?.modelsDir ?? "",
    site: c.loraSource?.site === "civitai" ? "civitai" : "huggingface",
    host: c.loraSource?.host ?? "",
  };
}

/** The models of the lines of a field. */
export function readModels(lines: string) {
  return lines
    .split(/[\n,]/)
    .map((text) => text.split("=").map((part) => part.trim()))
    .filter(([id]) => id)
    .map(([id, upstreamId]) => ({ id, upstreamId: upstreamId || undefined }));
}

/** An address as a person types it, with its scheme: plain HTTP for this machine, addresses in digits and ports. */
export function addressTyped(text: string): string {
  const address = text.trim();
  if (!address || address.includes("://")) return address;
  return /^(localhost|[\d.]+|\[.*\]|[^/]*:\d+)(?=[:/]|$)/.test(address) ? `http://${address}` : `https://${address}`;
}

/** The settings in a request. What the form does not show stays as the connection has it. */
export function settings(d: Draft, before?: Connection): Settings {
  const baseUrl = addressTyped(d.baseUrl);
  const models = readModels(d.models);
  switch (d.kind) {
    case "llm":
      return {
        llm: {
          ...before?.llm,
          baseUrl,
          protocol: d.protocol === "anthropic" ? "anthropic" : "openai",
          models: d.llmModels.length ? d.llmModels : undefined,
        } as Settings["llm"],
      };
    case "comfyui":
      return { comfyui: { baseUrl, models: models.map((m) => m.id), modelsDir: d.modelsDir.trim() || undefined } };
    case "images":
      return { images: { baseUrl, models, protocol: d.protocol === "sdcpp" ? "sdcpp" : "openai-images" } };
    case "vendor":
      return {
        vendor: {
          ...before?.vendor,
          baseUrl,
          models,
          protocol: d.protocol === "queue" ? "queue" : "openai-images",
          adapter: d.protocol === "queue" ? d.adapter.trim() : undefined,
        },
      };
    case "lora_source":
      return { loraSource: { baseUrl, host: d.host.trim(), site: d.site } };
  }
}

/** Adds a language model that the server may not list. */
export function named(models: LLMModel[], name: string): LLMModel[] {
  const id = name.trim();
  return !id || models.some((m) => m.id === id) ? models : [...models, { id, vision: false, reasoning: false }];
}

/** Adds or removes a model that a server has. */
export function toggle(models: LLMModel[], found: FoundModel): LLMModel[] {
  const rest = models.filter((m) => m.id !== found.id);
  if (rest.length < models.length) return rest;
  return [...models, { id: found.id, vision: found.vision, reasoning: found.reasoning }];
}
