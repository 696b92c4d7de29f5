import assert from "node:assert/strict";
import test from "node:test";
import { atelier } from "./stage.js";

const body = {
  model: "atelier-builtin",
  messages: [{ role: "user", content: "Make a picture of a lighthouse at dusk" }],
  runtime_config: { requireJobConfirmation: true },
};

test("a run waits for the approval of its cost, and makes a picture", async () => {
  const events = [];
  const previews = [];
  const run = await atelier.runs.run(body, {
    onEvent: (event) => events.push(event.type),
    approve(waits) {
      previews.push(waits.waiting.details.costApprovalPreview);
      return true;
    },
  });
  assert.equal(run.status, "completed", run.error?.message);
  assert.equal(previews.length, 1);
  assert.ok(previews[0].totalEstimatedCapacityUnits > 0);
  assert.equal(run.artifacts[0].mediaType, "image");
  assert.ok(run.finalResponse.content);
  for (const type of ["run_created", "run_waiting_for_user", "run_cost_confirmation_resolved", "tool_call_resolved", "run_completed"])
    assert.ok(events.includes(type), `${type} is missing in ${events}`);
  assert.equal(events.at(-1), "run_status");
});

test("a cost that is declined makes nothing", async () => {
  const run = await atelier.runs.run(body, { approve: () => false });
  assert.equal(run.status, "completed");
  assert.deepEqual(run.artifacts, []);
});

test("a run without approval is returned as it waits, and can be cancelled", async () => {
  const run = await atelier.runs.run(body);
  assert.equal(run.status, "waiting_for_user");
  assert.equal(run.waiting.reason, "cost_approval_required");
  await atelier.runs.cancel(run.runId, { reason: "changed my mind" });
  const cancelled = await atelier.runs.get(run.runId);
  assert.equal(cancelled.status, "cancelled");
  await assert.rejects(atelier.runs.confirm(cancelled), /waits for no decision/);
});

test("a text arrives while the model writes it", async () => {
  const run = await atelier.runs.start({ model: "scripted", messages: [{ role: "user", content: "say One two three" }] });
  let text = "";
  for await (const event of atelier.runs.events(run.runId)) {
    if (event.type === "assistant_message_text") text = event.first ? event.content : text + event.content;
    if (event.type === "assistant_message_completed") text = event.payload.content;
  }
  assert.equal(text, "One two three");
});

test("a run without messages is refused by the name of the field", async () => {
  await assert.rejects(atelier.runs.start({ messages: [] }), { status: 400, field: "messages" });
});
