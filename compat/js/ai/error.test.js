import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { APICallError, generateText, RetryError } from "ai";
import { account, asked, exhausted, refusal, unused } from "../stage.js";
import { providers } from "./provider.js";

// refused makes sure that a request fails as the AI SDK tells it, with the
// message that the service gave.
async function refused(request, want) {
  await assert.rejects(request, (err) => {
    assert.ok(APICallError.isInstance(err), `${err}`);
    const { statusCode, isRetryable, data } = err;
    assert.ok(data?.error, `the SDK could not read ${err.responseBody}`);
    assert.equal(err.message, data.error.message);
    const { type, code } = data.error;
    const got = { statusCode, isRetryable, type, code };
    for (const [name, value] of Object.entries(want)) assert.equal(got[name], value, `${name} of ${err}`);
    return true;
  });
}

// Second tries wait for seconds, so they wait side by side.
describe("errors", { concurrency: true }, () => {
  for (const { name, model, as } of providers) {
    const ask = (prompt, more) => generateText({ model: model("scripted"), prompt, maxRetries: 0, ...more });

    test(`${name}: who is not known is refused`, async () => {
      const stranger = as("00000000-0000-4000-8000-000000000000");
      await refused(ask("say hello", { model: stranger("scripted") }), { statusCode: 401, isRetryable: false, type: "authentication_error" });
    });

    test(`${name}: a model that is not there is not found`, async () => {
      await refused(ask("say hello", { model: model("gpt-4o") }), { statusCode: 404, isRetryable: false, code: "model_not_found" });
    });

    test(`${name}: what cannot be is a bad request`, async () => {
      await refused(ask(`fail 400 9 ${unused()}`), { statusCode: 400, isRetryable: false, type: "invalid_request_error" });
      await refused(ask("say " + "word ".repeat(4000), { model: model("vendor/scripted-small") }), { statusCode: 400, code: "context_length_exceeded" });
    });

    test(`${name}: who cannot pay is told so`, async () => {
      const poor = as((await account()).apiKey);
      await refused(ask("say hello", { model: poor("scripted-dear") }), { statusCode: 402, isRetryable: false, type: "insufficient_quota" });
    });

    test(`${name}: a model server in trouble may be asked again`, async () => {
      await refused(ask(`fail 500 9 ${unused()}`), { statusCode: 502, isRetryable: true, type: "upstream_error" });
    });

    test(`${name}: the SDK tries again`, async () => {
      const key = unused();
      assert.equal((await ask(`fail 500 3 ${key}`, { maxRetries: 1 })).text, "At last.");
      assert.equal(await asked(key), 4, "the service asks twice for each request");
    });

    test(`${name}: who asks too much is told when to come back, and the SDK does`, async () => {
      const busy = as(await exhausted());
      const err = await refusal(() => ask("say hello", { model: busy("scripted") }));
      await refused(Promise.reject(err), { statusCode: 429, isRetryable: true, type: "rate_limit_error" });
      assert.equal((await ask("say hello", { model: busy("scripted"), maxRetries: 3 })).text, "hello");
    });
  }

  test("the SDK gives up in the end", async () => {
    const request = generateText({ model: providers[0].model("scripted"), prompt: `fail 500 99 ${unused()}`, maxRetries: 1 });
    await assert.rejects(request, (err) => RetryError.isInstance(err) && err.lastError.statusCode === 502);
  });
});
