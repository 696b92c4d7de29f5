// The page "models": what each model makes, costs and takes, and who serves it now.

import { useLocation, useRoute } from "preact-iso/router";
import { useEffect, useRef } from "preact/hooks";
import { encoded, get } from "../api";
import { loadCatalog, type Model } from "../create/catalog";
import { useChanges, useData, useTitle } from "../hooks";
import { ModelDetail } from "../models/detail";
import { priceOf, tones } from "../models/facts";
import { Chip } from "../parts/chip";
import { CheckField, Choices } from "../parts/field";
import { Icon, kindIcon } from "../parts/icon";
import { Empty, Failure } from "../parts/notice";
import { text } from "../texts/models";
import type { Sample } from "../types";

const order = { workers: 0, vendor: 1, expected: 2, preview: 3, nobody: 4 };

export default function Page() {
  const { params } = useRoute();
  const catalog = useData(loadCatalog, []);
  const samples = useData((signal) => get("/v1/model-gallery", { signal }).then((d) => d.samplesByModelId), []);
  const demand = useData((signal) => get("/v1/model-demand", { signal }), []);
  // The service caches the demand for 15 s: what changes sooner is read when they are over.
  const read = useRef(Date.now());
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useChanges(["network"], () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        read.current = Date.now();
        demand.reload();
        catalog.reload();
      },
      read.current + 15_000 - Date.now(),
    );
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  if (catalog.error && !catalog.data) return <Failure error={catalog.error} retry={catalog.reload} />;
  if (params.id)
    return (
      <ModelDetail
        id={params.id}
        catalog={catalog.data}
        samples={samples.data?.[params.id] ?? (samples.data && [])}
        demand={demand.data}
        demandError={demand.error}
      />
    );
  return <List models={catalog.data && [...catalog.data.models.values()]} samples={samples.data ?? {}} />;
}

function List({ models, samples }: { models?: Model[]; samples: Record<string, Sample[]> }) {
  useTitle(text.title);
  const { query, route } = useLocation();
  const kind = query.kind ?? "";
  const filter = (change: Record<string, string>) => {
    const next = new URLSearchParams(Object.entries({ ...query, ...change }).filter(([, value]) => value));
    route("/models" + (next.size ? "?" + next : ""), true);
  };
  const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const found = (models ?? [])
    .filter((m) => (!kind || m.mediaType === kind) && (!query.served || m.servedBy !== "nobody"))
    .filter((m) =>
      words.every((w) =>
        `${m.name} ${m.id} ${m.tags.join(" ")} ${(m.parameters.aliases ?? []).join(" ")}`.toLowerCase().includes(w),
      ),
    )
    .sort(
      (a, b) =>
        order[a.servedBy ?? "nobody"] - order[b.servedBy ?? "nobody"] ||
        Number(Boolean(samples[b.id])) - Number(Boolean(samples[a.id])) ||
        Number(b.tags.includes("popular")) - Number(a.tags.includes("popular")),
    );
  const kinds = ["image", "video", "audio", "model", "text"].filter((k) => models?.some((m) => m.mediaType === k));
  return (
    <>
      <div class="page-head">
        <h1>{text.title}</h1>
      </div>
      <div class="model-filters">
        <Choices
          label={text.kind}
          value={kind}
          onInput={(k) => filter({ kind: k })}
          options={[{ value: "", label: text.all }, ...kinds.map((k) => ({ value: k, label: text.kinds[k] }))]}
        />
        <CheckField
          label={text.served}
          value={query.served === "1"}
          onInput={(v) => filter({ served: v ? "1" : "" })}
        />
        <span class="muted small" role="status">
          {models && text.count(found.length)}
        </span>
        <input
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={query.q ?? ""}
          onInput={(event) => filter({ q: event.currentTarget.value })}
        />
      </div>
      {!models ? (
        <div class="waiting" role="status" aria-label={text.title} />
      ) : !found.length ? (
        <Empty title={text.none}>
          {text.noneHelp}{" "}
          <button class="quiet" onClick={() => route("/models", true)}>
            {text.showAll}
          </button>
        </Empty>
      ) : (
        <ul class="model-grid">
          {found.map((m) => (
            <Card key={m.id} model={m} sample={samples[m.id]?.[0]} />
          ))}
        </ul>
      )}
    </>
  );
}

function Card({ model: m, sample }: { model: Model; sample?: Sample }) {
  return (
    <li>
      <a class="model-card" href={encoded`/models/${m.id}`}>
        <span class={`model-sample kind-${m.mediaType}`}>
          {sample?.imageURL ? (
            <img src={sample.imageURL} alt="" loading="lazy" decoding="async" width="320" height="240" />
          ) : (
            <Icon name={kindIcon(m.mediaType)} size={34} />
          )}
        </span>
        <span class="model-head">
          <span class="model-name">{m.name}</span> <span class="muted small tabular">{priceOf(m)}</span>
        </span>
        <span class="row model-facts">
          <Chip>{text.kinds[m.mediaType] ?? m.mediaType}</Chip>
          {m.servedBy && <Chip tone={tones[m.servedBy]}>{text.by[m.servedBy]}</Chip>}
        </span>
        {sample?.preview && <span class="sample-mark">{text.drawn}</span>}
      </a>
    </li>
  );
}
