import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import test from "node:test";
import { verifyWebhook, WebhookVerificationError } from "@atelier-project/client";
import { apiKey, atelier, fox, listen, url } from "./stage.js";

const secret = `whsec_${Buffer.from("a secret of the tests, 32 bytes.").toString("base64")}`;
const body = '{"type":"workflow.completed","timestamp":"2026-11-18T00:00:00Z","data":{"workflowId":"wf_1","title":"Füchse"}}';

// sign makes the headers of a request.
function sign(text, { at = Date.now() / 1000, key = secret } = {}) {
  const timestamp = String(Math.floor(at));
  const mac = createHmac("sha256", Buffer.from(key.slice(6), "base64")).update(`msg_1.${timestamp}.${text}`).digest("base64");
  return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}

test("good signatures are taken", async () => {
  const headers = sign(body);
  const rotated = { ...headers, "webhook-signature": `v1a,x v1,!!! ${sign(body, { key: "whsec_b3RoZXI=" })["webhook-signature"]} ${headers["webhook-signature"]}` };
  for (const [text, given] of [
    [body, headers],
    [Buffer.from(body), headers],
    [body, new Headers(headers)],
    [body, { "Webhook-Id": headers["webhook-id"], "Webhook-Timestamp": [headers["webhook-timestamp"]], "WEBHOOK-SIGNATURE": headers["webhook-signature"] }],
    [body, rotated],
  ])
    assert.equal((await verifyWebhook(text, given, secret)).data.workflowId, "wf_1");
});

test("bad ones are refused", async () => {
  const headers = sign(body);
  for (const [text, given, key] of [
    [`${body} `, headers, secret],
    [body, headers, "whsec_b3RoZXI="],
    [body, { ...headers, "webhook-id": "msg_2" }, secret],
    [body, sign(body, { at: Date.now() / 1000 - 3600 }), secret],
    [body, sign(body, { at: Date.now() / 1000 + 3600 }), secret],
    [body, { ...headers, "webhook-timestamp": "now" }, secret],
    [body, { ...headers, "webhook-signature": "v1," }, secret],
    [body, { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") }, secret],
    [body, {}, secret],
  ])
    await assert.rejects(verifyWebhook(text, given, key), WebhookVerificationError);
  await assert.rejects(verifyWebhook(body, headers, "whsec_%"), TypeError);
});

test("what the service sends is verified", async (t) => {
  const came = [];
  const arrival = new EventTarget();
  const address = await listen(t, async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    response.writeHead(204).end();
    came.push([text, request.headers]);
    arrival.dispatchEvent(new Event("came"));
  });
  const answer = await fetch(`${url}/v1/webhooks/requests/rotate-secret`, { method: "POST", headers: { Authorization: `Bearer ${apiKey}` } });
  const { webhook } = (await answer.json()).data;
  const { workflowId } = await atelier.workflows.run({ ...fox(), webhook: address });
  if (!came.length) await once(arrival, "came");
  const event = await verifyWebhook(...came[0], webhook.secret);
  assert.equal(event.type, "workflow.completed");
  assert.equal(event.data.workflowId, workflowId);
  await assert.rejects(verifyWebhook(...came[0], secret), WebhookVerificationError);
});
