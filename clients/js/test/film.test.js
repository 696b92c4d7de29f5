import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { apiKey, url } from "./stage.js";

test("the example makes a film", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "film-"));
  t.after(() => rm(dir, { recursive: true }));
  const program = fileURLToPath(new URL("../examples/film.js", import.meta.url));
  const env = { ...process.env, ATELIER_URL: url, ATELIER_API_KEY: apiKey };
  const { stdout } = await promisify(execFile)(process.execPath, [program, join(dir, "film.mp4")], { env });
  for (const step of ["picture", "clip", "music", "film"]) assert.match(stdout, new RegExp(`^${step}: done$`, "m"));
  assert.equal((await readFile(join(dir, "film.mp4"))).toString("latin1", 4, 8), "ftyp");
});
