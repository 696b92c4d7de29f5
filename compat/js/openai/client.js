// The official client, as its documentation says to make it for another server.

import OpenAI from "openai";
import { apiKey, baseURL } from "../stage.js";

export const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });

// as is a client with another credential.
export const as = (apiKey, options) => new OpenAI({ apiKey, baseURL, maxRetries: 0, ...options });

// scripted is a request to the scripted model, which does what it is told.
export const scripted = (script, more) => ({ model: "scripted", messages: [{ role: "user", content: script }], ...more });

// tell gives the scripted model a script and returns its answer.
export async function tell(script, more) {
  const completion = await client.chat.completions.create(scripted(script, more));
  return completion.choices[0].message.content;
}
