// Loading, keeping and saving of what the builder edits.

import { ApiError, patch, post } from "../api";
import { isOwn } from "../template/load";
import type { Issue as ApiIssue, Template } from "../types";
import { textOf } from "../json";
import { text } from "../texts/builder";
import { issuesFrom, read, type Issue } from "./document";

/** Fields that the service writes. They are no part of the document. */
const written = ["id", "version", "author", "visibility", "createdAt", "updatedAt", "clonedFromTemplateId"];

export function documentOf(template: Template): string {
  const fields = Object.entries(template).filter(([name]) => !written.includes(name));
  return JSON.stringify(Object.fromEntries(fields), null, 2) + "\n";
}

/** What a new template begins with, and the name of the draft of it. */
export interface Start {
  draft?: string;
  text: string;
}

/** A new template that is made from a workflow. Its draft is its own. */
export const startOf = (workflow: string, template: object): Start => ({
  draft: `from.${workflow}`,
  text: JSON.stringify(template, null, 2) + "\n",
});

export const emptyText = () =>
  JSON.stringify({ name: text.untitled, category: "custom", inputs: [], stages: [] }, null, 2) + "\n";

/** What was not saved survives a reload of the page, with the version that it was made from. */
export const drafts = {
  key: (id: string | undefined) => `atelier.builder.${id ?? "new"}`,
  versionKey: (id: string | undefined) => `atelier.builder-version.${id ?? "new"}`,
  read(id: string | undefined): { text: string; version?: string } | null {
    try {
      const text = sessionStorage.getItem(this.key(id));
      return text === null ? null : { text, version: sessionStorage.getItem(this.versionKey(id)) ?? undefined };
    } catch {
      return null;
    }
  },
  write(id: string | undefined, text: string | null, version?: string) {
    try {
      if (text === null) sessionStorage.removeItem(this.key(id));
      else sessionStorage.setItem(this.key(id), text);
      if (text === null || !version) sessionStorage.removeItem(this.versionKey(id));
      else sessionStorage.setItem(this.versionKey(id), version);
    } catch {
      // Storage is full or forbidden: the draft lives as long as the page.
    }
  },
};

/** Saves a document: as a new template, as the version after that of an own one, or as a copy of another's. */
export async function save(document: string, template: Template | undefined): Promise<Template> {
  const value = read(document).value ?? {};
  if (!template) return (await post("/v1/creative-agent/workflows/templates", value)).template;
  const target = isOwn(template) ? template : await fork(template, textOf(value.name));
  // The service keeps what a change does not name: fields that were removed are sent as null.
  const gone = Object.keys(target)
    .filter((name) => !written.includes(name) && !(name in value))
    .map((name) => [name, null]);
  const body = { ...Object.fromEntries(gone), ...value, replaces: target.version };
  return (await patch("/v1/creative-agent/workflows/templates/{id}", body, { path: { id: target.id } })).template;
}

async function fork({ id }: Template, name: string): Promise<Template> {
  const body = name ? { name } : {};
  return (await post("/v1/creative-agent/workflows/templates/{id}/fork", body, { path: { id } })).template;
}

/** The issues of a refused template, or undefined for another error. */
export const issuesOf = (error: unknown): Issue[] | undefined =>
  error instanceof ApiError && error.failure.data ? issuesFrom(error.failure.data.validation.issues) : undefined;

/** What a refused start says about the template: when it was saved first, or when it was started. */
export function refusalsOf(error: unknown): Issue[] {
  const compiled = error instanceof ApiError ? ((error.failure.details?.compileErrors ?? []) as ApiIssue[]) : [];
  return (issuesOf(error) ?? issuesFrom(compiled)).filter((issue) => issue.severity === "error");
}

/** The version that a template has meanwhile, of a refused change that was made from an older one. */
export const newerVersion = (error: unknown): string | undefined =>
  (error instanceof ApiError && error.status === 409 && textOf(error.failure.details?.version)) || undefined;
