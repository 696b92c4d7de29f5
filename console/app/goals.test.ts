import assert from "node:assert/strict";
import { test } from "node:test";
import { linesFor, type Goal, type Line } from "./goals";

const line = (name: string, about: string): Line => ({ key: name, name, about, icon: "cube" });
const goal = (name: string, about: string, also?: string): Goal => ({ ...line(name, about), path: "/" + name, also });
const commands = [line("Create", "Page"), line("Models", "Page")];
const goals = {
  models: [goal("Krea 2", "Model", "krea-2-large"), goal("Z-Turbo", "Model", "z-turbo")],
  workflows: [goal("A fox with Krea", "Workflow"), goal("Create a hen", "Workflow")],
};
const found = (term: string) => linesFor(commands, goals, term).map((l) => l.name);

test("what is made and what makes is found by its name, and a model by its id", () => {
  assert.deepEqual(found("krea"), ["Krea 2", "A fox with Krea"]);
  assert.deepEqual(found("2-large"), ["Krea 2"]);
});

test("commands come first, and alone while nothing is searched", () => {
  assert.deepEqual(found("create"), ["Create", "Create a hen"]);
  assert.deepEqual(found(" "), ["Create", "Models"]);
});

test("a search shows no more lines than one looks through", () => {
  const many = { workflows: Array.from({ length: 200 }, (_, i) => goal(`fox ${i}`, "Workflow")) };
  assert.equal(linesFor(commands, many, "fox").length, 30);
});
