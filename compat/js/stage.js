// What every test stands on: the server that scripts/with-server started, and
// the scripted model server behind it (see compat/go/upstream).

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";

const run = promisify(execFile);

function setting(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run the tests with scripts/with-server --upstream`);
  return value;
}

export const url = setting("ATELIER_URL");
export const baseURL = `${url}/v1`;
const upstream = setting("ATELIER_TEST_UPSTREAM_URL");

// unused is a key that no other test has used.
export const unused = () => randomUUID();

// asked tells how many requests of a key came to the model server.
export async function asked(key) {
  return Number(await (await fetch(`${upstream}/asked/${key}`)).text());
}

// gone waits until the model server has seen its reader leave.
export async function gone(key) {
  const answer = await fetch(`${upstream}/gone/${key}`);
  assert.equal(answer.status, 200, `the model server was not told that the reader of ${key} left`);
}

// next has the model server say the next part of its "steps".
export async function next(key) {
  const answer = await fetch(`${upstream}/next/${key}`);
  assert.equal(answer.status, 200, `the model server has no next part for ${key}`);
}

// account makes an account with the program itself, as an operator would.
export async function account(...flags) {
  const { stdout } = await run("atelier", ["account", "create", "--json", ...flags]);
  return JSON.parse(stdout);
}

// apiKey is of an account that only this file of tests uses, with what it takes
// to make pictures.
export const { apiKey } = await account("--spark", "10000", "--plan", "unlimited");

// sessionToken signs an account in.
export async function sessionToken(...flags) {
  const { walletAddress } = await account(...flags);
  const { stdout } = await run("atelier", ["token", "create", walletAddress]);
  return stdout.trim();
}

// exhausted is the key of an account that has used up its requests for now. It
// gets a few more every second: ask until you are refused.
export async function exhausted() {
  const { apiKey } = await account();
  const headers = { Authorization: `Bearer ${apiKey}` };
  for (let status = 200; status === 200; ) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${baseURL}/models`, { headers })));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    status = Math.max(...answers.map((answer) => answer.status));
    assert.ok(status === 200 || status === 429, `GET /v1/models answered ${status}`);
  }
  return apiKey;
}

// refusal asks until it is refused.
export async function refusal(ask) {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await ask();
    } catch (err) {
      return err;
    }
  }
  assert.fail("a hundred requests more were answered");
}

// picture finds the image that Markdown embeds and makes sure that it is one.
export async function picture(markdown) {
  const link = /!\[[^\]]*\]\((\S+)\)/.exec(markdown)?.[1];
  assert.ok(link, `no image is embedded in ${JSON.stringify(markdown)}`);
  const answer = await fetch(link);
  assert.equal(answer.status, 200, link);
  assert.equal(answer.headers.get("content-type"), "image/png");
  return { link, ...sizeOf(Buffer.from(await answer.arrayBuffer())) };
}

// sizeOf is the size of a PNG.
export function sizeOf(bytes) {
  assert.equal(bytes.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n", "the file is not a PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

// pixel is an image of one pixel.
export const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
