// What is known about an item that is shown large, and its marks.

import { get } from "../api";
import { bytes, duration, moment, price, words } from "../format";
import { loadLoras } from "../create/loras";
import { useData } from "../hooks";
import { listOf, textsOf } from "../json";
import { useModelNames } from "../models/names";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import { nameOf } from "../parts/item";
import { Thumbnail } from "../parts/media";
import { PreviewOf } from "../parts/preview-of";
import { mediaLabelOf } from "../texts/arguments";
import { text } from "../texts/library";
import type { LibraryArtifact, Step, Workflow } from "../types";
import { sourcesOf } from "../workflow/model";
import { chosenOf } from "./chosen";
import { BoardField, Star, TagField } from "./mark-fields";
import { markable } from "./marks";

const names = text.details;

/** What the step that made an item has cost, in words; empty while it is not known. */
function costOf(step: Step | undefined): string {
  const cost = step?.cost.actual;
  if (!step || !cost) return "";
  if (cost.byPlan) return names.byPlan;
  if (!Number(cost.costInSpark)) return names.free;
  const spark = price(cost.costInSpark);
  return step.artifacts.length > 1 ? names.shared(spark, step.artifacts.length) : names.spark(spark);
}

/** The LoRAs of a step, by their names. */
function Loras({ step }: { step: Step }) {
  const ids = textsOf(step.arguments.loras);
  const known = useData((signal) => (ids.length ? loadLoras(signal) : Promise.resolve(undefined)), [step.id]);
  if (!ids.length) return null;
  const strengths = listOf(step.arguments.loraStrengths);
  const nameOne = (id: string) => known.data?.rows.find((l) => l.loraId === id)?.name ?? words(id);
  return (
    <Fact name={names.loras}>
      {ids.map((id, i) => [nameOne(id), strengths[i]].filter(Boolean).join(" ")).join(", ")}
    </Fact>
  );
}

/** What a step has worked from; each leads to the file. */
function Sources({ workflow, step }: { workflow: Workflow; step: Step }) {
  const sources = sourcesOf(workflow, step);
  if (!sources.length) return null;
  return (
    <section class="details-sources" aria-label={names.sources}>
      {sources.map((source) => {
        const label = mediaLabelOf(source.argument);
        return (
          <a key={source.id} class="small" href={source.url} target="_blank" rel="noreferrer">
            <Thumbnail item={{ ...source, width: 1, height: 1 }} />
            {label}
          </a>
        );
      })}
    </section>
  );
}

export function Details({ artifact: a, onTag }: { artifact: LibraryArtifact; onTag: (tag: string) => void }) {
  const modelName = useModelNames();
  const workflow = useData(
    (signal) => get("/v1/creative-agent/workflows/{id}", { path: { id: a.workflowId }, signal }),
    [a.workflowId],
  );
  const step = workflow.data?.workflow.steps.find((s) => s.id === a.stepId);
  const isPreview = step?.artifacts.find((made) => made.id === a.artifactId)?.preview;
  const cost = costOf(step);
  const item = markable(a);
  return (
    <>
      <section class="details-prompt">
        <div class="row">
          <h2 class="grow">{a.prompt ? names.prompt : nameOf(a)}</h2>
          <Star item={item} title={nameOf(a)} />
        </div>
        {a.prompt && (
          <>
            <p>{a.prompt}</p>
            <CopyButton value={a.prompt} label={names.copy} />
          </>
        )}
      </section>
      <dl class="facts small">
        {a.modelId && (
          <Fact name={names.model}>
            {isPreview ? <PreviewOf model={modelName(a.modelId)} /> : modelName(a.modelId)}
          </Fact>
        )}
        <Fact name={names.tool}>{words(a.toolName)}</Fact>
        {step && chosenOf(step).map(({ name, value }) => <Fact key={name} name={name} children={value} />)}
        {step && <Loras step={step} />}
        {a.width > 0 && a.height > 0 && (
          <Fact name={names.size}>
            {a.width} × {a.height}
          </Fact>
        )}
        {a.durationSeconds > 0 && <Fact name={names.length}>{duration(a.durationSeconds)}</Fact>}
        {a.modelId && (
          <Fact name={names.seed}>
            {a.seed} <CopyButton value={String(a.seed)} />
          </Fact>
        )}
        <Fact name={names.made}>{moment(a.createdAt)}</Fact>
        {cost && <Fact name={names.cost}>{cost}</Fact>}
        <Fact name={names.file}>
          {a.contentType} · {bytes(a.bytes)}
        </Fact>
      </dl>
      {step && <Sources workflow={workflow.data!.workflow} step={step} />}
      <TagField items={[item]} onShow={onTag} />
      <BoardField items={[item]} />
    </>
  );
}
