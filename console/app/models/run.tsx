// What it takes to have a model rendered here: the files, and the ways to fetch them.

import type { Model } from "../create/catalog";
import { bytes } from "../format";
import { Chip } from "../parts/chip";
import { Command } from "../parts/command";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import { Guide } from "../parts/guide";
import { Table } from "../parts/table";
import { session } from "../session";
import { filesOf, type ModelFile } from "../texts/model-files";
import { text } from "../texts/models";
import type { ModelWeights, WeightFile } from "../types";
import { Pulls } from "./pulls";

/** What it takes to have the model rendered here, and whether a worker does. */
export function RunIt({ model }: { model: Model }) {
  if (model.parameters.isExternalAPI)
    return (
      <section class="panel stack">
        <h2>{text.run}</h2>
        <p>{text.runVendor}</p>
        <p>
          <Guide page="vendors">{text.guides.vendors}</Guide>
        </p>
      </section>
    );
  const command = `atelier worker --url ${location.origin} --backend comfyui --models ${model.id}`;
  const files = filesOf[model.id] ?? model.weights?.files.map(published);
  const pull = `atelier models pull ${model.id} --comfyui ComfyUI`;
  return (
    <section class="panel stack model-run">
      <h2>{text.run}</h2>
      <p>
        {model.servedBy === "workers" ? (
          <Chip tone="good">{text.online}</Chip>
        ) : (
          <Chip tone={model.servedBy && "warn"}>{model.servedBy ? text.offline : text.unsure}</Chip>
        )}
      </p>
      {files ? (
        <Files files={files} weights={model.weights} />
      ) : (
        <p>
          {text.runUnknown} <Guide page="add-models">{text.guides["add-models"]}</Guide>
        </p>
      )}
      <Pulls id={model.id}>
        {model.weights?.files.some((file) => file.url) && (
          <>
            <p>{text.pull}</p>
            <p class="row">
              <Command class="grow" line={pull} />
              <CopyButton value={pull} />
            </p>
          </>
        )}
        <p>{text.runCommand}</p>
        <p class="row">
          <Command class="grow" line={command} />
          <CopyButton value={command} />
        </p>
        <p class="muted small">
          {text.runFiles} <Guide page="own-gpu">{text.guides["own-gpu"]}</Guide>
        </p>
        <p>
          {session.value?.operator ? (
            <>
              {text.runConnected} <a href="/operator/connections">{text.runConnect}</a>
            </>
          ) : (
            text.runByOperator
          )}
        </p>
      </Pulls>
    </section>
  );
}

/** A file of the catalog as one of a graph, for models of which this program has no graph. */
const published = (file: WeightFile): ModelFile => ({
  folder: file.folder,
  name: file.name,
  from: file.url ? [file.url.split("/resolve/")[0]] : [],
});

/** Whether a file of the catalog is the one of a graph, whose name may have a *. */
const isFile = (file: ModelFile) => (w: WeightFile) =>
  w.folder === file.folder && (w.name === file.name || file.name.includes("*"));

const sizeOf = (file?: WeightFile) =>
  !file?.bytes ? text.notKnown : file.approximate ? text.roughly(bytes(file.bytes)) : bytes(file.bytes);

function Files({ files, weights }: { files: ModelFile[]; weights?: ModelWeights }) {
  const memory = weights?.gpuMemory;
  const sized = weights?.files.filter((w) => w.bytes).length ?? 0;
  return (
    <>
      <p>{text.runWorker}</p>
      <Table
        label={text.run}
        rows={files}
        keyOf={(file) => file.folder + file.name}
        columns={[
          {
            name: text.file,
            cell: (file) => (
              <>
                <code>{file.name}</code>
                {file.only && (
                  <p class="muted small">
                    {text.onlyFor}: {file.only.join(" ")}
                  </p>
                )}
              </>
            ),
          },
          { name: text.folder, cell: (file) => <code>{file.folder}</code> },
          { name: text.size, number: true, cell: (file) => sizeOf(weights?.files.find(isFile(file))) },
          {
            name: text.from,
            cell: (file) =>
              file.from.length === 0 ? (
                <span class="muted">{text.notKnown}</span>
              ) : (
                <ul>
                  {file.from.map((address) => (
                    <li key={address}>
                      <a href={address} rel="noreferrer">
                        {new URL(address).pathname.slice(1)}
                      </a>
                    </li>
                  ))}
                </ul>
              ),
          },
        ]}
      />
      {files.some((file) => file.name.includes("*")) && <p class="muted small">{text.pattern}</p>}
      <dl class="facts">
        <Fact name={text.fileSize}>
          {!weights || !sized
            ? text.notKnown
            : weights.sizesUnknown
              ? text.atLeast(bytes(weights.bytes), weights.sizesUnknown)
              : bytes(weights.bytes)}
        </Fact>
        <Fact name={text.memory}>
          {memory ? (
            <>
              {bytes(memory.bytes)}{" "}
              <a href={memory.source} rel="noreferrer">
                {text.source(new URL(memory.source).hostname)}
              </a>
            </>
          ) : (
            text.notKnown
          )}
        </Fact>
      </dl>
    </>
  );
}
