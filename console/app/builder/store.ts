// Loading, keeping and saving of what the builder edits.

import { ApiError, call, post } from "../api";
import { isOwn, templatePath, templatesPath, type Issue, type Template } from "../template/model";
import { text } from "../texts/builder";
import { read } from "./document";

/** Fields that the service writes. They are no part of the document. */
const written = ["id", "version", "author", "visibility", "createdAt", "updatedAt", "clonedFromTemplateId"];

export function textOf(template: Template): string {
  const fields = Object.entries(template).filter(([name]) => !written.includes(name));
  return JSON.stringify(Object.fromEntries(fields), null, 2) + "\n";
}

export const emptyText = () => JSON.stringify({ name: text.untitled, category: "custom", inputs: [], stages: [] }, null, 2) + "\n";

/** What was not saved survives a reload of the page. */
export const drafts = {
  key: (id: string | undefined) => `atelier.builder.${id ?? "new"}`,
  read(id: string | undefined): string | null {
    try {
      return sessionStorage.getItem(this.key(id));
    } catch {
      return null;
    }
  },
  write(id: string | undefined, value: string | null) {
    try {
      if (value === null) sessionStorage.removeItem(this.key(id));
      else sessionStorage.setItem(this.key(id), value);
    } catch {
      // Storage is full or forbidden: the draft lives as long as the page.
    }
  },
};

/** Saves a document: as a new template, as the next version of an own one, or as a copy of another's. */
export async function save(document: string, template: Template | undefined): Promise<Template> {
  const { value } = read(document);
  if (!template) return (await post(templatesPath, value)).template;
  let target = template;
  if (!isOwn(template)) target = (await post(`${templatePath(template.id)}/fork`, typeof value.name === "string" && value.name ? { name: value.name } : {})).template;
  // The service keeps what a change does not name: fields that were removed are sent as null.
  const gone = Object.keys(target).filter((name) => !written.includes(name) && !(name in value)).map((name) => [name, null]);
  return (await call("PATCH", templatePath(target.id), { body: { ...Object.fromEntries(gone), ...value } })).template;
}

/** The issues of a refused template, or undefined for another error. */
export const issuesOf = (error: unknown): Issue[] | undefined => (error instanceof ApiError ? error.body?.data?.validation?.issues : undefined);
