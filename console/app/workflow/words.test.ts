import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, isOfInput, lackedBy } from "./words";

const said = (message: string) => inWords(message, (id) => (id === "z-turbo" ? "Z-Turbo" : id));

test("the content filter says what a person does, not what a program sends", () => {
  const help =
    "Cancel the workflow and start it again with another prompt, or resume it with safe_content_filter false if your account may turn the filter off.";
  assert.equal(
    said(`The content filter paused this step: category sexual. ${help}`),
    "The content filter paused this step: category sexual. Change the prompt, or cancel.",
  );
  assert.equal(said(help), "Change the prompt, or cancel.");
});

test("models are called by their names", () => {
  assert.equal(said("No worker offers z-turbo."), "No worker offers Z-Turbo.");
});

test("arguments are called by their labels, and quoted words stay", () => {
  assert.equal(
    said('The media for sourceImageIndex could not be read: The URL\'s host "myPictures" was not found.'),
    'The media for “Source image” could not be read: The URL\'s host "myPictures" was not found.',
  );
  assert.equal(said("source_image_url answered with status 404."), "“Source image” answered with status 404.");
});

test("the step whose result was lacked is found in the message", () => {
  assert.equal(lackedBy('It needs a result of the step "draw/main", which has none.'), "draw/main");
  assert.equal(lackedBy("The media for sourceImageIndex could not be read."), undefined);
});

test("what a step was given is told from what happened to it", () => {
  const of = (classification: string, message: string) => isOfInput({ classification, message });
  assert.ok(of("validation", "The media for sourceImageIndex could not be read: it answered with status 404."));
  assert.ok(!of("validation", 'It needs a result of the step "draw/main", which has none.'));
  assert.ok(!of("provider", "The renderer ended."));
});
