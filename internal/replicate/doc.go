// Package replicate translates between the shapes of Replicate's API and the engines: the tools and models of the
// catalog, and the language models, become models with an input schema; an input becomes the step of a workflow or a
// request of the chat engine; and a workflow or a chat run becomes a prediction.
//
// It serves /replicate/v1. It stands on the catalog, chat, run records and wire, and knows nothing of HTTP or of a
// database.
//
// Invariants: a prediction is a workflow or a chat run, whose id is its own, and which keeps with it, as a note, what
// its client has sent; a version is the digest of a model's schema, so that one that changed is another.
package replicate
