// Package chat answers conversations with a language model that can make media.
//
// Complete runs at most five rounds: the model speaks; when it calls hosted
// tools and may have them run here, they are run and the model hears the
// results. A composition tool answers at once. A media tool is a workflow of
// one step, through the same door and with the same holds and caps as any
// other; it is followed until it ends, and goes on when the client has left.
// The creative agent also handles the workflows of its caller, and keeps the
// manifest of a session: the assets that a conversation is about.
//
// Text goes to the caller's emit function as it comes. What else happens (a
// tool's progress, the media it made, the workflow behind it) goes there too.
//
// It serves the "Chat completions" and "Direct tool execution" parts of the
// specification. It stands on llm, workflow, manifest and store.
//
// Invariants: every round of a model, whoever asked for it, goes through a
// meter, is held before and settled once after, by what its server counted, and
// ends when it cannot be paid any more; nothing of another account is
// read or changed; what a caller's own tools are called with is never run
// here; a call of a model that comes to nothing is a result that says why.
package chat
