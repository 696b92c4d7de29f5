import assert from "node:assert/strict";
import { test } from "node:test";
import { limitProblem, unknownOf } from "./limit-problem";

test("a wrong entry of a list is named by what it is", () => {
  assert.equal(
    limitProblem('limits.addresses[0] is wrong: "10.0.0.999" is not an address.', "Addresses of clients", [
      "10.0.0.999",
    ]),
    'Addresses of clients: "10.0.0.999" is not an address.',
  );
  assert.equal(
    limitProblem("limits.tools[1] must be one of the tools.", "Tools", ["generate_image", "paint"]),
    'Tools: "paint" must be one of the tools.',
  );
});

test("other limits keep what the service says", () => {
  assert.equal(
    limitProblem("limits.expiresAt must be in the future.", "Expires after"),
    "Expires after must be in the future.",
  );
});

test("models that the service has not are named, once its models are known", () => {
  assert.deepEqual(unknownOf("flux, nosuchmodel", ["flux", "sdxl"]), ["nosuchmodel"]);
  assert.deepEqual(unknownOf("flux, nosuchmodel", []), []);
});
