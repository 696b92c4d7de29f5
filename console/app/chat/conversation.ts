// A conversation: durable runs, each the answer to one message. Runs form a tree: an edited
// message starts a run beside the one it replaces. A run names its predecessor in its
// client message id, so that every tab and device draws the same tree.

import { useEffect, useReducer, useRef } from "preact/hooks";
import { encoded, get, post, randomId } from "../api";
import { useChanges } from "../hooks";
import { follow } from "../sse";
import type { Upload } from "../upload";

export interface ToolCall { toolCallId: string; toolName: string; arguments: any; status: string | null; summary?: string; progress?: number; label?: string; errorCode?: string | null; previewUrl?: string }
export interface Artifact { id: string; url?: string; mediaType?: string; mimeType?: string; workflowId?: string; toolName?: string; toolCallId?: string; metadata?: any }
export interface Waiting { reason: string; message: string; details: { toolCallId: string; pendingToolCallIds: string[]; costApprovalPreview?: { totalEstimatedCapacityUnits: number; tokenType: string; validityUntil: string }; flavor?: string } }

export interface Run {
  runId: string; status: string; clientMessageId: string; createdAt: string; userContent: any; mediaReferences?: { kind: string; url: string; filename?: string }[];
  content: string; toolCalls: ToolCall[]; artifacts: Artifact[]; waiting: Waiting | null; error: { code?: string; message: string } | null; finishReason: string | null;
  /** What the tool calls that were held are estimated at, in Spark, by their ids. */
  prices?: Record<string, number>;
}

const ended = ["completed", "failed", "partial_failure", "cancelled"];
export const isOver = (run: Run) => ended.includes(run.status);

/** The run that another one follows; empty for the first of a conversation. */
export const parentOf = (run: Run) => /^after:([^/]*)\//.exec(run.clientMessageId ?? "")?.[1] ?? "";

export const textOf = (content: any): string =>
  typeof content === "string" ? content : (content ?? []).filter((part: any) => part.type === "text").map((part: any) => part.text).join("\n");

/** What was sent with a message: pictures are inside it, and everything else is beside it. */
export function mediaOf(run: Run): Upload[] {
  const shown = Array.isArray(run.userContent) ? run.userContent.filter(isPicture).map((part: any) => ({ kind: "image", url: addressOf(part) })) : [];
  const all: any[] = [...shown, ...(run.mediaReferences ?? [])].filter((m, i, list) => list.findIndex((other) => other.url === m.url) === i);
  return all.map((m) => ({ kind: m.kind, url: m.url, name: m.filename ?? "" }));
}

// What the service takes in a request: pictures in its messages, and media of a kind beside them.
const mostShown = 20;
const mostUploads = 64;
const mostResults = 256;

const isPicture = (part: any) => part.type === "image_url";
const addressOf = (part: any): string => part.image_url.url ?? part.image_url;

/** Messages without the pictures of which there are too many, and the addresses of these: the oldest. */
function limitPictures(messages: { role: string; content: any }[]) {
  const all = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isPicture) : []));
  const left = new Set(all.slice(0, -mostShown));
  return {
    messages: messages.map((m) => (Array.isArray(m.content) ? { ...m, content: m.content.filter((part: any) => !left.has(part)) } : m)),
    earlier: [...left].map(addressOf),
  };
}

/** A run as a conversation lists it. */
function toRun(listed: any): Run {
  const { userText, images, finalText, finishReason, toolResults, ...rest } = listed;
  const toolCalls = listed.toolCalls.map((call: any) => ({ status: "running", ...call, ...toolResults.find((result: any) => result.toolCallId === call.toolCallId) }));
  const userContent = images.length ? [{ type: "text", text: userText }, ...images.map((url: string) => ({ type: "image_url", image_url: { url } }))] : userText;
  return { ...rest, clientMessageId: listed.clientMessageId ?? "", userContent, content: finalText, toolCalls, waiting: listed.waiting ?? null, error: listed.error ?? null, finishReason: finishReason ?? null };
}

/**
 * Newly read runs. Of those that are not over, what was seen live stays: the events of a run may be
 * newer than what was read, and all of them come. A run that was started meanwhile stays too.
 */
function merge(old: Run[], read: Run[]): Run[] {
  const ids = new Set(read.map((run) => run.runId));
  const merged = read.map((run) => {
    const known = old.find((r) => r.runId === run.runId);
    if (!known || !isOver(run)) return known ?? run;
    return { ...run, content: run.content || known.content, artifacts: run.artifacts.length ? run.artifacts : known.artifacts, finishReason: run.finishReason ?? known.finishReason };
  });
  return [...merged, ...old.filter((run) => !ids.has(run.runId))];
}

interface State { title: string; runs: Run[]; loading: boolean; error?: Error; chosen: Record<string, string> }

/** The runs from the first to the last of the chosen branch, each with its siblings. */
export function branch(state: State): { run: Run; siblings: Run[] }[] {
  const out: { run: Run; siblings: Run[] }[] = [];
  let parent = "";
  for (;;) {
    const siblings = state.runs.filter((run) => parentOf(run) === parent);
    if (!siblings.length) return out;
    const run: Run = siblings.find((r) => r.runId === state.chosen[parent]) ?? siblings[siblings.length - 1];
    out.push({ run, siblings });
    parent = run.runId;
  }
}

type Change = (state: State) => State;

/** A new conversation has nothing to load until its first message was sent. */
export function useConversation(sessionId: string, isNew: boolean) {
  const [state, change] = useReducer((old: State, by: Change) => by(old), { title: "", runs: [], loading: true, chosen: {} });
  const following = useRef(new Map<string, AbortController>());

  const update = (runId: string, by: (run: Run) => Partial<Run>) =>
    change((old) => ({ ...old, runs: old.runs.map((run) => (run.runId === runId ? { ...run, ...by(run) } : run)) }));

  const load = async () => {
    try {
      const { conversation } = await get(encoded`/v1/chat/conversations/${sessionId}`);
      change((old) => ({ ...old, title: conversation.title, runs: merge(old.runs, conversation.runs.map(toRun)), loading: false, error: undefined }));
    } catch (error) {
      change((old) => ({ ...old, loading: false, error: error as Error }));
    }
  };

  // Follows every run that is not over, from its beginning: events repeat harmlessly.
  useEffect(() => {
    for (const run of state.runs) {
      if (isOver(run) || following.current.has(run.runId)) continue;
      const abort = new AbortController();
      following.current.set(run.runId, abort);
      follow(encoded`/v1/chat/runs/${run.runId}/events/stream`, {
        signal: abort.signal,
        onEvent: ({ event, data }) => update(run.runId, (old) => apply(old, event, data?.payload ?? data)),
        isComplete: ({ event }) => /^run_(completed|failed|partial_failure|cancelled)$/.test(event),
      }).catch(() => {}).finally(() => {
        following.current.delete(run.runId);
        if (!abort.signal.aborted) void load();
      });
    }
  }, [state.runs]);

  useEffect(() => {
    change(() => ({ title: "", runs: [], loading: !isNew, chosen: {} }));
    if (!isNew) void load();
    return () => {
      for (const abort of following.current.values()) abort.abort();
      following.current.clear();
    };
  }, [sessionId]);
  useChanges(["run"], (changed) => {
    if ((changed.kind === "ready" && !isNew) || (changed.data?.sessionId === sessionId && !following.current.has(changed.data.runId))) void load();
  });

  /** Starts a run after another one (empty: at the beginning) with the messages before it. */
  const send = async (message: { text: string; media: Upload[]; after: string; model?: string; askBefore: boolean }) => {
    const before: Run[] = [];
    for (let id = message.after; id; ) {
      const run = state.runs.find((r) => r.runId === id);
      if (!run) break;
      before.unshift(run);
      id = parentOf(run);
    }
    const said = before.flatMap((run) => [{ role: "user", content: run.userContent }, ...(run.content ? [{ role: "assistant", content: run.content }] : [])]);
    const images = message.media.filter((m) => m.kind === "image");
    const content = images.length ? [{ type: "text", text: message.text }, ...images.map((m) => ({ type: "image_url", image_url: { url: m.url } }))] : message.text;
    const earlier = before.flatMap((run) => run.artifacts).filter((a) => a.url);
    const made = (kind: string) => earlier.filter((a) => a.mediaType === kind).map((a) => a.url!).slice(-mostResults);
    const { messages, earlier: pictures } = limitPictures([...said, { role: "user", content }]);
    const uploads = [...pictures.map((url) => ({ kind: "image", url })), ...before.flatMap((run) => run.mediaReferences ?? [])];
    const sent = (kind: string) => [...new Set(uploads.filter((m) => m.kind === kind).map((m) => m.url))].slice(-mostUploads);
    const mediaReferences = message.media.filter((m) => m.kind !== "image").map((m) => ({ kind: m.kind, url: m.url, filename: m.name || undefined }));
    const { run } = await post("/v1/chat/runs", {
      session_id: sessionId,
      client_message_id: `after:${message.after}/${randomId().slice(0, 12)}`,
      messages,
      media_references: mediaReferences,
      media_context: { images: made("image"), videos: made("video"), audio: made("audio"), uploadedImages: sent("image"), uploadedVideos: sent("video"), uploadedAudio: sent("audio") },
      model: message.model || undefined,
      app_source: "console",
      runtime_config: { requireJobConfirmation: message.askBefore },
    }, { idempotencyKey: randomId() });
    const started: Run = {
      runId: run.runId, status: run.status, clientMessageId: run.request.clientMessageId, createdAt: run.timestamps.createdAt, userContent: content,
      mediaReferences, content: "", toolCalls: [], artifacts: [], waiting: null, error: null, finishReason: null,
    };
    change((old) => ({ ...old, runs: [...old.runs.filter((r) => r.runId !== started.runId), started], chosen: { ...old.chosen, [message.after]: started.runId } }));
  };

  const choose = (parent: string, runId: string) => change((old) => ({ ...old, chosen: { ...old.chosen, [parent]: runId } }));
  const setTitle = (title: string) => change((old) => ({ ...old, title }));
  return { state, load, send, choose, setTitle };
}

/** What an event changes in a run. Events may repeat. */
export function apply(run: Run, type: string, payload: any): Partial<Run> {
  const calls = (id: string, by: (call: ToolCall) => Partial<ToolCall>) => ({ toolCalls: run.toolCalls.map((call) => (call.toolCallId === id ? { ...call, ...by(call) } : call)) });
  switch (type) {
    case "run_status": return { status: payload.status ?? run.status };
    case "assistant_message_delta":
    case "assistant_message_completed": return payload.content ? { content: payload.content } : {};
    case "tool_call_dispatched": {
      const { toolCallId, toolName } = payload;
      if (run.toolCalls.some((call) => call.toolCallId === toolCallId)) return calls(toolCallId, (call) => (call.status === "waiting_for_user" ? { status: "running" } : {}));
      return { toolCalls: [...run.toolCalls, { toolCallId, toolName, arguments: payload.arguments, status: "running" }] };
    }
    case "tool_call_progress": return calls(payload.toolCallId, (call) => (call.status && call.status !== "running" ? {} : { status: "running", progress: payload.progress, label: payload.stepLabel, previewUrl: payload.previewUrl ?? call.previewUrl }));
    case "tool_call_resolved": {
      const known = new Set(run.artifacts.map((a) => a.id));
      const made = (payload.artifacts ?? []).filter((a: Artifact) => !known.has(a.id));
      return { ...calls(payload.toolCallId, () => ({ status: payload.status, errorCode: payload.errorCode, progress: 1 })), artifacts: [...run.artifacts, ...made] };
    }
    case "run_awaiting_cost_confirmation": return { prices: { ...run.prices, [payload.toolCallId]: payload.estimatedCost } };
    case "run_waiting_for_user": return { status: "waiting_for_user", waiting: payload };
    case "run_cost_confirmation_resolved": return { waiting: null, status: run.status === "waiting_for_user" ? "running" : run.status };
    case "run_resumed": return { waiting: null };
    case "run_completed":
    case "run_partial_failure": return { status: payload.status ?? run.status, waiting: null, content: payload.finalResponse?.content ?? run.content, finishReason: payload.finalResponse?.finishReason ?? null };
    case "run_failed": return { status: "failed", waiting: null, error: payload.error ?? { message: payload.failureReason } };
    case "run_cancelled": return { status: "cancelled", waiting: null };
  }
  return {};
}
