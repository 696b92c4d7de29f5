// One model: samples whose settings can be used, price, parameters, who serves it, LoRAs.

import { encoded } from "../api";
import type { Catalog, Model, Tool } from "../create/catalog";
import { createLink } from "../create/address";
import { useLoras } from "../create/loras";
import { words } from "../format";
import { useTitle } from "../hooks";
import { isObject } from "../json";
import { Chip } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import type { MediaItem } from "../parts/item";
import { openLightbox } from "../parts/lightbox";
import { Thumbnail } from "../parts/media";
import { Empty, Failure } from "../parts/notice";
import { Table } from "../parts/table";
import type { ParameterRange } from "../parts/arguments";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/models";
import type { DemandReply, ModelDemand, Sample } from "../types";
import { priceOf, tones } from "./facts";
import { lineOf } from "./groups";
import { RunIt } from "./run";

export function ModelDetail({
  id,
  catalog,
  samples,
  demand,
  demandError,
}: {
  id: string;
  catalog?: Catalog;
  samples?: Sample[];
  demand?: DemandReply;
  demandError?: Error;
}) {
  const model = catalog?.models.get(id);
  useTitle(model?.name ?? text.title);
  if (!catalog) return <div class="waiting" role="status" aria-label={text.title} />;
  if (!model)
    return (
      <Empty title={text.missing}>
        {text.missingHelp} <a href="/models">{text.back}</a>
      </Empty>
    );
  const tools = catalog.tools.filter((t) => t.models.some((m) => m.modelId === id));
  return (
    <>
      <p class="small">
        <a href="/models">{text.back}</a>
      </p>
      <div class="page-head">
        <div class="stack">
          <h1>{model.name}</h1>
          <div class="row">
            <Chip>{text.kinds[model.mediaType] ?? model.mediaType}</Chip>
            {model.servedBy && <Chip tone={tones[model.servedBy]}>{text.by[model.servedBy]}</Chip>}
          </div>
        </div>
        {tools[0] && (
          <a class="primary" href={createLink({ tool: tools[0].name, model: nameFor(tools[0], id) })}>
            {text.useModel}
          </a>
        )}
      </div>
      <p class="model-about">
        {lineOf(model, tools[0])}. {model.servedBy && <span class="muted">{text.about[model.servedBy]}</span>}
      </p>
      <div class="panels model-panels">
        <Samples model={model} tools={tools} samples={samples} />
        <Facts model={model} tools={tools} />
        <Serving id={id} demand={demand} error={demandError} />
        <RunIt model={model} />
        <Parameters model={model} />
        <Loras model={model} tools={tools} />
      </div>
    </>
  );
}

/** The name by which a tool chooses a model. */
const nameFor = (tool: Tool, id: string) => tool.models.find((m) => m.modelId === id)?.selectors[0] ?? id;

function Samples({ model, tools, samples }: { model: Model; tools: Tool[]; samples?: Sample[] }) {
  const tool = tools.find((t) => t.arguments.some((a) => a.name === "prompt") && !t.needs.length) ?? tools[0];
  const items = (samples ?? [])
    .filter((s) => s.imageURL || s.videoURL)
    .map((s, i): MediaItem => ({
      id: String(i),
      kind: s.videoURL ? "video" : "image",
      url: s.videoURL ?? s.imageURL,
      thumbnailUrl: s.imageURL,
      width: s.width,
      height: s.height,
      label: s.positivePrompt,
    }));
  const link = (s: Sample) => {
    const given: Record<string, unknown> = {
      prompt: s.positivePrompt,
      negativePrompt: s.negativePrompt,
      seed: s.seed,
      guidance: s.guidance || undefined,
      ...(s.videoURL ? {} : { width: s.width, height: s.height }),
    }; // 0 is unknown
    const values = Object.fromEntries(
      Object.entries(given).filter(
        ([name, value]) => value !== undefined && value !== "" && tool?.arguments.some((a) => a.name === name),
      ),
    );
    return createLink({ tool: tool?.name, model: tool && nameFor(tool, model.id), values });
  };
  if (samples && !items.length) return null;
  return (
    <section class="panel model-samples">
      <h2>{text.samples}</h2>
      {samples?.some((s) => s.preview) && <p class="muted small">{text.samplesDrawn}</p>}
      {!samples ? (
        <div class="waiting" />
      ) : (
        <ul class="sample-list">
          {items.map((item, i) => (
            <li key={item.id}>
              <button class="result-open" onClick={() => openLightbox(items, i)} aria-label={item.label}>
                <Thumbnail item={{ ...item, label: "" }} />
              </button>
              <p class="small">{samples[i].positivePrompt}</p>
              <p class="row small muted">
                {samples[i].seed !== undefined && (
                  <span>
                    {text.seed} {samples[i].seed}
                  </span>
                )}
                {Boolean(samples[i].steps) && (
                  <span>
                    {samples[i].steps} {text.steps}
                  </span>
                )}
                {tool && (
                  <a class="quiet" href={link(samples[i])}>
                    {text.use}
                  </a>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Facts({ model, tools }: { model: Model; tools: Tool[] }) {
  const p = model.parameters;
  const source = model.attribution;
  return (
    <section class="panel">
      <h2>{text.priceTitle}</h2>
      <p class="figure">{priceOf(model)}</p>
      <p class="muted small model-price">
        {text.atDefaults}
        {p.costPerBaseRenderInUSD !== undefined &&
          ` · ${text.price(String(p.costPerBaseRenderInUSD).replace(/(\.\d\d\d*?)0+$/, "$1"))}`}
        {p.isExternalAPI && ` · ${text.external}`}
      </p>
      <dl class="facts">
        <Fact name={text.tools} class="row">
          {tools.map((t) => (
            <a key={t.name} href={createLink({ tool: t.name, model: nameFor(t, model.id) })}>
              {words(t.name)}
            </a>
          ))}
        </Fact>
        {Object.entries(text.needs)
          .filter(([name]) => p[name])
          .map(([name, sentence]) => (
            <Fact key={name} name={text.inputs}>
              {sentence}
            </Fact>
          ))}
        {p.referenceLimits && <Fact name={text.inputs}>{text.limits(p.referenceLimits)}</Fact>}
        {model.tags.length > 0 && <Fact name={text.tags}>{model.tags.map(words).join(", ")}</Fact>}
        <Fact name={text.identifiers} class="row">
          {[model.id, ...(p.aliases ?? [])].map((name) => (
            <span key={name}>
              <code>{name}</code>
              <CopyButton value={name} />
            </span>
          ))}
        </Fact>
        {source && (
          <Fact name={text.by2}>
            {source.creatorUrl ? (
              <a href={source.creatorUrl} rel="noreferrer">
                {source.creator}
              </a>
            ) : (
              source.creator
            )}
          </Fact>
        )}
        {source?.license && (
          <Fact name={text.license}>
            {source.licenseUrl ? (
              <a href={source.licenseUrl} rel="noreferrer">
                {source.license}
              </a>
            ) : (
              source.license
            )}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Serving({ id, demand, error }: { id: string; demand?: DemandReply; error?: Error }) {
  const entry = demand?.models.find((m) => m.id === id);
  return (
    <section class="panel">
      <h2>{text.networks}</h2>
      {error && !demand ? (
        <p class="muted">{text.unknown}</p>
      ) : !demand ? (
        <div class="waiting" />
      ) : (
        <Table
          label={text.networks}
          // A model without an entry in a network that answers has zero of everything.
          rows={demand.networks.map((network): [string, Partial<ModelDemand>] => [
            network,
            entry?.networks[network] ?? {},
          ])}
          keyOf={([network]) => network}
          columns={[
            {
              name: text.network,
              cell: ([network, n]) => (
                <>
                  {words(network)}{" "}
                  {(n.servedBy === "preview" || n.servedBy === "expected") && (
                    <Chip tone="warn">{text.by[n.servedBy]}</Chip>
                  )}
                </>
              ),
            },
            {
              name: text.workers,
              number: true,
              // Preview renderers are ready for a model that they do not have.
              cell: ([, n]) =>
                n.servedBy === "preview" || n.servedBy === "expected" ? (
                  0
                ) : (
                  <>
                    {n.workersReady ?? 0}
                    {n.workersLoaded ? (
                      <span class="muted small">
                        {" "}
                        {n.workersLoaded} {text.loaded}
                      </span>
                    ) : null}
                  </>
                ),
            },
            { name: text.active, number: true, cell: ([, n]) => n.jobsActive ?? 0 },
            {
              name: text.queued,
              number: true,
              cell: ([, n]) => (
                <>
                  {n.jobsQueued ?? 0}
                  {n.jobsWaitingForWorker ? (
                    <span class="muted small"> {text.waiting(n.jobsWaitingForWorker)}</span>
                  ) : null}
                </>
              ),
            },
          ]}
        />
      )}
      <p class="small">
        <a href={encoded`/network?model=${id}`}>{text.seeNetwork}</a>
      </p>
    </section>
  );
}

const rangeOf = ({ allowed, min, max, step }: ParameterRange) =>
  allowed
    ? allowed.join(", ")
    : min !== undefined
      ? `${min} ${text.to} ${max}${step ? `, ${text.step(step)}` : ""}`
      : "";

function Parameters({ model }: { model: Model }) {
  const ranges = Object.entries(model.parameters).flatMap(([name, v]) =>
    isObject(v) && ("default" in v || "allowed" in v || "min" in v)
      ? [{ name: labelOf(name), range: rangeOf(v as ParameterRange), standard: String(v.default ?? "") }]
      : [],
  );
  const { outputResolutions: resolutions = [], ratios = [] } = model.parameters;
  if (resolutions.length) {
    const sizes = resolutions.map((r) => `${r}p`).join(", ");
    ranges.push({ name: text.resolutions, range: [sizes, ratios.join(", ")].filter(Boolean).join("; "), standard: "" });
  }
  if (!ranges.length) return null;
  return (
    <section class="panel">
      <h2>{text.parameters}</h2>
      <Table
        label={text.parameters}
        rows={ranges}
        keyOf={(r) => r.name}
        isSmall
        columns={[
          { name: text.parameter, cell: (r) => r.name },
          { name: text.range, cell: (r) => r.range },
          { name: text.standard, class: "tabular", cell: (r) => r.standard },
        ]}
      />
    </section>
  );
}

/** The LoRAs that the model loads, each as the way to Create with it. */
function Loras({ model: { id }, tools }: { model: Model; tools: Tool[] }) {
  const loras = useLoras();
  const fitting = loras.data?.rows.filter((l) => l.modelIds.includes(id));
  const tool = tools[0];
  if (!loras.error && !fitting?.length) return null;
  return (
    <section class="panel">
      <h2>{text.loras}</h2>
      {loras.error ? (
        <Failure error={loras.error} retry={loras.reload} />
      ) : (
        <ul class="model-loras" aria-label={text.loras}>
          {fitting!.map((l) => (
            <li key={l.loraId}>
              <a href={createLink({ tool: tool?.name, model: tool && nameFor(tool, id), lora: l.loraId })}>{l.name}</a>{" "}
              {l.personal && <Chip tone="accent">{text.personal}</Chip>}
              <p class="muted small">{l.personal ? l.requirements?.join(" ") : l.description}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
