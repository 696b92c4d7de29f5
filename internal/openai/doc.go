// Package openai translates between the shapes of OpenAI's chat API and the chat
// engine: a body becomes a chat.Request in one call, and the events and the
// completion of the engine become chunks and an answer. It also has the envelope of errors
// and the records of models that clients of that API read.
//
// Messages, tools, tool choices, media references and sampling parameters each
// have a function or a type of their own, so that other bodies with the same
// parts can use them. The declared fields of a body are read by wire; what is
// kept as raw JSON (messages, tools) is read here.
//
// It serves the "Chat completions" part of the specification. It stands on chat,
// llm and wire, and knows nothing of HTTP: the endpoint package reads the
// body, and writes headers, frames and heartbeats.
//
// Invariants: lists and texts are counted while they are read, and what is too
// long is refused before anything is made of it; inline media is decoded once, and
// only its bytes are kept; a chat.Request refers to no part of the body, which may
// have hundreds of megabytes.
//
//atelier:sequential
package openai
