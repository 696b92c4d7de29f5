// The answer of a run: its tool calls, what they made, and its text.

import { useState } from "preact/hooks";
import { encoded } from "../api";
import { words } from "../format";
import * as json from "../json";
import { Progress } from "../parts/chip";
import type { MediaItem } from "../parts/item";
import { openLightbox } from "../parts/lightbox";
import { Markdown } from "../parts/markdown";
import { Media, Thumbnail } from "../parts/media";
import { memo } from "../parts/memo";
import { Notice } from "../parts/notice";
import { isOver } from "../status";
import { text } from "../texts/chat";
import { text as common } from "../texts/shell";
import { Approval } from "./approval";
import type { Upload } from "../upload";
import type { Run, ToolCall } from "./conversation";
import { changeDraft, focusComposer } from "./draft";

export const Answer = memo(
  ({ conversation, run }: { conversation: string; run: Run }) => (
    <div class="answer">
      <h2 class="offscreen">{text.assistant}</h2>
      {run.toolCalls.map((call) => (
        <Call
          key={call.toolCallId}
          call={call}
          texts={madeBy(run).filter((made) => made.isText && made.callId === call.toolCallId)}
        />
      ))}
      <Results conversation={conversation} made={madeBy(run).filter((made) => !made.isText)} />
      {run.toolCalls.filter(isPreviewed).map((call) => (
        <div key={call.toolCallId} class="call-previewed">
          <img class="call-preview" src={call.previewUrl} alt={text.preview} />
          <Progress label={words(call.toolName)} value={call.progress} />
        </div>
      ))}
      {run.content && <Markdown source={run.content} />}
      {!run.content &&
        !isOver(run.status) &&
        !run.waiting &&
        !run.toolCalls.some((call) => call.status === "running") && (
          <p class="muted" role="status">
            {text.thinking}
          </p>
        )}
      {run.waiting && <Approval run={run} />}
      {run.status === "failed" && <Notice tone="bad">{run.error?.message || text.failed}</Notice>}
      {run.status === "cancelled" && <p class="muted">{text.stopped}</p>}
    </div>
  ),
  (a, b) => a.run === b.run,
);

/** A result of a tool call. */
interface Made {
  item: MediaItem;
  callId?: string;
  workflowId?: string;
  stepId?: string;
  /** The answer says it in words. */
  isText: boolean;
}

function madeBy(run: Run): Made[] {
  const promptOf = (id?: string) =>
    json.textOf(json.objectOf(run.toolCalls.find((call) => call.toolCallId === id)?.arguments).prompt);
  return run.artifacts
    .filter((a) => a.url)
    .map((a) => ({
      item: {
        id: a.id,
        kind: a.mediaType ?? "image",
        url: a.url!,
        contentType: a.mimeType,
        width: json.numberOf(a.metadata?.width),
        height: json.numberOf(a.metadata?.height),
        durationSeconds: json.numberOf(a.metadata?.durationSeconds),
        label: promptOf(a.toolCallId) || words(a.toolName ?? ""),
      },
      callId: a.toolCallId,
      workflowId: a.workflowId,
      stepId: a.stepId,
      isText: ["json", "text"].includes(a.mediaType ?? ""),
    }));
}

/** Something is seen of what a call makes: it stands where the result will be, with how far it is. */
const isPreviewed = (call: ToolCall) => call.status === "running" && Boolean(call.previewUrl);

/** A tool call is one line that opens. */
function Call({ call, texts }: { call: ToolCall; texts: Made[] }) {
  const [isOpen, setOpen] = useState(false); // texts are read when they are shown
  const isRunning = call.status === "running";
  const state = text.tool[call.status ?? "running"] ?? call.status;
  const why = call.status === "err" && call.errorCode ? text.toolErrors[call.errorCode] : undefined;
  return (
    <details class="call" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <strong>{words(call.toolName)}</strong>{" "}
        <span class="muted small">
          {isRunning && call.label ? call.label : state}
          {why && ` · ${why}`}
        </span>
        {isRunning && !isPreviewed(call) && <Progress label={words(call.toolName)} value={call.progress} />}
      </summary>
      <p class="eyebrow">{text.arguments}</p>
      <pre tabIndex={0}>
        <code>{JSON.stringify(call.arguments, null, 2)}</code>
      </pre>
      {call.summary && (
        <>
          <p class="eyebrow">{text.toolResult}</p>
          <pre tabIndex={0}>
            <code>{pretty(call.summary)}</code>
          </pre>
        </>
      )}
      {isOpen &&
        texts.map(({ item }) => (
          <div key={item.id}>
            <Media item={item} />
            <p class="turn-actions">
              <Download item={item} />
            </p>
          </div>
        ))}
    </details>
  );
}

/** A result that is JSON, on several lines; any other as it is. */
function pretty(result: string): string {
  try {
    return JSON.stringify(JSON.parse(result), null, 2);
  } catch {
    return result;
  }
}

const Download = ({ item }: { item: MediaItem }) => (
  <a class="copy" href={item.url} download>
    {common.download}
  </a>
);

const isReference = (kind: string): kind is Upload["kind"] => ["image", "video", "audio"].includes(kind);

/** Attaches a result to the next message. */
function attach(conversation: string, { kind, url, label }: MediaItem) {
  if (!isReference(kind)) return;
  changeDraft(conversation, (old) => ({
    ...old,
    media: [...old.media.filter((m) => m.url !== url), { kind, url, name: label ?? "" }],
  }));
  focusComposer();
}

/** What the tools have made, and what can be done with it. */
function Results({ conversation, made }: { conversation: string; made: Made[] }) {
  if (!made.length) return null;
  const items = made.map(({ item }) => item);
  return (
    <ul class="made">
      {made.map(({ item, workflowId, stepId }, i) => (
        <li key={item.id}>
          {item.kind === "image" || item.kind === "model" ? (
            <button
              class="thumb-button"
              aria-label={`${common.openLarge}: ${item.label}`}
              onClick={() => openLightbox(items, i)}>
              {item.kind === "image" ? <Media item={item} /> : <Thumbnail item={item} />}
            </button>
          ) : (
            <Media item={item} />
          )}
          <p class="turn-actions answer-foot">
            <Download item={item} />
            {isReference(item.kind) && (
              <button class="copy" onClick={() => attach(conversation, item)}>
                {text.reference}
              </button>
            )}
            {workflowId && stepId && (
              <a class="copy" href={encoded`/?workflow=${workflowId}&restore=${stepId}`}>
                {text.openInCreate}
              </a>
            )}
            {workflowId && (
              <a class="copy" href={encoded`/library?workflow=${workflowId}`}>
                {text.showInLibrary}
              </a>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}
