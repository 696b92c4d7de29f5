// Package write writes without a language model: prompts, scripts, lyrics, pieces of music, plans and templates, for
// the composition tools (internal/compose). Its words come from the lexicons and grammars under data, chosen by what
// the caller wrote.
//
// WritePrompt and the other methods of Rules return drafts. What the caller gets is made of them by package compose,
// which also passes the function that checks plans.
//
// Invariants: the same arguments always give the same draft; what a caller wrote is kept and never contradicted.
//
//atelier:sequential
package write
