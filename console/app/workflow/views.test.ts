import assert from "node:assert/strict";
import { test } from "node:test";
import { filtersIn, isSame, localViews, queryOf, viewOf } from "./views";

test("a view has the filters of an address, and nothing else of it", () => {
  const filters = filtersIn({ status: "failed", tool: "generate_image", q: "", page: "3" });
  assert.deepEqual(filters, { status: "failed", tool: "generate_image" });
  assert.ok(isSame(filters, { tool: "generate_image", status: "failed", q: "" }));
  assert.ok(!isSame(filters, { status: "failed" }));
});

test("a view is kept as a query", () => {
  const filters = { status: "failed", q: "a & b=c, 狐" };
  assert.deepEqual(viewOf({ name: "Foxes", value: queryOf(filters) }), { name: "Foxes", filters });
  assert.deepEqual(viewOf({ name: "x", value: "page=3&&%zz" }), { name: "x", filters: {} });
});

test("the views of a browser are read as they were kept, and what is not one is left out", () => {
  assert.deepEqual(localViews('[{"name": "Failed", "filters": {"status": "failed", "page": "3"}}]'), [
    { name: "Failed", value: "status=failed" },
  ]);
  assert.deepEqual(localViews("{]"), []);
  assert.deepEqual(
    localViews('[1, null, {"name": "", "filters": {"q": "x"}}, {"name": "x"}, {"name": "y", "filters": {"q": 3}}]'),
    [],
  );
});
