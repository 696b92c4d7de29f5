// The LoRAs that the service offers to everyone, and the way to use each.

import { useState } from "preact/hooks";
import { get } from "../api";
import { LoraCard, withWords } from "../create/lora-parts";
import { loraLink } from "../create/lora-link";
import { useData } from "../hooks";
import { TextField } from "../parts/field";
import { Empty, Failure } from "../parts/notice";
import { text } from "../texts/library";
import type { CatalogEntry } from "../types";

const words = text.loras;

export function Offered({ models }: { models: Map<string, CatalogEntry> }) {
  const [query, setQuery] = useState("");
  const list = useData(async (signal) => {
    const [{ loras }, { tools }] = await Promise.all([
      get("/v1/loras/comfy", { signal }),
      get("/v1/tools", { signal }),
    ]);
    return { loras, tools };
  }, []);
  if (list.error && !list.data) return <Failure error={list.error} retry={list.reload} />;
  if (!list.data?.loras.length) return null;
  const { loras, tools } = list.data;
  const found = withWords(loras, query);
  return (
    <section class="stack" aria-label={words.offered}>
      <header class="row lora-head">
        <h2 class="grow">
          {words.offered} <span class="muted">{loras.length}</span>
        </h2>
        <TextField label={words.search} value={query} onInput={setQuery} type="search" />
      </header>
      {!found.length && <Empty title={words.noneFound} />}
      <ul class="lora-offers">
        {found.map((lora) => (
          <li class="panel" key={lora.loraId}>
            <LoraCard lora={lora} kind={models.get(lora.modelIds[0])?.mediaType}>
              <span class="small">{words.worksWith(lora.modelIds.map((id) => models.get(id)?.name ?? id))}</span>
              <a class="small" href={loraLink(lora, tools)} aria-label={words.useOne(lora.name)}>
                {words.use}
              </a>
            </LoraCard>
          </li>
        ))}
      </ul>
    </section>
  );
}
