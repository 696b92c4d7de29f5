import assert from "node:assert/strict";
import { test } from "node:test";
import type { Workflow } from "../types";
import { retryOf } from "./retry";

type Part = Record<string, unknown>;
const image = (id: string) => ({ id, kind: "image", url: `https://x/${id}` });
const step = (id: string, status: string, more: Part = {}) => ({
  id,
  toolName: "edit_image",
  status,
  arguments: { prompt: id },
  artifacts: status === "completed" ? [image(id)] : [],
  dependsOn: [],
  ...more,
});
const binding = (sourceStepId: string, sourceArtifactIndex = 0) => ({
  sourceStepId,
  sourceArtifactIndex,
  targetArgument: "sourceImageIndex",
  transform: "image_index",
  required: true,
});
const workflow = (steps: Part[], more: Part = {}) =>
  ({ workflowId: "w", title: "Foxes", steps, ...more }) as unknown as Workflow;

test("what failed is done again with what is done", () => {
  const body = retryOf(
    workflow(
      [
        step("a", "completed"),
        step("b", "failed", { dependsOn: [binding("a"), binding("$input_media")] }),
        step("c", "cancelled", { dependsOn: [binding("b")] }),
      ],
      { mediaReferences: [{ kind: "image", url: "https://x/mine" }] },
    ),
  )!;
  assert.deepEqual(body.media_references, [
    { kind: "image", url: "https://x/mine" },
    { kind: "image", url: "https://x/a" },
  ]);
  assert.deepEqual(body.input!.steps, [
    {
      id: "b",
      toolName: "edit_image",
      arguments: { prompt: "b" },
      dependsOn: [binding("$input_media", 1), binding("$input_media")],
    },
    { id: "c", toolName: "edit_image", arguments: { prompt: "c" }, dependsOn: [binding("b")] },
  ]);
});

test("places of results become places of what is sent along", () => {
  const args = { arguments: { sourceImageIndex: 1, referenceImageIndices: [0, -1] } };
  const body = retryOf(workflow([step("a", "completed"), step("b", "completed"), step("c", "failed", args)]))!;
  assert.deepEqual(body.input!.steps[0].arguments, { sourceImageIndex: -1, referenceImageIndices: [-2, -1] });
  assert.deepEqual(
    body.media_references!.map((m) => m.url),
    ["https://x/b", "https://x/a"],
  );
});

test("everything is done again where there is nothing to take over, or it cannot be sent along", () => {
  const sent = (steps: Part[]) =>
    retryOf(workflow(steps, { mediaReferences: [{ kind: "image", url: "https://x/mine" }] }))!;
  const failed = [
    step("a", "failed", { arguments: { sourceImageIndex: -1 } }),
    step("b", "cancelled", { dependsOn: [binding("a")], arguments: { referenceImageIndices: [0] } }),
  ];
  assert.deepEqual(sent(failed).input!.steps, [
    { id: "a", toolName: "edit_image", arguments: { sourceImageIndex: -1 }, dependsOn: [] },
    { id: "b", toolName: "edit_image", arguments: { referenceImageIndices: [0] }, dependsOn: [binding("a")] },
  ]);
  assert.deepEqual(sent(failed).media_references, [{ kind: "image", url: "https://x/mine" }]);
  const ids = (steps: Part[]) => sent(steps).input!.steps.map((s) => s.id);
  const text = { artifacts: [{ id: "t", kind: "text", url: "https://x/t" }] };
  assert.deepEqual(ids([step("a", "completed", text), step("b", "failed", { dependsOn: [binding("a")] })]), ["a", "b"]);
  const late = { arguments: { sourceImageIndex: 1 } };
  assert.deepEqual(ids([step("a", "completed"), step("b", "failed"), step("c", "failed", late)]), ["a", "b", "c"]);
});

test("a retry is of the template of the workflow", () => {
  const body = (more: Part) => retryOf(workflow([step("a", "completed"), step("b", "failed")], more))!;
  assert.equal(body({ template: { id: "t", version: "1.0.0" } }).continues, "w");
  assert.equal(body({}).continues, undefined);
});

test("nothing is offered where everything is done", () => {
  assert.equal(retryOf(workflow([step("a", "completed")])), undefined);
});
