// Package slot reads values out of a clause: durations, sizes, aspect ratios,
// numbers, musical keys, negative prompts, names of models, and the noun phrase
// that names the media. It takes a token.Clause and gives plain values.
//
// A function named Take marks the tokens of what it found as used, with the small
// words that lead to it, so that they do not end up in the prompt. Other functions
// leave the clause as it is.
//
//atelier:sequential
package slot
