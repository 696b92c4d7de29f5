// Upstream is a model server without a model: it speaks OpenAI's chat
// completions and does what the last user message tells it to, so that a test
// says in one line what the model behind the service is to do.
//
//	say TEXT              answers with the text, a word at a time
//	steps KEY A|B|C       says the parts of a text, each further one when /next/KEY is asked for
//	think TEXT            thinks before it does, in both ways that servers have
//	call NAME ARGUMENTS   calls a tool; each further such line calls another
//	call! NAME ARGUMENTS  the same, without an id for the call
//	echo                  answers with the parameters it was sent, as JSON
//	hear                  answers with the messages it was sent, as JSON
//	cut TEXT              says the text and ends for the reason "length"
//	fail STATUS N KEY     answers the first N requests of a key with a status
//	break TEXT            streams the text and then sends an error
//	hang up TEXT          streams the text and drops the connection
//	endless KEY           streams until its reader leaves
//
// After the results of tools it answers with what they said. It prints the URL
// to configure, and ends when it is told to.
package main
