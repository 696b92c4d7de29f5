import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnalysis } from "./analysis";

test("an analysis is told by what it says in words", () => {
  const told = readAnalysis('{"query":"What is it?","summary":"A fox.","facts":{"width":1}}');
  assert.deepEqual([told.query, told.summary, told.limits], ["What is it?", "A fox.", ""]);
  assert.ok(told.whole.includes('"facts": {\n'));
  assert.deepEqual(readAnalysis("[1]"), { query: "", summary: "", limits: "", whole: "[\n  1\n]" });
  assert.deepEqual(readAnalysis("no JSON"), { query: "", summary: "", limits: "", whole: "no JSON" });
});
