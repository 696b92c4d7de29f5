import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, changedBy, fits, shared, tagsIn } from "./mark";

const none = { favourite: false, tags: [], boards: [] };

test("a change of marks keeps what it does not name", () => {
  const marks = { favourite: true, tags: ["fox", "snow"], boards: ["a"] };
  assert.deepEqual(applied(marks, {}), marks);
  assert.deepEqual(applied(marks, { favourite: false, addTags: ["dusk", "fox"], removeTags: ["snow"] }), {
    favourite: false,
    tags: ["dusk", "fox"],
    boards: ["a"],
  });
  assert.deepEqual(applied(none, { addBoards: ["b"], removeBoards: ["b", "c"] }).boards, []);
});

test("changes follow each other, and keep what is known of other items", () => {
  const fox = { id: "fox", ...none };
  const owl = { id: "owl", ...none, favourite: true };
  const known = new Map([
    ["fox", { ...none, tags: ["snow"] }],
    ["elk", none],
  ]);
  const marks = changedBy(known, [
    { items: [fox, owl], change: { favourite: false } },
    { items: [fox], change: { favourite: true, addTags: ["dusk"] } },
  ]);
  assert.deepEqual(Object.fromEntries(marks), {
    fox: { favourite: true, tags: ["dusk", "snow"], boards: [] },
    elk: none,
    owl: none,
  });
  assert.equal(known.size, 2);
});

test("a filter takes what has all its marks", () => {
  const marks = { favourite: true, tags: ["fox", "snow"], boards: ["a"] };
  const all = { board: "", favourite: false, tags: [] };
  assert.ok(fits(none, all));
  assert.ok(fits(marks, { board: "a", favourite: true, tags: ["snow", "fox"] }));
  assert.ok(!fits(marks, { ...all, board: "b" }));
  assert.ok(!fits(marks, { ...all, tags: ["fox", "owl"] }));
  assert.ok(!fits(none, { ...all, favourite: true }));
});

test("several items share some values", () => {
  assert.deepEqual(shared([["b", "a"], ["a"]]), { all: ["a"], some: ["b"] });
  assert.deepEqual(shared([]), { all: [], some: [] });
});

test("tags are written with commas and in any case", () => {
  assert.deepEqual(tagsIn(" Winter   Morning, fox,, FOX "), ["winter morning", "fox"]);
  assert.deepEqual(tagsIn(" , "), []);
});
