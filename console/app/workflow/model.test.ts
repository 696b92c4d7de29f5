import assert from "node:assert/strict";
import { test } from "node:test";
import type { Estimate } from "../types";
import {
  beforeDiscount,
  blamedBy,
  caveatsOf,
  isCovered,
  missingOf,
  resultsOf,
  sentTo,
  sourcesOf,
  sparkOf,
  stateOf,
  titleOf,
  type Artifact,
  type Step,
  type Workflow,
} from "./model";

const workflow = (...costs: ([spark: string, byPlan: boolean] | null)[]) =>
  ({
    steps: costs.map((cost) => ({ cost: { actual: cost && { costInSpark: cost[0], byPlan: cost[1] } } })),
  }) as unknown as Workflow;

test("a workflow is covered when a plan has paid for all that was charged", () => {
  assert.equal(isCovered(workflow(["1.6", true], ["0", false], null)), true);
  assert.equal(isCovered(workflow(["1.6", true], ["2", false])), false);
  assert.equal(isCovered(workflow(["0", true], null)), false); // nothing was charged
});

const step = (id: string, more: object = {}) =>
  ({
    id,
    toolName: "generate_image",
    status: "completed",
    arguments: {},
    dependsOn: [],
    artifacts: [],
    cost: {},
    ...more,
  }) as unknown as Step;
const workflowOf = (...steps: Step[]) => ({ workflowId: "w", status: "completed", steps }) as unknown as Workflow;

test("what no other step has used comes first", () => {
  const made = (id: string) => [{ id, url: "/" + id, kind: "image" }];
  const both = workflowOf(
    step("look", { artifacts: made("a") }),
    step("clip", { artifacts: made("b"), dependsOn: [{ sourceStepId: "look" }] }),
    step("gone", { artifacts: [{ id: "c", kind: "image" }] }),
  );
  assert.deepEqual(
    resultsOf(both).map(({ artifact }) => artifact.id),
    ["b", "a"],
  );
});

test("a prompt that says what is done with something has its tool before it", () => {
  assert.equal(titleOf(workflowOf(step("a", { arguments: { prompt: "a fox" } }))), "a fox");
  const motion = step("a", { toolName: "animate_photo", arguments: { prompt: "gentle motion" } });
  assert.equal(titleOf(workflowOf(motion)), "Animate photo: gentle motion");
});

test("the discount of a plan is said of what is paid", () => {
  const queued = { status: "queued", cost: { estimatedSpark: "10.8", beforeDiscount: "12" } };
  const open = {
    ...workflowOf(step("a", queued), step("b", { cost: { actual: { costInSpark: "2" } } })),
    status: "running",
  };
  assert.equal(beforeDiscount(open as Workflow), "14.000000000");
  assert.equal(sparkOf(open as Workflow), "12.800000000");
  const failed = workflowOf(step("a", { ...queued, status: "failed" }));
  assert.equal(beforeDiscount(failed), undefined);
});

test("what was not understood names its step where there are several", () => {
  const artifact = { id: "a", url: "/a", kind: "image", notUnderstood: ["a hat", "a scarf."] } as unknown as Artifact;
  assert.deepEqual(caveatsOf([{ artifact }]), ["Not understood: a hat; a scarf."]);
  assert.deepEqual(
    caveatsOf([
      { artifact, step: "Look" },
      { artifact, step: "Sketch" },
    ]),
    ["Not understood in Look: a hat; a scarf.", "Not understood in Sketch: a hat; a scarf."],
  );
});

test("nothing is queued before its cost is approved", () => {
  const queued = workflowOf(step("a", { status: "queued" }));
  assert.equal(stateOf({ ...queued, awaitingCostApproval: true }, queued.steps[0]).name, "Not started");
  assert.deepEqual(stateOf(queued, queued.steps[0]), { status: "queued" });
});

test("what the balance lacks is what no plan pays, less what is left", () => {
  const step = (spark: string, coveredByPlan = false) => ({ cost: { spark }, coveredByPlan });
  const estimate = (tokenType: string, spark: string, parts: string[] = []) =>
    ({
      steps: [step("2.5"), step("1"), step("40", true)],
      payment: { tokenType, parts: parts.map((amount) => ({ token: "spark", amount })) },
      balanceAfter: { spark, premiumSpark: "0", svc: "0" },
    }) as unknown as Estimate;
  assert.equal(Number(missingOf(estimate("spark", "0.5", ["1"]))), 2);
  assert.equal(missingOf(estimate("spark", "9")), "");
  assert.equal(missingOf(estimate("svc", "0")), "");
});

test("what lacks the result of a step did not run", () => {
  const workflow = {
    steps: [
      { id: "cut", status: "failed", artifacts: [], dependsOn: [], error: { code: "error" } },
      {
        id: "up",
        status: "failed",
        artifacts: [],
        dependsOn: [{ sourceStepId: "cut" }],
        error: { code: "dependency_failed" },
      },
    ],
  } as unknown as Workflow;
  assert.equal(blamedBy(workflow, workflow.steps[1])?.id, "cut");
  assert.equal(blamedBy(workflow, workflow.steps[0]), undefined);
  assert.deepEqual(stateOf(workflow, workflow.steps[1]), { status: "cancelled", name: "Not run" });
});

test("media that was sent along is found by its places", () => {
  const workflow = {
    mediaReferences: [
      { kind: "image", url: "https://a.example/1.png" },
      { kind: "image", url: "https://a.example/2.png" },
      { kind: "video", url: "ftp://a.example/3.mp4" },
    ],
  } as unknown as Workflow;
  const step = {
    arguments: { sourceImageIndex: -2, videoIndex: -1, seed: -1 },
    dependsOn: [{ sourceStepId: "$input_media", sourceArtifactIndex: 0, targetArgument: "maskImageIndex" }],
  } as unknown as Step;
  assert.deepEqual(
    sentTo(workflow, step).map(({ url }) => url),
    ["https://a.example/2.png", "https://a.example/1.png"],
  );
});

test("media are given by addresses too, and shown as what they are", () => {
  const step = {
    arguments: {
      mask_image_url: "https://a.example/mask.png",
      image_urls: ["https://a.example/1.png", "https://a.example/2.png"],
      prompt: "https://a.example",
    },
    dependsOn: [],
  } as unknown as Step;
  assert.deepEqual(
    sentTo({ steps: [step] } as unknown as Workflow, step).map(({ argument, kind, url }) => [argument, kind, url]),
    [
      ["mask_image_url", "image", "https://a.example/mask.png"],
      ["image_urls", "image", "https://a.example/1.png"],
      ["image_urls", "image", "https://a.example/2.png"],
    ],
  );
});

test("a step works from what was sent, what has an address, and what other steps have made", () => {
  const made = { id: "a", kind: "image", url: "/made.png" };
  const workflow = {
    mediaReferences: [{ kind: "image", url: "https://a.example/1.png" }],
    steps: [{ id: "draw", artifacts: [made] }],
  } as unknown as Workflow;
  const step = {
    arguments: { sourceImageIndex: -1, mask_image_url: "https://a.example/mask.png", prompt: "https://a.example" },
    dependsOn: [{ sourceStepId: "draw", sourceArtifactIndex: 0, targetArgument: "endImageIndex" }],
  } as unknown as Step;
  assert.deepEqual(
    sourcesOf(workflow, step).map(({ argument, url }) => [argument, url]),
    [
      ["sourceImageIndex", "https://a.example/1.png"],
      ["mask_image_url", "https://a.example/mask.png"],
      ["endImageIndex", "/made.png"],
    ],
  );
});
