// What it takes to have a model rendered here: the files, and the ways to fetch them.

import type { Model } from "../create/catalog";
import { bytes } from "../format";
import { Chip } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
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
      {files ? <Files files={files} weights={model.weights} /> : <p>{text.runUnknown}</p>}
      <Pulls id={model.id}>
        {model.weights?.files.some((file) => file.url) && (
          <>
            <p>{text.pull}</p>
            <p class="row">
              <code class="grow">{pull}</code>
              <CopyButton value={pull} />
            </p>
          </>
        )}
        <p>{text.runCommand}</p>
        <p class="row">
          <code class="grow">{command}</code>
          <CopyButton value={command} />
        </p>
        <p class="muted small">{text.runFiles}</p>
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
      <div class="table-scroll" tabIndex={0} role="region" aria-label={text.run}>
        <table>
          <thead>
            <tr>
              <th>{text.file}</th>
              <th>{text.folder}</th>
              <th class="number-cell">{text.size}</th>
              <th>{text.from}</th>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <tr key={file.folder + file.name}>
                <td>
                  <code>{file.name}</code>
                  {file.only && (
                    <p class="muted small">
                      {text.onlyFor}: {file.only.join(" ")}
                    </p>
                  )}
                </td>
                <td>
                  <code>{file.folder}</code>
                </td>
                <td class="number-cell">{sizeOf(weights?.files.find(isFile(file)))}</td>
                <td>
                  {file.from.length === 0 && <span class="muted">{text.notKnown}</span>}
                  {file.from.map((address) => (
                    <div key={address}>
                      <a href={address} rel="noreferrer">
                        {new URL(address).pathname.slice(1)}
                      </a>
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
            <a href={memory.source} rel="noreferrer">
              {bytes(memory.bytes)}
            </a>
          ) : (
            text.notKnown
          )}
        </Fact>
      </dl>
    </>
  );
}
