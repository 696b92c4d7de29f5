// The page "models": what each model makes, costs and takes, and who serves it now.

import { useLocation, useRoute } from "preact-iso/router";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { encoded, get } from "../api";
import { loadCatalog, type Catalog, type Model } from "../create/catalog";
import { useChanges, useData, useTitle } from "../hooks";
import { ModelDetail } from "../models/detail";
import { priceOf, tones } from "../models/facts";
import { firstTools, grouped, lineOf, search, tagsOf } from "../models/groups";
import { Chip } from "../parts/chip";
import { CheckField, Choices } from "../parts/field";
import { Guide } from "../parts/guide";
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
  return <List catalog={catalog.data} samples={samples.data ?? {}} />;
}

/** Who is served by a worker or a vendor, or about to be: the preview renderer has no models. */
const isServed = (m: Model) => m.servedBy !== "nobody" && m.servedBy !== "preview";

function List({ catalog, samples }: { catalog?: Catalog; samples: Record<string, Sample[]> }) {
  useTitle(text.title);
  const { query, route } = useLocation();
  const kind = query.kind ?? "";
  const filter = (change: Record<string, string>) => {
    const next = new URLSearchParams(Object.entries({ ...query, ...change }).filter(([, value]) => value));
    route("/models" + (next.size ? "?" + next : ""), true);
  };
  const models = catalog && [...catalog.models.values()];
  const tools = useMemo(() => firstTools(catalog?.tools ?? []), [catalog]);
  const searched = search(models ?? [], tools, query.q ?? "");
  const found = (models ?? [])
    .filter((m) => searched.has(m) && (!kind || m.mediaType === kind) && (!query.served || isServed(m)))
    .sort(
      (a, b) =>
        order[a.servedBy ?? "nobody"] - order[b.servedBy ?? "nobody"] ||
        Number(Boolean(samples[b.id])) - Number(Boolean(samples[a.id])) ||
        Number(b.tags.includes("popular")) - Number(a.tags.includes("popular")),
    );
  // Said once above the cards, where it holds for most of them.
  const isPreviewed = found.filter((m) => m.servedBy === "preview").length > found.length / 2;
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
        <Empty title={query.served ? text.noneServed : text.none}>
          {query.served ? text.noneServedHelp : text.noneHelp}{" "}
          <button class="quiet" onClick={() => route("/models", true)}>
            {text.showAll}
          </button>
          {query.served && (
            <>
              {" "}
              <Guide page="own-gpu">{text.ownGPU}</Guide>
            </>
          )}
        </Empty>
      ) : (
        <>
          {isPreviewed && <p class="muted small model-previewed">{text.previewed}</p>}
          {grouped(found, tools).map((group) => (
            <section key={group.key} class="model-group">
              <h2>
                {group.name} <span class="muted">{group.models.length}</span>
              </h2>
              {runsOf(group.models, (m) => Boolean(samples[m.id]?.[0]?.imageURL)).map((run) => (
                <ul class="model-grid" key={run[0].id}>
                  {run.map((m) => (
                    <Card
                      key={m.id}
                      model={m}
                      line={lineOf(m, tools.get(m.id))}
                      sample={samples[m.id]?.[0]}
                      isPreviewed={isPreviewed}
                    />
                  ))}
                </ul>
              ))}
            </section>
          ))}
        </>
      )}
    </>
  );
}

/** Neighbours that are alike, together: cards with a picture are higher than the others. */
function runsOf(models: Model[], hasPicture: (m: Model) => boolean): Model[][] {
  const out: Model[][] = [];
  for (const m of models) {
    if (out.length && hasPicture(out.at(-1)![0]) === hasPicture(m)) out.at(-1)!.push(m);
    else out.push([m]);
  }
  return out;
}

interface CardProps {
  model: Model;
  line: string;
  sample?: Sample;
  isPreviewed: boolean;
}

function Card({ model: m, line, sample, isPreviewed }: CardProps) {
  const tags = tagsOf(m);
  return (
    <li>
      <a class="model-card" href={encoded`/models/${m.id}`}>
        {sample?.imageURL && (
          <span class="model-sample">
            <img src={sample.imageURL} alt="" loading="lazy" decoding="async" width="320" height="240" />
          </span>
        )}
        <span class="model-head">
          <span class="model-name">{m.name}</span> <span class="muted small tabular">{priceOf(m)}</span>
        </span>
        <span class="small model-line">{line}</span>
        <span class="row model-facts">
          {tags.length > 0 && <span class="small muted">{tags.join(" · ")}</span>}
          {m.servedBy && !(isPreviewed && m.servedBy === "preview") && (
            <Chip tone={tones[m.servedBy]}>{text.by[m.servedBy]}</Chip>
          )}
        </span>
        {sample?.preview && !isPreviewed && <span class="sample-mark">{text.drawn}</span>}
      </a>
    </li>
  );
}
