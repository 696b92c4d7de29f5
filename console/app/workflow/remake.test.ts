import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../api";
import type { Step } from "../types";
import { offerOf, remakeReducer } from "./remake";

const step = (remake?: Step["remake"]) => ({ id: "a", remake }) as Step;
const fresh = { busy: false };

test("what can be made again is offered, what was leads to the workflow that does so", () => {
  assert.equal(offerOf(step(), fresh), undefined);
  assert.deepEqual(offerOf(step({ state: "available" }), fresh), {});
  assert.deepEqual(offerOf(step({ state: "used", workflowId: "w2" }), fresh), { by: "w2" });
  assert.equal(offerOf(step({ state: "used" }), fresh), undefined);
});

test("a start is remembered until the step is read again", () => {
  const asked = remakeReducer(fresh, { type: "asked" });
  assert.equal(asked.busy, true);
  const started = remakeReducer(asked, { type: "started", workflowId: "w2" });
  assert.deepEqual(started, { busy: false, by: "w2" });
  assert.deepEqual(offerOf(step({ state: "available" }), started), { by: "w2" });
});

test("a refusal names the workflow that was first, and a lost answer leaves the offer", () => {
  const refused = new ApiError("no", 409, 2052, "", 0, { details: { remakeWorkflowId: "w3" } });
  assert.deepEqual(remakeReducer({ busy: true }, { type: "failed", error: refused }), { busy: false, by: "w3" });
  const lost = remakeReducer({ busy: true }, { type: "failed", error: new Error("lost") });
  assert.deepEqual(offerOf(step({ state: "available" }), lost), {});
});
