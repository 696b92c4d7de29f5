import assert from "node:assert/strict";
import { test } from "node:test";
import { stagesOf } from "../template/derive";
import { issueInWords } from "./issue-words";

const [fox] = stagesOf({ stages: [{ id: "fox", tool: "generate_image", args: {} }] });
const said = (path: string, message: string) => {
  const issue = issueInWords({ path, message, severity: "error" }, fox, (name) => name === "generate_image");
  return `${issue.place}: ${issue.message}`;
};

test("an issue names its field and tools as the form does", () => {
  assert.equal(
    said("stages[0].args.prompt", "stages[0].args.prompt is required for generate_image."),
    "fox: Prompt is required for Generate image.",
  );
  assert.equal(
    said("stages[0].args.sourceImageIndex", "stages[0].args.sourceImageIndex is not a number."),
    "fox: Source image is not a number.",
  );
  assert.equal(said("stages[0].overBinding", "stages[0].overBinding is required."), "fox: For each of is required.");
  assert.equal(said("inputs[0].default", "inputs[0].default must be text."), "fox: Default must be text.");
});

test("a message that names no field has it in its place", () => {
  assert.equal(said("stages[0].args.prompt", "No stage makes my_fox."), "fox · Prompt: No stage makes my_fox.");
  assert.equal(said("stages[0].args.prompt", "Prompt is required."), "fox: Prompt is required.");
});
