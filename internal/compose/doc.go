// Package compose runs the six composition tools, which answer within the request that
// calls them: enhance_prompt, compose_script, compose_lyrics, compose_instrumental,
// compose_workflow and compose_workflow_template. They write texts and plans, make
// no media, and store nothing.
//
// A tool is composed in one of two ways. From a model: the model gets the tool's
// instructions and a schema, and its answer is checked against the schema, the
// caller's arguments and the catalog. The model gets one chance to correct a bad
// answer; if it fails, the rules compose, and the result has a warning. By rules:
// Rules write a draft (package draft), and the result is made of it. The same
// arguments always give the same result. The completer of the offline kit has the rules.
//
// It serves the "Direct tool execution" part of the specification. It uses catalog
// and llm. It knows neither the caller nor the price: the caller passes a model
// whose Completer meters every round.
//
// Invariants: the workflow engine accepts a plan as it is, and its estimate is the
// catalog's; a template draft compiles with its own defaults; an argument that a
// tool cannot use is a Result that names it, never an error; what a caller wrote is
// kept and never contradicted.
//
//atelier:sequential
package compose
