import assert from "node:assert/strict";
import test from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { apiKey, url } from "../stage.js";

const headers = { Authorization: `Bearer ${apiKey}` };
const fox = { name: "generate_image", arguments: { prompt: "a red fox", width: 256, height: 256 } };

// makesAPicture makes a picture with a client, and reads its file.
async function makesAPicture(transport) {
  const client = new Client({ name: "compat", version: "1" });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === "generate_image"));
    const progress = [];
    const made = await client.callTool(fox, undefined, { onprogress: (at) => progress.push(at), timeout: 600_000 });
    assert.ok(!made.isError, JSON.stringify(made.content));
    assert.ok(progress.length > 0);
    assert.ok(made.content.some((part) => part.type === "image" && part.mimeType === "image/jpeg"));
    const link = made.content.find((part) => part.type === "resource_link");
    const { contents } = await client.readResource({ uri: link.uri });
    assert.equal(contents[0].mimeType, "image/png");
    const failed = await client.callTool({ name: "generate_image", arguments: {} });
    assert.ok(failed.isError);
    assert.match(failed.content[0].text, /prompt/);
  } finally {
    await client.close();
  }
}

test("a client over HTTP makes a picture", () => makesAPicture(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })));

test("a client over pipes makes a picture", () =>
  makesAPicture(new StdioClientTransport({ command: "atelier", args: ["mcp"], env: { ...process.env, ATELIER_URL: url, ATELIER_API_KEY: apiKey } })));

test("a client without a key is refused", async () => {
  const client = new Client({ name: "compat", version: "1" });
  await assert.rejects(client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`))), /401|Unauthorized|authorization/i);
});
