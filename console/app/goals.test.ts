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

test("a command is found by what else it is called, tools and accounts by their names", () => {
  const key = { ...line("Create an API key", "Account"), also: "create a key, new key" };
  const all = {
    tools: [goal("Generate image", "Tool", "Makes a picture")],
    accounts: [goal("ann", "Account", "0xabc")],
  };
  const names = (term: string) => linesFor([key], all, term).map((l) => l.name);
  assert.deepEqual(names("create a key"), ["Create an API key"]);
  assert.deepEqual(names("generate_image"), ["Generate image"]);
  assert.deepEqual(names("0xabc"), ["ann"]);
});

test("words are found without the signs between them, apart, and by other names", () => {
  const all = [
    { ...line("New conversation", "Chat"), also: "new chat" },
    { ...line("Sign out", "Account"), also: "log out" },
  ];
  const more = { models: [goal("Z-Image Turbo", "Model", "z_image_turbo_bf16"), goal("Krea 2 Turbo", "Model")] };
  const names = (term: string) => linesFor(all, more, term).map((l) => l.name);
  assert.deepEqual(names("zimage"), ["Z-Image Turbo"]);
  assert.deepEqual(names("z image"), ["Z-Image Turbo"]);
  assert.deepEqual(names("turbo krea"), ["Krea 2 Turbo"]);
  for (const term of ["new chat", "newchat", "chat new"]) assert.deepEqual(names(term), ["New conversation"]);
  for (const term of ["signout", "log out", "logout"]) assert.deepEqual(names(term), ["Sign out"]);
  assert.deepEqual(names("out zimage"), []);
});

test("LoRAs and boards are found", () => {
  const all = { loras: [goal("Ink wash", "LoRA")], boards: [goal("Ink", "Board")] };
  assert.deepEqual(
    linesFor([], all, "ink").map((l) => l.about),
    ["LoRA", "Board"],
  );
});

test("commands come first, and alone while nothing is searched", () => {
  assert.deepEqual(found("create"), ["Create", "Create a hen"]);
  assert.deepEqual(found(" "), ["Create", "Models"]);
});

test("what the service has found for a term comes last, and once", () => {
  const served = [goal("Untitled", "Workflow"), goal("A fox with Krea", "Workflow")];
  const names = linesFor(commands, goals, "krea", served).map((l) => l.name);
  assert.deepEqual(names, ["Krea 2", "A fox with Krea", "Untitled"]);
  assert.deepEqual(linesFor(commands, goals, " ", served).length, 2);
});

test("a search shows no more lines than one looks through", () => {
  const many = { workflows: Array.from({ length: 200 }, (_, i) => goal(`fox ${i}`, "Workflow")) };
  assert.equal(linesFor(commands, many, "fox").length, 30);
});
