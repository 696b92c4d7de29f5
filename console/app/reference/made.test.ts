import assert from "node:assert/strict";
import { test } from "node:test";
import { madeBy } from "./made";

const answer = (status: string, data: object) => ({ status, body: JSON.stringify({ status: "success", data }) });

test("the answer to a start leads to what was started", () => {
  const workflow = { workflow: { workflowId: "w/1" } };
  assert.deepEqual(madeBy("POST", answer("201 Created", workflow)), { kind: "workflow", path: "/workflows/w%2F1" });
  assert.deepEqual(madeBy("POST", answer("202 Accepted", { run: { id: "r", sessionId: "s" } })), {
    kind: "conversation",
    path: "/chat/s",
  });
});

test("any other answer leads nowhere", () => {
  const workflow = { workflow: { workflowId: "w" } };
  assert.equal(madeBy("GET", answer("201 Created", workflow)), undefined);
  assert.equal(madeBy("POST", answer("200 OK", workflow)), undefined);
  assert.equal(madeBy("POST", answer("201 Created", { run: { id: "r" } })), undefined);
  assert.equal(madeBy("POST", { status: "201 Created", body: '{"data"' }), undefined);
});
