import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolEntry, Workflow } from "../types";
import { comparisonOf, sourceOf } from "./source";

const tools = [
  {
    name: "edit_image",
    arguments: [
      { name: "prompt", type: "string" },
      { name: "mask_image_url", type: "string", media: "image", url: true, aside: true },
      { name: "sourceImageIndex", type: "integer", media: "image" },
    ],
  },
] as unknown as ToolEntry[];
const edit = (args: object) =>
  ({
    mediaReferences: [{ kind: "image", url: "/sent" }],
    steps: [{ id: "make", toolName: "edit_image", arguments: args, dependsOn: [], artifacts: [] }],
  }) as unknown as Workflow;
const picture = (id: string) => ({ id, kind: "image", url: `/${id}`, width: 64, height: 32, label: "a fox" });

test("the source is the picture that was worked on, not its mask", () => {
  assert.equal(sourceOf(edit({ sourceImageIndex: -1, mask_image_url: "/mask" }), "make", tools), "/sent");
  assert.equal(sourceOf(edit({ prompt: "a fox" }), "make", tools), undefined);
  assert.equal(sourceOf(edit({ sourceImageIndex: -1 }), "make", []), undefined);
});

test("a picture is compared with its source, else with the next one", () => {
  const [one, two] = [picture("1"), picture("2")];
  const made = comparisonOf([one], one, "/sent");
  assert.deepEqual(
    [made?.items.map((i) => [i.url, i.label]), made?.first, made?.second],
    [
      [
        ["/sent", "Before"],
        ["/1", "After"],
      ],
      0,
      1,
    ],
  );
  const several = comparisonOf([one, two], two, "/sent");
  assert.deepEqual([several?.items[several.second].url, several?.items[several.second].label], ["/2", "After 2"]);
  assert.deepEqual(comparisonOf([one, two], two, undefined), { items: [one, two], first: 1, second: 0 });
  assert.equal(comparisonOf([one], one, undefined), undefined);
  assert.equal(comparisonOf([{ ...one, kind: "video" }, two], two, undefined), undefined);
});
