import assert from "node:assert/strict";
import { test } from "node:test";
import { templateOf } from "./as-template";
import type { Workflow } from "./model";

const step = (id: string, toolName: string, args: Record<string, unknown>, sources: [string, string][] = []) => ({
  id,
  toolName,
  arguments: args,
  artifacts: [],
  dependsOn: sources.map(([sourceStepId, targetArgument]) => ({
    sourceStepId,
    sourceArtifactIndex: 0,
    targetArgument,
  })),
});

test("all steps become stages, and what was sent along an input", () => {
  const workflow = {
    title: "A fox, cut out",
    mediaReferences: [{ kind: "image", url: "/fox.png" }],
    steps: [
      step("draw/main", "edit_image", { prompt: "a fox", sourceImageIndex: -1 }),
      step("3d", "image_to_3d", {}, [["draw/main", "sourceImageIndex"]]),
      step("mix", "edit_image", { prompt: "both" }, [["$input_media", "referenceImageIndices"]]),
    ],
  } as unknown as Workflow;
  const { name, inputs, stages } = templateOf(workflow);
  assert.equal(name, "A fox, cut out");
  assert.deepEqual(inputs, [{ name: "image_1", type: "image", required: true, description: "" }]);
  assert.deepEqual(stages, [
    {
      id: "draw",
      tool: "edit_image",
      args: { prompt: "a fox", sourceImageIndex: "$inputs.image_1" },
      produces: ["draw"],
    },
    {
      id: "step_3d",
      tool: "image_to_3d",
      args: { sourceImageIndex: "$artifacts.draw.items[0].url" },
      produces: ["step_3d"],
    },
    {
      id: "mix",
      tool: "edit_image",
      args: { prompt: "both", referenceImageIndices: ["$inputs.image_1"] },
      produces: ["mix"],
    },
  ]);
});
