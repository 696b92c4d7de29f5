import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";
import { Webhook } from "standardwebhooks";
import { apiKey, url } from "../stage.js";

// call calls the service and returns the data of its answer.
async function call(method, path, body) {
  const answer = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const { data, message } = await answer.json();
  assert.ok(answer.ok, message);
  return data;
}

// receive starts a receiver and returns its address and a function that waits for the next request.
async function receive(t) {
  const came = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.writeHead(204).end();
    came.push({ headers: request.headers, body });
    server.emit("came");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const next = async () => {
    if (!came.length) await once(server, "came");
    return came.shift();
  };
  return { address: `http://127.0.0.1:${server.address().port}/`, next };
}

// cancelled starts a workflow and cancels it, which is an event that comes at once.
async function cancelled(more = {}) {
  const input = { steps: [{ id: "fox", toolName: "generate_image", arguments: { prompt: "a fox", width: 256, height: 256 } }] };
  const { workflow } = await call("POST", "/v1/creative-agent/workflows", { input, ...more });
  await call("POST", `/v1/creative-agent/workflows/${workflow.workflowId}/cancel`);
  return workflow.workflowId;
}

const ends = ["workflow.completed", "workflow.cancelled"];

test("the package verifies what a webhook gets, with the old and the new secret", async (t) => {
  const { address, next } = await receive(t);
  const { webhook } = await call("POST", "/v1/webhooks", { url: address, events: ends });
  t.after(() => call("DELETE", `/v1/webhooks/${webhook.id}`));
  const id = await cancelled();
  const first = await next();
  const event = new Webhook(webhook.secret).verify(first.body, first.headers);
  assert.ok(ends.includes(event.type), event.type);
  assert.equal(event.data.workflowId, id);
  assert.throws(() => new Webhook(webhook.secret).verify(first.body + " ", first.headers));

  const rotated = (await call("POST", `/v1/webhooks/${webhook.id}/rotate-secret`)).webhook;
  await cancelled();
  const second = await next();
  for (const secret of [webhook.secret, rotated.secret]) new Webhook(secret).verify(second.body, second.headers);
  assert.throws(() => new Webhook(rotated.secret).verify(first.body, first.headers));
});

test("the package verifies what an address of a request gets", async (t) => {
  const { address, next } = await receive(t);
  const { webhook } = await call("POST", "/v1/webhooks/requests/rotate-secret");
  const id = await cancelled({ webhook: { url: address, events: ends } });
  const { body, headers } = await next();
  assert.equal(new Webhook(webhook.secret).verify(body, headers).data.workflowId, id);
});
