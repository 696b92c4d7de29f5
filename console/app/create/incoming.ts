// Reads what an address names: a workflow to restore, a result or a saved upload to work from.

import { get } from "../api";
import type { Query } from "./address";
import type { Catalog } from "./catalog";
import { formOf, settle, type ChosenLora, type Form } from "./form";
import { choose, loadLoras } from "./loras";
import type { Pointer } from "./pointer";
import { referTo, referToAsset } from "./reference";

/** The form with which a step of a workflow was made. */
export async function readMade(
  workflowId: string,
  stepId: string,
  catalog: Catalog,
  loraName: (id: string) => string,
): Promise<Form | undefined> {
  const { workflow } = await get("/v1/creative-agent/workflows/{id}", { path: { id: workflowId } });
  const made = formOf(workflow, stepId, catalog.tools, referTo, loraName);
  return made && settle(made, catalog);
}

/** The reference that comes with an address. */
export async function readReference(query: Query): Promise<{ kind: string; pointer: Pointer } | undefined> {
  if (query.reference) {
    const { artifact: a } = await get("/v1/artifacts/{id}", { path: { id: query.reference } });
    return { kind: a.kind, pointer: referTo(a.kind, a.url, a.prompt || a.kind, a.thumbnailUrl) };
  }
  if (query.asset) {
    const asset = (await get("/v1/assets")).assets.find((a) => a.id === query.asset);
    if (asset) return { kind: asset.contentType.split("/")[0], pointer: await referToAsset(asset) };
  }
}

/** The LoRA that comes with an address, as strong as it is meant to be. */
export async function readLora(id: string): Promise<ChosenLora | undefined> {
  const row = (await loadLoras()).rows.find((l) => l.loraId === id);
  return row && choose(row);
}
