// Workflows of ComfyUI that operators bring: a form for another one, and those that are models.

import { useState } from "preact/hooks";
import { del, get } from "../api";
import { words } from "../format";
import { useData } from "../hooks";
import { Chip } from "../parts/chip";
import { Empty, Failure, Notice } from "../parts/notice";
import { text } from "../texts/graphs";
import type { Graph } from "../types";
import { GraphForm } from "./graph-form";
import { TryGraph } from "./graph-try";
import { ActionDialog } from "./parts";

export function Graphs() {
  const list = useData((signal) => get("/v1/operator/graphs", { signal }), []);
  const [removing, setRemoving] = useState<Graph>();
  const graphs = list.data?.graphs;
  return (
    <>
      <GraphForm onSaved={list.reload} />
      <section class="stack">
        <h2>{text.list}</h2>
        {list.error && <Failure error={list.error} retry={list.reload} />}
        {!graphs && !list.error && <div class="waiting" />}
        {graphs?.length === 0 && (
          <Empty title={text.none}>
            <p>{text.noneHelp}</p>
          </Empty>
        )}
        {graphs?.map((g) => (
          <GraphPanel key={g.name} graph={g} onRemove={() => setRemoving(g)} />
        ))}
      </section>
      {removing && (
        <ActionDialog
          title={text.removeTitle(removing.title)}
          about={text.removeText}
          confirm={text.remove}
          danger
          onClose={() => setRemoving(undefined)}
          run={async (reason) => {
            await del("/v1/operator/graphs/{name}", { path: { name: removing.name }, query: { reason } });
            list.reload();
          }}
        />
      )}
    </>
  );
}

function GraphPanel({ graph: g, onRemove }: { graph: Graph; onRemove: () => void }) {
  const [isTried, setTried] = useState(false);
  return (
    <article class="panel connection" aria-label={g.title}>
      <header class="row">
        <h3 class="cut">{g.title}</h3>
        {g.problem && <Chip tone="warn">{text.unused}</Chip>}
        <span class="grow" />
        {!g.problem && (
          <button class="quiet" aria-expanded={isTried} onClick={() => setTried(!isTried)}>
            {text.tryIt}
          </button>
        )}
        <button class="quiet danger" onClick={onRemove}>
          {text.remove}
        </button>
      </header>
      <p class="small">
        <code>{g.name}</code> <span class="muted">{text.makes(words(g.tool), g.type)}</span>
      </p>
      {g.problem && <Notice tone="warn">{g.problem}</Notice>}
      {isTried && <TryGraph graph={g} />}
    </article>
  );
}
