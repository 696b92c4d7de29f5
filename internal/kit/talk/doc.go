// Package talk is the language model that is always available: rules and word lists instead of weights. It needs
// no network and no GPU, and the same conversation has the same answer, call ids included. It is an llm.Completer like
// any server.
//
// It makes a start without configuration useful: it understands plain English about making, changing and analysing
// media, calls the hosted tools with valid arguments, reports the results, and answers questions about the service.
// Anything else (general knowledge, other texts, code) it declines, and says how to configure a model that can help.
//
// # From a request to a response
//
//	messages → turns                 conversation.go
//	turns    → plan.DialogState      history.go
//	text     → tokens, clauses       package token
//	clause   → intent.Act            package intent
//	clause   → values                package slot
//	act      → plan.Task             package plan
//	question → words                 package answer
//	task     → tool call             round.go, toolchoice.go
//	schema   → forced call           leastarguments.go
//	results  → words                 report.go, toolresult.go, package phrase
//
// Nothing is kept between requests. What "it" refers to and what "again" repeats is found by interpreting the earlier
// messages again, with the same rules; where they hold tool calls, those count.
//
// A task that needs the result of another one waits for it: "draw a fox and animate it" is one call, its result,
// another call, and the report. Independent tasks are called together. A task is called at most once, so every
// conversation ends.
//
// # Guarantees
//
//   - Every call of a hosted tool passes catalog.Step: a value that the catalog refuses is moved into the range of the
//     model, or left out, and the report says so. Only a call that tool_choice forces may lack a required argument.
//   - Only tools of the request are called, and a caller's function only where tool_choice forces it: with the least
//     arguments that its schema accepts.
//   - tool_choice is honoured: none calls nothing, required calls something, a name calls that tool. max_tokens and
//     stop cut words, never calls.
//   - response_format json_object and json_schema are refused, with a sentence that says to choose another model.
//   - Links are never invented: the service adds those to what it makes.
//   - It fails because of no other input. The time is about linear in the text, of which the first 16 KB of a message
//     are read, and a few milliseconds for a page.
//   - Temperature and seed change nothing.
//
// # Neighbours
//
// It imports llm for the conversation, catalog for tools, models and prices, and wire for JSON. New words, patterns
// and answers are lines in the data directories of the packages; testdata holds conversations and their results.
//
//atelier:sequential
package talk
