// The answer of a run: its tool calls, what they made, and its text.

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
import type { Run, ToolCall } from "./conversation";

export const Answer = memo(
  ({ run }: { run: Run }) => (
    <div class="answer">
      {run.toolCalls.map((call) => (
        <Call key={call.toolCallId} call={call} />
      ))}
      <Made run={run} />
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
      {run.finishReason === "cancelled" && run.status !== "cancelled" && <p class="muted">{text.declined}</p>}
    </div>
  ),
  (a, b) => a.run === b.run,
);

/** A tool call is one line that opens, and what is seen of its result while it renders. */
function Call({ call }: { call: ToolCall }) {
  const isRunning = call.status === "running";
  const state = text.tool[call.status ?? "running"] ?? call.status;
  const why = call.status === "err" && call.errorCode ? text.toolErrors[call.errorCode] : undefined;
  return (
    <>
      <details class="call">
        <summary>
          <strong>{words(call.toolName)}</strong>{" "}
          <span class="muted small">
            {isRunning && call.label ? call.label : state}
            {why && ` · ${why}`}
          </span>
          {isRunning && <Progress label={words(call.toolName)} value={call.progress} />}
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
      </details>
      {isRunning && call.previewUrl && <img class="call-preview" src={call.previewUrl} alt={text.preview} />}
    </>
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

function Made({ run }: { run: Run }) {
  const promptOf = (id?: string) =>
    json.textOf(json.objectOf(run.toolCalls.find((call) => call.toolCallId === id)?.arguments).prompt);
  const items: MediaItem[] = run.artifacts
    .filter((a) => a.url)
    .map((a) => ({
      id: a.id,
      kind: a.mediaType ?? "image",
      url: a.url!,
      contentType: a.mimeType,
      width: json.numberOf(a.metadata?.width),
      height: json.numberOf(a.metadata?.height),
      durationSeconds: json.numberOf(a.metadata?.durationSeconds),
      label: promptOf(a.toolCallId) || words(a.toolName ?? ""),
    }));
  if (!items.length) return null;
  return (
    <ul class="made">
      {items.map((item, i) => (
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
          <p class="turn-actions">
            <a class="copy" href={item.url} download>
              {common.download}
            </a>
          </p>
        </li>
      ))}
    </ul>
  );
}
