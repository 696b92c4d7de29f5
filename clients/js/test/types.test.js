import { execFile } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = (...args) => promisify(execFile)(process.execPath, args);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

test("the types are up to date", () => run(path("../scripts/types.js"), "--check"));

test("events, bodies and answers have types", () => run(path("../node_modules/typescript/bin/tsc"), "-p", path("tsconfig.json")));
