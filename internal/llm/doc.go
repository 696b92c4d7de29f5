// Package llm knows the language models that the service offers: those of the
// OpenAI-compatible servers that the configuration names, and the built-in
// one, which needs neither weights nor a network.
//
// How long the context of a model is, its server tells where it can; what is
// configured can only make it shorter.
//
// A retired id stands for its replacement wherever an id is taken.
package llm
