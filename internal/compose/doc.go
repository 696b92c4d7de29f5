// Package compose runs the six tools that answer in the request that calls
// them: enhance_prompt, compose_script, compose_lyrics, compose_instrumental,
// compose_workflow and compose_workflow_template. They make words and plans, no
// media, and keep nothing.
//
// A tool is composed in one of two ways. With a language model behind it, the
// tool's instructions and a schema go out, and what comes back is held against
// the schema, the caller's arguments and the catalog; what is wrong is told to
// the model once, and if it is still wrong the rules take over with a warning.
// By rules, the words come from the lexicons and grammars under data, chosen by
// what the caller wrote. The same arguments always give the same result.
//
// It serves the "Direct tool execution" part of the specification. It stands on
// catalog and llm, and knows neither who calls nor what it costs: whoever calls
// hands in a Completer that meters what is said, round by round.
//
// Invariants: a plan is one that the workflow engine accepts as it is, and its
// estimate is the catalog's; a template draft compiles with its own defaults;
// a bad argument is a Result that names it, never an error; what a caller wrote
// is kept and never contradicted.
package compose
