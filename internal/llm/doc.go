// Package llm knows the language models that the service offers: those of the
// OpenAI-compatible servers that the configuration names, and the built-in
// one, which needs neither weights nor a network.
//
// A retired id stands for its replacement wherever an id is taken.
package llm
