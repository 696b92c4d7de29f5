import assert from "node:assert/strict";
import { test } from "node:test";
import { filtersIn, isSame, maxViews, parseViews, withView } from "./views";

test("a view has the filters of an address, and nothing else of it", () => {
  const filters = filtersIn({ status: "failed", tool: "generate_image", q: "", page: "3" });
  assert.deepEqual(filters, { status: "failed", tool: "generate_image" });
  assert.ok(isSame(filters, { tool: "generate_image", status: "failed", q: "" }));
  assert.ok(!isSame(filters, { status: "failed" }));
});

test("views are read as they were kept", () => {
  const views = withView(withView([], "Failed", { status: "failed" }), "Foxes", { q: "fox" });
  assert.deepEqual(parseViews(JSON.stringify(views)), views);
  assert.deepEqual(withView(views, "Failed", { reason: "error" }), [
    { name: "Foxes", filters: { q: "fox" } },
    { name: "Failed", filters: { reason: "error" } },
  ]);
});

test("what is not a view is left out, and a full list loses its oldest", () => {
  assert.deepEqual(parseViews("{]"), []);
  assert.deepEqual(
    parseViews('[1, null, {"name": "", "filters": {}}, {"name": "x"}, {"name": "y", "filters": {"q": 3}}]'),
    [{ name: "y", filters: {} }],
  );
  const many = Array.from({ length: maxViews }, (_, i) => ({ name: `v${i}`, filters: {} }));
  const after = withView(many, "new", {});
  assert.equal(after.length, maxViews);
  assert.equal(after[0].name, "v1");
});
