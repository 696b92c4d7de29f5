// Templates and tools as the service sends them.

import { encoded, get } from "../api";
import type { Tool as CatalogTool } from "../create/catalog";
import type { Argument as SchemaArgument } from "../parts/schema-form";
import { session } from "../session";

export type InputType = "image" | "audio" | "video" | "text" | "number" | "select" | "boolean";

export const inputTypes: InputType[] = ["text", "image", "video", "audio", "number", "select", "boolean"];

export interface TemplateInput {
  name: string;
  type: InputType;
  required?: boolean;
  description?: string;
  default?: any;
  options?: any[];
  multiple?: boolean | { min?: number; max?: number };
  internal?: boolean;
  jsonSchema?: Record<string, any>;
}

export interface Template {
  id: string;
  version: string;
  name: string;
  description?: string;
  brief?: string;
  category: string;
  stability: string;
  author: "system" | { userId: string; displayName: string };
  visibility: "private" | "public";
  inputs: TemplateInput[];
  stages: any[];
  tags: string[];
  exposeToLLM: boolean;
  thumbnailUrl?: string;
  previewArtifacts?: { label?: string; mediaType?: string; url?: string; posterUrl?: string }[];
  clonedFromTemplateId?: string;
  createdAt?: string;
  updatedAt?: string;
}

export const categories = ["portrait", "video-social", "makeover", "cinematic", "music", "analysis", "custom", "other"];
export const stabilities = ["experimental", "beta", "production"];

export const templatesPath = "/v1/creative-agent/workflows/templates";
export const templatePath = (id: string) => templatesPath + encoded`/${id}`;

/** All templates that the account sees, its own or the public ones: there are few enough. */
export async function loadTemplates(visibility: "all" | "own" | "public", signal?: AbortSignal): Promise<Template[]> {
  const out: Template[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: { templates: Template[]; next: number | null } = await get(templatesPath, { query: { visibility, offset, limit: 100 }, signal });
    out.push(...page.templates);
    offset = page.next;
  }
  return out;
}

export const isOwn = (template: Template) =>
  typeof template.author === "object" && template.author.userId.toLowerCase() === session.value?.walletAddress.toLowerCase();

export function pictureOf(template: Template): string | undefined {
  const shown = template.previewArtifacts?.find((artifact) => artifact.posterUrl || artifact.mediaType === "image");
  return template.thumbnailUrl || shown?.posterUrl || shown?.url;
}

export const isMedia = (type: string) => type === "image" || type === "video" || type === "audio";

/** The bounds of a list of values, or undefined for an input with one value. */
export function boundsOf(input: TemplateInput): { min: number; max: number } | undefined {
  if (!input.multiple) return undefined;
  if (input.multiple === true) return { min: 0, max: 64 };
  return { min: input.multiple.min ?? 0, max: input.multiple.max ?? 64 };
}

/** The options of an input: values alone, or with labels. */
export const optionsOf = (input: TemplateInput): { value: any; label: string }[] =>
  (input.options ?? []).map((option) => (option !== null && typeof option === "object" ? { value: option.value, label: option.label || String(option.value) } : { value: option, label: String(option) }));

/** One argument of a tool. */
export type Argument = SchemaArgument & { name: string };

export type Tool = Omit<CatalogTool, "arguments"> & { arguments: Argument[] };

export interface Issue {
  path: string;
  message: string;
  severity: "error" | "warning";
}
