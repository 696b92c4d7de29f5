import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationRun, Run as ApiRun } from "../types";
import {
  attachmentsOf,
  branch,
  nothing,
  reduce,
  requestOf,
  startedRun,
  textOf,
  plainTitle,
  titleOf,
  type Event,
  type Outgoing,
  type Run,
  type RunFrame,
  type State,
} from "./conversation";

const message = (more: Partial<Outgoing> = {}): Outgoing => ({
  text: "hello",
  media: [],
  after: "",
  asking: "making",
  model: "",
  instructions: "",
  temperature: null,
  ...more,
});
const run = (runId: string, after = "") =>
  ({
    runId,
    status: "running",
    request: { clientMessageId: `after:${after}/x` },
    timestamps: { createdAt: "t" },
  }) as unknown as ApiRun;
const started = (runId: string, after = "", more: Partial<Outgoing> = {}): Event => ({
  type: "started",
  run: startedRun(run(runId, after), message({ after, ...more })),
  after,
});
const listed = (runId: string, more: Partial<ConversationRun> = {}) =>
  ({
    runId,
    status: "completed",
    createdAt: "t",
    userText: "hello",
    images: [],
    mediaReferences: [],
    finalText: "hi",
    toolCalls: [],
    toolResults: [],
    artifacts: [],
    clientMessageId: "after:/x",
    workflowIds: [],
    updatedAt: "t",
    ...more,
  }) as ConversationRun;
const play = (...events: Event[]): State => events.reduce(reduce, nothing);
const sent = (runId: string, type: string, payload: object): Event => ({
  type: "sent",
  runId,
  frames: [{ sequence: 1, type, payload } as unknown as RunFrame],
});

test("a conversation is loaded, unless it is new", () => {
  assert.equal(play({ type: "opened", isNew: true }).loading, false);
  const state = play({ type: "opened", isNew: false }, { type: "read", title: "Foxes", runs: [listed("a")] });
  assert.deepEqual([state.loading, state.title, state.runs[0].content], [false, "Foxes", "hi"]);
  assert.equal(reduce(state, { type: "failed", error: new Error("no") }).runs.length, 1);
});

test("the answer is written as it comes, and repeated events change nothing", () => {
  const events = [
    sent("a", "assistant_message_delta", { content: "A fo" }),
    sent("a", "tool_call_dispatched", { toolCallId: "c", toolName: "generate_image", arguments: {} }),
    sent("a", "tool_call_progress", { toolCallId: "c", progress: 0.5 }),
    sent("a", "tool_call_resolved", { toolCallId: "c", status: "ok", artifacts: [{ id: "p" }] }),
    sent("a", "run_completed", { status: "completed", finalResponse: { content: "A fox.", finishReason: "stop" } }),
  ];
  const state = play(started("a"), ...events);
  const [a] = state.runs;
  assert.deepEqual([a.status, a.content, a.toolCalls[0].status, a.artifacts.length], ["completed", "A fox.", "ok", 1]);
  assert.deepEqual(events.reduce(reduce, state).runs[0].artifacts, a.artifacts);
});

test("the text of a round grows, and one that is asked again begins again", () => {
  const written = (content: string, first = false): Event => ({
    type: "sent",
    runId: "a",
    frames: [{ type: "assistant_message_text", runId: "a", round: 1, first, content }],
  });
  const contents = [
    written("Good ", true),
    written("even"),
    written("Good ", true),
    written("morning"),
    sent("a", "assistant_message_delta", { content: "Good morning." }),
  ].map((_, i, events) => play(started("a"), ...events.slice(0, i + 1)).runs[0].content);
  assert.deepEqual(contents, ["Good ", "Good even", "Good ", "Good morning", "Good morning."]);
});

test("a run waits for the approval of its cost", () => {
  const waiting = play(
    started("a"),
    sent("a", "run_awaiting_cost_confirmation", { toolCallId: "c", estimatedCost: 2 }),
    sent("a", "run_waiting_for_user", { reason: "cost_approval_required", message: "", details: {} }),
  );
  assert.deepEqual([waiting.runs[0].status, waiting.runs[0].held?.c.estimatedCost], ["waiting_for_user", 2]);
  const resumed = reduce(
    waiting,
    sent("a", "run_cost_confirmation_resolved", { toolCallId: "c", decision: "confirm" }),
  );
  assert.deepEqual([resumed.runs[0].status, resumed.runs[0].waiting], ["running", null]);
});

test("what was read does not undo what was seen of a run that continues", () => {
  const state = play(started("a"), sent("a", "assistant_message_delta", { content: "A fo" }), {
    type: "read",
    title: "",
    runs: [listed("a", { status: "running", finalText: "" })],
  });
  assert.equal(state.runs[0].content, "A fo");
});

test("an edited message begins a branch, which is shown until another is chosen", () => {
  const state = play(started("a"), started("b", "a"), started("a2"));
  assert.deepEqual(
    branch(state).map((turn) => turn.run.runId),
    ["a2"],
  );
  const back = reduce(state, { type: "chosen", after: "", runId: "a" });
  assert.deepEqual(
    branch(back).map((turn) => [turn.run.runId, turn.siblings.length]),
    [
      ["a", 2],
      ["b", 1],
    ],
  );
});

test("a request has the messages of its branch, and what was made and sent in them", () => {
  const upload = { kind: "image" as const, url: "/u", name: "u.png" };
  const sound = { kind: "audio" as const, url: "/s", name: "s.wav" };
  const state = play(
    started("a", "", { media: [upload, sound] }),
    sent("a", "assistant_message_completed", { content: "Nice." }),
    sent("a", "tool_call_resolved", {
      toolCallId: "c",
      status: "ok",
      artifacts: [{ id: "p", url: "/p", mediaType: "image" }],
    }),
    started("other"),
  );
  const body = requestOf(state, "s", message({ text: "again", after: "a" }), "m");
  assert.deepEqual(
    body.messages.map((m) => [m.role, textOf(m.content)]),
    [
      ["user", "hello"],
      ["assistant", "Nice."],
      ["user", "again"],
    ],
  );
  assert.deepEqual(
    [body.client_message_id, body.media_context.images, body.media_context.uploadedAudio],
    ["after:a/m", ["/p"], ["/s"]],
  );
  assert.deepEqual(
    attachmentsOf(state.runs[0]).map((m) => m.url),
    ["/u", "/s"],
  );
});

test("the oldest pictures go beside the messages when there are too many", () => {
  const media = Array.from({ length: 25 }, (_, i) => ({ kind: "image" as const, url: `/${i}`, name: "" }));
  const body = requestOf(nothing, "s", message({ media }), "m");
  assert.equal((body.messages[0].content as object[]).length, 21); // the text, and 20 pictures
  assert.deepEqual(body.media_context.uploadedImages, ["/0", "/1", "/2", "/3", "/4"]);
});

test("a message is sent with what its conversation is answered by", () => {
  const body = requestOf(nothing, "s", message({ model: "wise", instructions: " Be brief. ", temperature: 0.2 }), "m");
  assert.equal(body.model, "wise");
  assert.deepEqual(body.messages[0], { role: "system", content: "Be brief." });
  assert.deepEqual(body.sampling, { temperature: 0.2 });
  assert.equal(requestOf(nothing, "s", message(), "m").messages.length, 1);
  assert.equal(requestOf(nothing, "s", message(), "m").sampling, undefined);
});

test("a message says when its run asks", () => {
  const config = (asking: Outgoing["asking"]) => requestOf(nothing, "s", message({ asking }), "m").runtime_config;
  assert.deepEqual(config("making"), { requireJobConfirmation: true, requireSpendConfirmation: false });
  assert.deepEqual(config("spending"), { requireJobConfirmation: false, requireSpendConfirmation: true });
  assert.deepEqual(config("never"), { requireJobConfirmation: false, requireSpendConfirmation: false });
});

test("a listed run has what it was answered by", () => {
  const state = play({
    type: "read",
    title: "t",
    runs: [listed("a", { model: "wise", instructions: "Be brief.", temperature: 0.2 }), listed("b")],
  });
  const [a, b] = state.runs.map(({ model, instructions, temperature }) => ({ model, instructions, temperature }));
  assert.deepEqual(a, { model: "wise", instructions: "Be brief.", temperature: 0.2 });
  assert.deepEqual(b, { model: "", instructions: "", temperature: null });
});

test("a new conversation is called as the service will call it", () => {
  const titled = (userContent: string) => titleOf({ userContent } as Run);
  assert.equal(
    titled("Make a picture of a lighthouse\n and animate it for 2 seconds"),
    "Make a picture of a lighthouse and animate it for 2 seconds",
  );
  assert.equal(titled("é".repeat(80)), "é".repeat(80));
  assert.equal(titled("é".repeat(81)), "é".repeat(79) + "…");
});

test("a model is told that an earlier answer was stopped or has failed", () => {
  for (const [type, payload, want] of [
    ["run_cancelled", { reason: "" }, "(The user stopped this before it was finished.)"],
    ["run_failed", { error: { code: "x", message: "no" } }, "(This has failed and was not made.)"],
  ] as const) {
    const state = play(started("a"), sent("a", type, payload));
    const { messages } = requestOf(state, "s", message({ text: "a cottage", after: "a" }), "m");
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content]),
      [
        ["user", "hello"],
        ["assistant", want],
        ["user", "a cottage"],
      ],
    );
  }
});

test("a title has no marks of Markdown", () => {
  const plain = (title: string, expected: string) => assert.equal(plainTitle(title), expected);
  plain("Make **two** pictures of `foxes`", "Make two pictures of foxes");
  plain("# A list with **bold words, of which the end is cut …", "A list with bold words, of which the end is cut …");
  plain("What is 2 ** 3, or 2**3, or main.__init__?", "What is 2 ** 3, or 2**3, or main.__init__?");
});
