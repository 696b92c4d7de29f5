// Package offline is the language model that is always there: rules and word
// lists instead of weights. It needs no network and no GPU, and the same
// conversation has the same answer, call ids included. It is an llm.Speaker like
// any server elsewhere, so nobody else has to know which one answers.
//
// It makes a start without configuration useful: it understands plain English
// about making, changing and looking at media, calls the hosted tools with
// arguments that the catalog takes, tells what became of it, and answers questions
// about the service. What is not its trade (general knowledge, other texts, code)
// it says plainly, with how to configure a model that can.
//
// # From words to an answer
//
//	Messages   → turns, media            conversation.go, shelf.go, memory.go
//	text       → tokens, phrases         token.go, lexicon.go, text.go, data/*.txt
//	tokens     → clauses                 clause.go
//	clause     → act                     rule.go, data/intent.txt
//	act        → task                    make.go, edit.go, animate.go, … one noun each
//	particulars → arguments              slot.go, length.go, size.go, naming.go, voice.go, …
//	it, the second one → media           reference.go, pointer.go
//	task       → call                    round.go, settle.go
//	results    → words                   report.go, finding.go, data/say.txt
//	questions  → words                   topic.go, fact.go, price.go, data/help.md
//
// Nothing is kept between requests. Who was meant by "it" and what "again" repeats
// is found by reading the earlier messages of the conversation again, with the
// same rules; where they hold tool calls, those count.
//
// A request that needs a result of another one waits for it: "draw a fox and
// animate it" is one call, its result, another call, and the last words. Requests
// that need nothing of each other are called together. A task is called at most
// once, so every conversation comes to an end.
//
// # What is promised
//
//   - Every call of a hosted tool passes catalog.Step: what the catalog refuses is
//     moved into what the model can do, or left out, and the answer says so. Only a
//     call that tool_choice forces may lack what nobody has said.
//   - Only tools of the request are called. A function of the caller is called when
//     the words name it or are about it, and give what it requires.
//   - tool_choice is honoured: none calls nothing, required calls something, a name
//     calls that. Calls are never cut short by max_tokens; words are, and by stop.
//   - response_format json_object gives {"answer": …}. With json_schema the shape is
//     filled from the message (numbers, quotations, names, values of enums) and from
//     the answer; what is required and cannot be found gets the plainest value of
//     its type. Formats beyond types, enums and bounds are not looked at.
//   - Links are never invented: the service adds those to what it makes.
//   - It never fails for what it is told. The time is about linear in the text, of
//     which a message's first 16 KB are read, and a few milliseconds for a page.
//   - Temperature and seed change nothing: there is nothing to roll.
//
// # Neighbours
//
// It stands on llm for the conversation, on catalog for tools, models and prices,
// and on wire for JSON. New words, phrases, patterns and answers are lines in the
// files under data; testdata holds conversations and what has to come of them.
package offline
