// Package chat answers conversations with a language model that can make media.
//
// Complete runs at most five rounds: the model speaks; when it calls hosted
// tools and may have them run here, they are run and the model hears the
// results. A composition tool answers at once. A media tool is a workflow of
// one step, through the same door and with the same holds and caps as any
// other; it is followed until it ends, and goes on when the client has left.
//
// Text goes to the caller's emit function as it comes. What else happens (a
// tool's progress, the media it made, the workflow behind it) goes there too.
//
// It serves the "Chat completions" part of the specification. It stands on llm
// and workflow; every round is metered and paid through billing.
package chat
