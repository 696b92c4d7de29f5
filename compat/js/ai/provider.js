// The two providers of the AI SDK that speak chat completions, as their
// documentation says to make them for another server.

import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { apiKey, baseURL } from "../stage.js";

const make = {
  "@ai-sdk/openai-compatible": (apiKey) =>
    createOpenAICompatible({ name: "atelier", apiKey, baseURL, includeUsage: true, supportsStructuredOutputs: true }).chatModel,
  "@ai-sdk/openai": (apiKey) => createOpenAI({ apiKey, baseURL }).chat,
};

// providers are their names, and functions from the id of a model to the model.
export const providers = Object.entries(make).map(([name, of]) => ({ name, model: of(apiKey), as: of }));
