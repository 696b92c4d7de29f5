// Package operator is what the operators of an installation do: they look after accounts,
// keys, plans and credit, connect servers, bring graphs of ComfyUI, find work that goes wrong, drain workers, judge
// LoRAs and what the content filter refused, and see the state of the whole.
//
// An operator is an account with the operator role, whose API keys may use the operator
// endpoints; or the command line, where it works on the database. Both use this package, so
// that they do the same.
//
// Every change is recorded as an action (who did what to whom, when and why) in the
// transaction of the change. A change that changes nothing records nothing. Lists are paged
// by the key of the last row, so that they stay quick however long they are.
//
// The work belongs to the engines below: account, billing, connection, graph, fleet, lora, template. Cancelling the
// work of a suspended account belongs to engines above, so it is a function that is passed.
package operator
