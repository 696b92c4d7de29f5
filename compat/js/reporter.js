// What node --test prints: failures as they come, and how many passed.

import { inspect } from "node:util";

const longest = 4000; // of one failure: an answer of a model can be long

export default async function* report(events) {
  let passed = 0;
  const failed = [];
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    if (type === "test:pass" && isTest(data)) passed++;
    if (type !== "test:fail" || data.details.error.failureType === "subtestsFailed") continue;
    failed.push(data);
    yield `FAIL ${data.file ?? ""}:${data.line ?? ""}: ${data.name}\n${inspect(data.details.error.cause ?? data.details.error).slice(0, longest)}\n\n`;
  }
  for (const { name } of failed) yield `FAIL ${name}\n`;
  yield `${passed} passed, ${failed.length} failed\n`;
}

// Groups are reported too, and files by older versions of Node.js.
const isTest = ({ name, nesting, details }) => details.type !== "suite" && !(nesting === 0 && name.endsWith(".test.js"));
