// One turn: what the person wrote, and the run that answers it.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, post, randomId } from "../api";
import { amount, duration, toDate, words } from "../format";
import { useChanges, useData, useNow } from "../hooks";
import * as json from "../json";
import { Progress } from "../parts/chip";
import { IconButton } from "../parts/icon";
import type { MediaItem } from "../parts/item";
import { openLightbox } from "../parts/lightbox";
import { Markdown } from "../parts/markdown";
import { Media, Thumbnail } from "../parts/media";
import { Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { isOver } from "../status";
import { text } from "../texts/chat";
import { text as common } from "../texts/shell";
import type { Upload } from "../upload";
import { attachmentsOf, textOf, type Run, type ToolCall } from "./conversation";

interface TurnProps {
  run: Run;
  siblings: Run[];
  onChoose: (runId: string) => void;
  onEdit: (text: string) => Promise<void>;
  onRetry: () => void;
}

export function Turn({ run, siblings, onChoose, onEdit, onRetry }: TurnProps) {
  const [draft, setDraft] = useState<string>();
  const at = siblings.indexOf(run);
  const written = textOf(run.userContent);
  const box = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLElement>(); // what had the focus before
  const isEditing = draft !== undefined;
  const open = () => {
    opener.current = document.activeElement as HTMLElement;
    setDraft(written);
  };
  useEffect(() => {
    if (isEditing) box.current!.focus();
    else if (opener.current)
      (opener.current.isConnected && opener.current !== document.body ? opener.current : button.current)?.focus();
  }, [isEditing]);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await onEdit(draft!.trim());
      setDraft(undefined);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <article class="turn">
      <div class="said">
        <h2 class="offscreen">{text.you}</h2>
        {draft === undefined ? (
          <p class="said-text">{written}</p>
        ) : (
          <form class="stack" onSubmit={submit}>
            <textarea
              ref={box}
              aria-label={text.edit}
              rows={3}
              value={draft}
              onInput={(e) => setDraft(e.currentTarget.value)}
              onKeyDown={(e) => e.key === "Escape" && !e.isComposing && setDraft(undefined)}
            />
            <p class="row end">
              <button type="button" class="quiet" onClick={() => setDraft(undefined)}>
                {common.cancel}
              </button>
              <button class="primary" disabled={!draft.trim()}>
                {text.sendEdit}
              </button>
            </p>
          </form>
        )}
        <Attached media={attachmentsOf(run)} />
        <p class="turn-actions">
          {siblings.length > 1 && (
            <>
              <IconButton
                icon="left"
                label={text.earlier}
                disabled={at === 0}
                onClick={() => onChoose(siblings[at - 1].runId)}
              />
              <span class="small tabular">{text.version(at + 1, siblings.length)}</span>
              <IconButton
                icon="right"
                label={text.later}
                disabled={at === siblings.length - 1}
                onClick={() => onChoose(siblings[at + 1].runId)}
              />
            </>
          )}
          {draft === undefined && (
            <button ref={button} class="copy" data-edit onClick={open}>
              {text.edit}
            </button>
          )}
          {isOver(run.status) && (
            <button class="copy" onClick={onRetry}>
              {text.retry}
            </button>
          )}
        </p>
      </div>
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
    </article>
  );
}

/** Files that were sent along. */
function Attached({ media }: { media: Upload[] }) {
  if (!media.length) return null;
  const items: MediaItem[] = media.map(({ kind, url, name }, i) => ({
    id: url,
    kind,
    url,
    label: name || text.attachedAt(i + 1),
  }));
  return (
    <ul class="attached" aria-label={text.attached}>
      {items.map((item, i) => (
        <li key={item.id}>
          {item.kind === "video" || item.kind === "audio" ? (
            <Media item={item} />
          ) : (
            <button class="thumb-button" onClick={() => openLightbox(items, i)} aria-label={item.label}>
              <Thumbnail item={item} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

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

/** The card that asks before money is spent. It is never optimistic. */
function Approval({ run }: { run: Run }) {
  const now = useNow();
  const [busy, setBusy] = useState(false);
  const [intent] = useState(randomId);
  const balance = useData((signal) => get("/v4/account/balance", { signal }), [run.runId]);
  const plan = useData((signal) => get("/v1/subscriptions/status", { signal }), [run.runId]);
  useChanges(["balance"], balance.reload);
  const waiting = run.waiting!;
  if (waiting.reason !== "cost_approval_required") return <Notice tone="warn">{waiting.message || text.review}</Notice>;
  const preview = waiting.details.costApprovalPreview;
  const poor = waiting.details.flavor === "insufficient_credits";
  const left = preview ? ((toDate(preview.validityUntil)?.getTime() ?? 0) - now) / 1000 : 0;
  const cost = costOf(run, balance.data?.spark.net, plan.data?.subscription);
  const decide = async (decision: "confirm" | "cancel") => {
    setBusy(true);
    try {
      await post(
        "/v1/chat/runs/{id}/confirm-cost",
        {
          tool_call_id: waiting.details.toolCallId,
          decision,
          acceptedCostPreview: decision === "confirm" ? preview : undefined,
        },
        { path: { id: run.runId }, idempotencyKey: intent + decision },
      );
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  return (
    <section class="approval" role="group" aria-label={text.approval}>
      <h3>{text.approval}</h3>
      {cost && <p>{plan.loading ? "\u00a0" : cost.isCovered ? text.byPlan : text.cost(cost.spark, cost.isMost)}</p>}
      {!cost && preview && <p>{text.units(preview.totalEstimatedCapacityUnits)}</p>}
      <p class="small muted tabular">
        {balance.data ? text.balance(amount(balance.data.spark.net), cost?.left) : "\u00a0"}
      </p>
      <p class="small muted tabular">
        {poor ? text.noCredits : left > 0 ? text.expires(duration(left)) : text.expired}
      </p>
      <p class="row">
        <button class="primary" disabled={busy || poor || left <= 0} onClick={() => void decide("confirm")}>
          {text.confirm}
        </button>
        <button class="quiet" disabled={busy} onClick={() => void decide("cancel")}>
          {text.decline}
        </button>
      </p>
    </section>
  );
}

interface Cost {
  spark: string;
  isMost: boolean;
  isCovered: boolean;
  left?: string;
}

/**
 * What the calls that wait are estimated at, and what is left of the balance. A plan covers all but
 * vendors' models, which are paid in Spark alone, less a discount that only the service knows.
 */
function costOf(run: Run, net: string | undefined, plan: { status?: string } | undefined): Cost | undefined {
  const { pendingToolCallIds: held, costApprovalPreview: preview } = run.waiting!.details;
  if (!held?.length || held.some((id) => run.prices?.[id] === undefined)) return undefined;
  const total = held.reduce((sum, id) => sum + micros(run.prices![id]), 0);
  const hasPlan = ["trialing", "active", "cancel_at_period_end"].includes(plan?.status ?? "");
  const left = net === undefined ? -1 : micros(net) - total;
  return {
    spark: amount(inSpark(total), 6),
    isMost: hasPlan,
    isCovered: hasPlan && preview?.tokenType === "auto",
    left: plan && !hasPlan && left >= 0 ? amount(inSpark(left)) : undefined,
  };
}

const micros = (spark: string | number) => Math.round(Number(spark) * 1e6); // sums of whole numbers are exact
const inSpark = (micros: number) => (micros / 1e6).toFixed(6);
