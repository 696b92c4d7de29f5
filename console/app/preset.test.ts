import assert from "node:assert/strict";
import { test } from "node:test";
import { localStyles, missing, reduce, shown, type State } from "./preset";

const oil = { name: "Oil", value: "oil on canvas" };
const ink = { name: "Ink", value: "ink on paper" };
const start: State = { kept: [oil], pending: [] };

test("a change is shown at once, and stays when the service confirms it", () => {
  const begun = reduce(start, { type: "begin", change: ink });
  assert.deepEqual(shown(begun), [ink, oil]);
  const done = reduce(begun, { type: "done", change: ink });
  assert.deepEqual(done, { kept: [ink, oil], pending: [] });
});

test("a change that is refused is taken back, and others stay", () => {
  const removal = { name: "Oil" };
  let state = reduce(reduce(start, { type: "begin", change: removal }), { type: "begin", change: ink });
  assert.deepEqual(shown(state), [ink]);
  state = reduce(state, { type: "failed", change: removal });
  assert.deepEqual(shown(state), [ink, oil]);
  assert.deepEqual(shown(reduce(state, { type: "failed", change: ink })), [oil]);
});

test("what another device keeps is not lost, and a change outlives a reading", () => {
  const chalk = { name: "Chalk", value: "chalk" };
  let state = reduce(start, { type: "begin", change: ink });
  state = reduce(state, { type: "read", kept: [chalk, oil] });
  assert.deepEqual(shown(state), [chalk, ink, oil]);
  assert.deepEqual(reduce(state, { type: "done", change: ink }).kept, [chalk, ink, oil]);
});

test("a second value replaces the first, whichever is confirmed", () => {
  const later = { name: "Oil", value: "engine oil" };
  const state = reduce(start, { type: "begin", change: later });
  assert.deepEqual(shown(state), [later]);
  assert.deepEqual(shown({ pending: [] }), []);
});

test("what a browser had is moved, and overwrites nothing", () => {
  assert.deepEqual(missing([oil, ink], [oil]), [ink]);
  assert.deepEqual(missing([{ name: "Oil", value: "engine oil" }], [oil]), [{ name: "Oil 2", value: "engine oil" }]);
  const long = "x".repeat(60);
  assert.deepEqual(missing([{ name: long, value: "b" }], [{ name: long, value: "a" }]), [
    { name: `${long.slice(4)} 2`, value: "b" },
  ]);
  assert.deepEqual(missing([{ name: "Oil", value: "engine oil" }], [oil, { name: "Oil 2", value: "engine oil" }]), []);
});

test("the styles of a browser are read as they were kept", () => {
  assert.deepEqual(
    localStyles('[{"name": " Oil  paint ", "words": "oil"}, 1, {"name": "x"}, {"name": "", "words": "y"}]'),
    [{ name: "Oil paint", value: "oil" }],
  );
  assert.deepEqual(localStyles("{]"), []);
  assert.deepEqual(localStyles(""), []);
});
