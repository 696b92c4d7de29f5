// Package draft is what the composition tools work with before there is a result: the arguments of a call, and what was
// written for each tool.
//
// Package compose gets a draft from its Rules, checks it or puts the words of a language model in its place, and
// formats the result. The rules are elsewhere (internal/kit): they import this package, and not the engine.
//
//atelier:sequential
package draft
