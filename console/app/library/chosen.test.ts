import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenOf } from "./chosen";

test("what was chosen is said in words, without media and what the details say themselves", () => {
  const given = {
    prompt: "a fox",
    model: "fast",
    seed: 7,
    width: 512,
    sourceImageIndex: -1,
    source_image_url: "https://a.example/1.png",
    description: "from the left",
    generateAudio: false,
    scale: 2,
    controlMode: "animate-move",
    prompts: ["it waves", "it turns"],
    points: [{ x: 0.5, y: 0.5 }],
    empty: "",
  };
  assert.deepEqual(
    chosenOf({ arguments: given }).map(({ name, value }) => `${name}: ${value}`),
    [
      "Description: from the left",
      "Generate audio: No",
      "Scale: 2",
      "Control mode: Animate move",
      "Prompts: it waves, it turns",
    ],
  );
});
