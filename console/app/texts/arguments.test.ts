import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "./arguments";

test("a description names tools and arguments as they are shown, and no numbers of media", () => {
  assert.equal(describe("To write them use compose_lyrics."), "To write them use Compose lyrics.");
  assert.equal(describe("With voiceDescription, as glTF.", ["voiceDescription"]), "With Voice description, as glTF.");
  assert.equal(
    describe("The view. By number: 0 and up are results of earlier steps, -1 and below media of the request."),
    "The view.",
  );
});
