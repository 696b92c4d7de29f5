import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { apiKey, url } from "../stage.js";

const program = fileURLToPath(new URL("../node_modules/.bin/mcp-inspector", import.meta.url));
const home = await mkdtemp(join(tmpdir(), "inspector-")); // where it keeps its settings
after(() => rm(home, { recursive: true }));

// inspect runs the command line of the MCP inspector and returns the JSON that it prints.
async function inspect(...args) {
  const { stdout } = await promisify(execFile)(program, ["--cli", ...args], { env: { ...process.env, HOME: home }, maxBuffer: 64 << 20 });
  return JSON.parse(stdout);
}

const server = [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${apiKey}`];

test("the inspector lists tools, resources and prompts", async () => {
  const { tools } = await inspect(...server, "--method", "tools/list");
  assert.ok(tools.some((tool) => tool.name === "generate_image" && tool.inputSchema.required.includes("prompt")));
  assert.ok(Array.isArray((await inspect(...server, "--method", "resources/list")).resources));
  assert.ok((await inspect(...server, "--method", "prompts/list")).prompts.length > 0);
});

test("the inspector makes a picture and reads it", async () => {
  const made = await inspect(...server, "--method", "tools/call", "--tool-name", "generate_image", "--tool-arg", "prompt=a red fox", "width=256", "height=256");
  assert.ok(!made.isError, JSON.stringify(made.content));
  const { uri } = made.content.find((part) => part.type === "resource_link");
  const { contents } = await inspect(...server, "--method", "resources/read", "--uri", uri);
  assert.equal(contents[0].mimeType, "image/png");
});

test("the inspector without a key is refused", async () => {
  await assert.rejects(inspect(`${url}/mcp`, "--transport", "http", "--method", "tools/list"), (failed) => failed.code > 0);
});
