// Package plan interprets a message. It takes text and a DialogState (the media of
// the conversation, the last tasks, an open question) and gives an Interpretation:
// tasks to call, answers in words, and questions to ask.
//
// The planner goes clause by clause. Package intent gives the act, and planAct
// calls the function that plans it: create.go, edit.go, animate.go and so on, one
// act or a few related ones in a file. Each makes a Task: a tool with arguments from package
// slot (arguments.go) and with media that the words refer to (reference.go,
// candidate.go). A task can depend on the result of another one.
//
// Clauses that ask for nothing by themselves are details of a request
// (followup.go), repeat the last one (repeat.go), or are resolved at the end
// (fallback.go). Questions are answered from package answer, or planned as an
// analysis of media (question.go).
//
// FitArguments (validate.go) makes arguments that the catalog accepts. The planner
// calls no tool and keeps nothing between messages.
package plan
