// A conversation: durable runs, each the answer to one message. Runs form a tree: an edited
// message starts a run beside the one it replaces. A run names its predecessor in its
// client message id, so that every tab and device draws the same tree.

import { isOver } from "../status";
import type * as api from "../types";
import type { Upload } from "../upload";
import type { Asking, Choices } from "./draft";

/** A tool call with its result, and what was seen of it while it ran. */
export type ToolCall = Omit<api.RunToolCall, "sequence"> &
  Partial<Omit<api.RunToolResult, "sequence">> & { progress?: number; label?: string; previewUrl?: string };

/** Media beside a message, as they are sent. */
type SentMedia = { kind: Upload["kind"]; url: string; filename?: string };

type Part = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export interface Run
  extends Pick<api.ConversationRun, "runId" | "status" | "createdAt" | "completedAt" | "artifacts" | "usage">, Choices {
  /** Those of its tools, as far as they are read. */
  workflowIds?: string[];
  clientMessageId: string;
  userContent: string | Part[];
  mediaReferences: SentMedia[];
  content: string;
  toolCalls: ToolCall[];
  waiting: api.RunWaiting | null;
  error: api.RunFailure | null;
  finishReason: string | null;
  /** The tool calls that were held, with what they are estimated at, by their ids. */
  held?: Record<string, api.AwaitingCost>;
}

/** The run that another one follows; empty for the first of a conversation. */
export const parentOf = (run: Run) => /^after:([^/]*)\//.exec(run.clientMessageId ?? "")?.[1] ?? "";

export const textOf = (content: Run["userContent"]): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

const titleLength = 80; // in characters, as the service has it

/** What a conversation is called by the service after its first message. */
export function titleOf(run: Run): string {
  const letters = [...textOf(run.userContent).split(/\s+/).filter(Boolean).join(" ")];
  return letters.length > titleLength ? letters.slice(0, titleLength - 1).join("") + "…" : letters.join("");
}

/** A title without the marks of Markdown, of which the end may be cut off. */
export const plainTitle = (title: string): string =>
  title.replace(/^#{1,6} /, "").replace(/(?<![\p{L}\p{N}])(\*\*|`)(\S.*?)(?:\1(?![\p{L}\p{N}])|(?=…$))/gu, "$2");

const addressesIn = (content: Run["userContent"]): string[] =>
  typeof content === "string" ? [] : content.flatMap((part) => (part.type === "image_url" ? [part.image_url.url] : []));

/** What was sent with a message: pictures are inside it, and everything else is beside it. */
export function attachmentsOf(run: Run): Upload[] {
  const shown = addressesIn(run.userContent).map((url): SentMedia => ({ kind: "image", url }));
  const all = [...shown, ...run.mediaReferences].filter(
    (m, i, list) => list.findIndex((other) => other.url === m.url) === i,
  );
  return all.map((m) => ({ kind: m.kind, url: m.url, name: m.filename ?? "" }));
}

// What the service takes in a request: pictures in its messages, and media of a kind beside them.
const mostShown = 20;
const mostUploads = 64;
const mostResults = 256;

interface Message {
  role: string;
  content: Run["userContent"];
}

/** Messages without the pictures of which there are too many, and the addresses of these: the oldest. */
function limitPictures(messages: Message[]) {
  const all = messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter((part) => part.type === "image_url"),
  );
  const left = new Set<Part>(all.slice(0, -mostShown));
  return {
    messages: messages.map((m) =>
      typeof m.content === "string" ? m : { ...m, content: m.content.filter((part) => !left.has(part)) },
    ),
    earlier: addressesIn([...left]),
  };
}

const contentOf = (text: string, images: string[]): Run["userContent"] =>
  images.length
    ? [{ type: "text", text }, ...images.map((url): Part => ({ type: "image_url", image_url: { url } }))]
    : text;

/** A run as a conversation lists it. */
function toRun(listed: api.ConversationRun): Run {
  const { runId, status, createdAt, completedAt, artifacts, toolResults, usage, workflowIds } = listed;
  return {
    runId,
    status,
    createdAt,
    completedAt,
    artifacts,
    usage,
    workflowIds,
    model: listed.model ?? "",
    instructions: listed.instructions ?? "",
    temperature: listed.temperature ?? null,
    clientMessageId: listed.clientMessageId ?? "",
    userContent: contentOf(listed.userText, listed.images),
    mediaReferences: listed.mediaReferences as unknown as SentMedia[], // the service answers with what it was sent
    content: listed.finalText,
    toolCalls: listed.toolCalls.map((call) => ({
      status: "running",
      ...call,
      ...toolResults.find((result) => result.toolCallId === call.toolCallId),
    })),
    waiting: listed.waiting ?? null,
    error: listed.error ?? null,
    finishReason: listed.finishReason ?? null,
  };
}

/**
 * Newly read runs. Of those that are not over, what was seen live stays: the events of a run may be
 * newer than what was read, and all of them come. A run that was started meanwhile stays too.
 */
function merge(old: Run[], read: Run[]): Run[] {
  const ids = new Set(read.map((run) => run.runId));
  const merged = read.map((run) => {
    const known = old.find((r) => r.runId === run.runId);
    if (!known || !isOver(run.status)) return known ?? run;
    return {
      ...run,
      content: run.content || known.content,
      artifacts: run.artifacts.length ? run.artifacts : known.artifacts,
      finishReason: run.finishReason ?? known.finishReason,
    };
  });
  return [...merged, ...old.filter((run) => !ids.has(run.runId))];
}

export interface State {
  title: string;
  runs: Run[];
  loading: boolean;
  error?: Error;
  /** The run that was chosen among those that follow another one, by the id of that. */
  chosen: Record<string, string>;
}

export type Event =
  /** Another conversation is shown; a new one has nothing to load. */
  | { type: "opened"; isNew: boolean }
  | { type: "read"; title: string; runs: api.ConversationRun[] }
  | { type: "failed"; error: Error }
  | { type: "titled"; title: string }
  /** The stream of a run has sent something. */
  | { type: "sent"; runId: string; frames: RunFrame[] }
  /** A message was sent, and a run begins after another one. */
  | { type: "started"; run: Run; after: string }
  | { type: "chosen"; after: string; runId: string };

export const nothing: State = { title: "", runs: [], loading: true, chosen: {} };

/** The state after an event. */
export function reduce(state: State, event: Event): State {
  switch (event.type) {
    case "opened":
      return { ...nothing, loading: !event.isNew };
    case "read":
      return {
        ...state,
        title: event.title,
        runs: merge(state.runs, event.runs.map(toRun)),
        loading: false,
        error: undefined,
      };
    case "failed":
      return { ...state, loading: false, error: event.error };
    case "titled":
      return { ...state, title: event.title };
    case "sent":
      return {
        ...state,
        runs: state.runs.map((run) =>
          run.runId === event.runId ? event.frames.reduce((so, frame) => ({ ...so, ...apply(so, frame) }), run) : run,
        ),
      };
    case "started": {
      const others = state.runs.filter((run) => run.runId !== event.run.runId);
      return { ...state, runs: [...others, event.run], chosen: { ...state.chosen, [event.after]: event.run.runId } };
    }
    case "chosen":
      return { ...state, chosen: { ...state.chosen, [event.after]: event.runId } };
  }
}

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

export interface Outgoing extends Choices {
  text: string;
  media: Upload[];
  /** The run that it follows; empty at the beginning. */
  after: string;
  asking: Asking;
}

/** The runs from the first of the branch to one. */
function before(state: State, id: string): Run[] {
  const out: Run[] = [];
  for (let run = state.runs.find((r) => r.runId === id); run;) {
    out.unshift(run);
    const parent = parentOf(run);
    run = state.runs.find((r) => r.runId === parent);
  }
  return out;
}

const sentMedia = (media: Upload[]): SentMedia[] =>
  media.filter((m) => m.kind !== "image").map((m) => ({ kind: m.kind, url: m.url, filename: m.name || undefined }));

const contentFor = (message: Outgoing) =>
  contentOf(
    message.text,
    message.media.filter((m) => m.kind === "image").map((m) => m.url),
  );

// A model that sees no answer to a wish takes it up again with the next one.
const endings: Record<string, string> = {
  cancelled: "(The user stopped this before it was finished.)",
  failed: "(This has failed and was not made.)",
};

/** What a model reads of an earlier answer: its words, and how it ended where they do not say it. */
const answerOf = (run: Run) => [run.content, endings[run.status]].filter(Boolean).join("\n\n");

/** The request that sends a message, with the messages before it and what was made and sent in them. */
export function requestOf(state: State, sessionId: string, message: Outgoing, messageId: string) {
  const runs = before(state, message.after);
  const said = runs.flatMap((run): Message[] => [
    { role: "user", content: run.userContent },
    ...(answerOf(run) ? [{ role: "assistant", content: answerOf(run) }] : []),
  ]);
  const results = runs.flatMap((run) => run.artifacts).filter((a) => a.url);
  const made = (kind: string) =>
    results
      .filter((a) => a.mediaType === kind)
      .map((a) => a.url!)
      .slice(-mostResults);
  const instructions = message.instructions.trim();
  const { messages, earlier } = limitPictures([
    ...(instructions ? [{ role: "system", content: instructions }] : []),
    ...said,
    { role: "user", content: contentFor(message) },
  ]);
  const uploads = [...earlier.map((url) => ({ kind: "image", url })), ...runs.flatMap((run) => run.mediaReferences)];
  const sent = (kind: string) =>
    [...new Set(uploads.filter((m) => m.kind === kind).map((m) => m.url))].slice(-mostUploads);
  return {
    session_id: sessionId,
    client_message_id: `after:${message.after}/${messageId}`,
    messages,
    media_references: sentMedia(message.media),
    media_context: {
      images: made("image"),
      videos: made("video"),
      audio: made("audio"),
      uploadedImages: sent("image"),
      uploadedVideos: sent("video"),
      uploadedAudio: sent("audio"),
    },
    model: message.model || undefined,
    sampling: message.temperature === null ? undefined : { temperature: message.temperature },
    app_source: "console",
    runtime_config: {
      requireJobConfirmation: message.asking === "making",
      requireSpendConfirmation: message.asking === "spending",
    },
  };
}

/** The run that answers a message, at its beginning. */
export const startedRun = (run: api.Run, message: Outgoing): Run => ({
  runId: run.runId,
  status: run.status,
  clientMessageId: run.request.clientMessageId ?? "",
  createdAt: run.timestamps.createdAt,
  model: message.model,
  instructions: message.instructions,
  temperature: message.temperature,
  userContent: contentFor(message),
  mediaReferences: sentMedia(message.media),
  content: "",
  toolCalls: [],
  artifacts: [],
  waiting: null,
  error: null,
  finishReason: null,
});

/** What the stream of a run sends. */
export type RunFrame = api.RunEvent | api.RunStatus | api.RunText | api.EventsTrimmed;

/** What an event changes in a run. Events may repeat. */
export function apply(run: Run, event: RunFrame): Partial<Run> {
  if ("round" in event) return { content: event.first ? event.content : run.content + event.content };
  if (!("sequence" in event)) return "payload" in event ? { status: event.payload.status } : {};
  const calls = (id: string, by: (call: ToolCall) => Partial<ToolCall>) => ({
    toolCalls: run.toolCalls.map((call) => (call.toolCallId === id ? { ...call, ...by(call) } : call)),
  });
  switch (event.type) {
    case "assistant_message_delta":
    case "assistant_message_completed":
      return event.payload.content ? { content: event.payload.content } : {};
    case "tool_call_dispatched": {
      const { toolCallId, toolName } = event.payload;
      if (run.toolCalls.some((call) => call.toolCallId === toolCallId))
        return calls(toolCallId, (call) => (call.status === "waiting_for_user" ? { status: "running" } : {}));
      return {
        toolCalls: [...run.toolCalls, { toolCallId, toolName, arguments: event.payload.arguments, status: "running" }],
      };
    }
    case "tool_call_progress": {
      const { toolCallId, progress, stepLabel, previewUrl } = event.payload;
      return calls(toolCallId, (call) =>
        call.status && call.status !== "running"
          ? {}
          : { status: "running", progress, label: stepLabel, previewUrl: previewUrl ?? call.previewUrl },
      );
    }
    case "tool_call_resolved": {
      const { toolCallId, status, errorCode, artifacts } = event.payload;
      const known = new Set(run.artifacts.map((a) => a.id));
      return {
        ...calls(toolCallId, () => ({ status, errorCode, progress: 1 })),
        artifacts: [...run.artifacts, ...artifacts.filter((a) => !known.has(a.id))],
      };
    }
    case "run_awaiting_cost_confirmation":
      return { held: { ...run.held, [event.payload.toolCallId]: event.payload } };
    case "run_waiting_for_user":
      return { status: "waiting_for_user", waiting: event.payload };
    case "run_cost_confirmation_resolved":
      return { waiting: null, status: run.status === "waiting_for_user" ? "running" : run.status };
    case "run_resumed":
      return { waiting: null };
    case "run_completed":
    case "run_partial_failure": {
      const { status, finalResponse } = event.payload;
      return {
        status,
        waiting: null,
        content: finalResponse.content ?? run.content,
        finishReason: finalResponse.finishReason,
      };
    }
    case "run_failed":
      return { status: "failed", waiting: null, error: event.payload.error };
    case "run_cancelled":
      return { status: "cancelled", waiting: null };
  }
  return {};
}
