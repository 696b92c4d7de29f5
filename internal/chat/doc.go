// Package chat answers conversations with a language model that can make media.
//
// Complete runs at most five rounds. In each, the model answers; when it calls
// hosted tools that may run here, the engine runs them and adds the results to the
// conversation. A composition tool answers at once. A media tool is a workflow of
// one step, started with the same holds and limits as any other. The engine follows
// it until it ends; the workflow continues when the client leaves. The creative agent
// also manages the workflows of its caller, and keeps the manifest of a session:
// the assets that a conversation is about.
//
// Text goes to the caller's emit function as it comes, and so do a tool's
// progress, the media that it made, and the workflow behind it.
//
// It serves the "Chat completions" and "Direct tool execution" parts of the
// specification. It stands on llm, compose, filter, workflow, manifest and store.
//
// Invariants: every round of a model goes through a meter, which holds money
// before the round, settles once after it by what the server counted, and ends the
// round when the account cannot pay any more; nothing of another account is read or
// changed; calls of the caller's own tools are never run here; a call that fails
// has a result that says why.
package chat
