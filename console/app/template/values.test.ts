import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateInput } from "./model";
import { filled, initial, lacking, needs } from "./values";

const input = (name: string, more: Partial<TemplateInput> = {}): TemplateInput => ({ name, type: "text", ...more });
const inputs = [
  input("subject", { required: true }),
  input("style", { default: "ink" }),
  input("moods", { multiple: { min: 2, max: 3 } }),
  input("pictures", { type: "image", multiple: { min: 1, max: 5 } }),
  input("large", { type: "boolean" }),
  input("secret", { internal: true, default: "x" }),
];

test("a form begins with the defaults, and with places for the values of lists", () => {
  assert.deepEqual(initial(inputs), { style: "ink", moods: ["", ""], pictures: [], large: false });
});

test("what is empty is not sent", () => {
  const values = { subject: "", style: "ink", moods: ["calm", ""], pictures: [], large: false, secret: "x" };
  assert.deepEqual(filled(inputs, values), { style: "ink", moods: ["calm"], large: false });
});

test("what is required has a value, and a list that has values has enough", () => {
  assert.deepEqual(Object.keys(lacking(inputs, { subject: " ", moods: ["", ""] })), []);
  assert.deepEqual(Object.keys(lacking(inputs, { subject: "", moods: ["calm"] })), ["subject", "moods"]);
});

test("what must be brought has no default", () => {
  const more = [
    input("title", { required: true, default: "Untitled" }),
    input("photo", { type: "image", required: true }),
  ];
  assert.deepEqual(
    needs([...inputs, ...more]).map(({ name }) => name),
    ["subject", "photo"],
  );
});
