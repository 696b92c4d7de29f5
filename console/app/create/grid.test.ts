import assert from "node:assert/strict";
import { test } from "node:test";
import type { Argument } from "../parts/arguments";
import type { Workflow } from "../types";
import type { WorkflowRequest } from "./form";
import { cellOf, columnsOf, gridOf, isGrid, valuesOf } from "./grid";

const request = {
  input: {
    steps: [
      { id: "make", toolName: "generate_image", arguments: { prompt: "a fox", steps: 8, numberOfVariations: 4 } },
    ],
  },
  media_references: [{ kind: "image", url: "https://x/a" }],
  app_source: "console",
} as WorkflowRequest;

test("a grid has a step for each value, each with one result", () => {
  const grid = gridOf(request, { countArgument: "numberOfVariations" }, "steps", [4, 8], "Grid");
  assert.deepEqual(
    grid.input.steps.map((s) => [s.id, s.arguments]),
    [
      ["cell-1", { prompt: "a fox", steps: 4 }],
      ["cell-2", { prompt: "a fox", steps: 8 }],
    ],
  );
  assert.equal(grid.input.title, "Grid");
  assert.deepEqual(grid.media_references, request.media_references);
});

test("values are read as the argument has them", () => {
  const number = { name: "steps", type: "integer", minimum: 1, maximum: 20 } as Argument;
  assert.deepEqual(valuesOf(number, "4, 8,12"), [4, 8, 12]);
  assert.equal(valuesOf(number, "4"), "few");
  assert.equal(valuesOf(number, "4, 4.0"), "few");
  assert.equal(valuesOf(number, "4, x"), "number");
  assert.equal(valuesOf(number, "4, 21"), "number");
  assert.equal(valuesOf(number, "4, 4.5"), "number");
  assert.equal(valuesOf(number, Array.from({ length: 13 }, (_, i) => i).join()), "many");
  assert.deepEqual(valuesOf({ name: "sampler", type: "string" } as Argument, "euler, ddim"), ["euler", "ddim"]);
});

test("a cell is named by what the others have not", () => {
  const step = (id: string, args: object) => ({ id, arguments: args });
  const grid = { steps: [step("cell-1", { prompt: "a", seed: 1 }), step("cell-2", { prompt: "a", seed: 2 })] };
  assert.equal(
    cellOf(grid as unknown as Workflow, "cell-2", (name) => name),
    "seed 2",
  );
  assert.ok(isGrid(grid as unknown as Workflow));
  assert.deepEqual([2, 3, 4, 6, 9, 12].map(columnsOf), [2, 2, 2, 3, 4, 4]);
  const other = { steps: [step("a", { seed: 1 }), step("b", { seed: 2 })] };
  assert.equal(
    cellOf(other as unknown as Workflow, "a", (name) => name),
    "",
  );
});
