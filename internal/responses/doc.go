// Package responses translates between the shapes of OpenAI's Responses API and the engines: a body becomes a request
// of the chat engine, which a chat run stores or which is answered at once, and a run or a completion becomes a
// response, whole or as the events of a stream.
//
// It serves /v1/responses. It stands on chat, run records and wire, and knows nothing of HTTP or of a database.
//
// Invariants: a response that is stored is a chat run, whose id names it and its items, so that nothing else is
// stored; the events of a stored response have the same numbers whenever they are read, so that a reader can go on
// after any of them.
//
//atelier:sequential
package responses
