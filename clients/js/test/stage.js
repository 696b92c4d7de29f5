// What the tests stand on: the server that scripts/with-server started.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { promisify } from "node:util";
import { Atelier } from "@atelier-project/client";

const run = promisify(execFile);

export const url = process.env.ATELIER_URL;
assert.ok(url, "ATELIER_URL is not set: run the tests with scripts/with-server --upstream");

const { stdout } = await run("atelier", ["account", "create", "--json", "--spark", "10000", "--plan", "unlimited"]);
export const { apiKey } = JSON.parse(stdout);
export const atelier = new Atelier({ baseURL: url, apiKey });

// fox is the plan of a small picture.
export const fox = (more = {}) => ({
  input: { title: "Fox", steps: [{ id: "fox", toolName: "generate_image", arguments: { prompt: "a red fox", width: 256, height: 256, ...more } }] },
});

// listen starts a server and returns its address.
export async function listen(t, handle) {
  const server = createServer(handle);
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

// proxy passes requests to the server. The function interfere gets each request, the answer of the server and the
// answer to the client, and may interfere: it returns true when it has answered itself.
export const proxy = (t, interfere) =>
  listen(t, (incoming, outgoing) => {
    const forward = request(url + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      if (interfere(incoming, answer, outgoing)) return;
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    forward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forward.destroy());
    incoming.pipe(forward);
  });
