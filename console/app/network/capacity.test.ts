import assert from "node:assert/strict";
import { test } from "node:test";
import { capacityOf } from "./capacity";

test("workers that get no new jobs are no capacity", () => {
  const worker = { draining: false, unavailable: undefined, capacity: 4 };
  const drained = { ...worker, draining: true, capacity: 2 };
  const broken = { ...worker, unavailable: "Its renderer is not available.", capacity: 8 };
  assert.equal(capacityOf([worker, drained, broken, worker]), 8);
  assert.equal(capacityOf([drained]), 0);
});
