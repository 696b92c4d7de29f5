// Package llm knows the language models that the service offers: those of the
// OpenAI-compatible servers in the configuration, and the built-in one, which needs
// neither weights nor a network. It sends them conversations, reads their answers,
// and estimates tokens.
//
// The context length of a model is what its server reports; a configured length
// can only make it shorter.
//
// A retired id means its replacement wherever an id is taken.
//
// It serves the "LLM models" part of the specification, and the chat engine.
//
// Invariants: a request is sent to another server only as long as no byte of an
// answer has come; a server is sent only parameters that this service knows or its
// operator allows; answers are bounded.
package llm
