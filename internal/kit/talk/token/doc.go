// Package token turns text into tokens and finds the phrases of the lexicon in
// them. It takes a string and gives a Text, or the Clauses of one.
//
//   - Tokenize cuts a string into words, numbers, quotations, URLs and
//     punctuation. It takes any text.
//   - A Lexicon holds the phrases that the model knows, by group and key. They are
//     lines in the files under data: a key, attributes, a colon and phrases.
//   - A Text is a tokenized string with the lexicon entries that begin at each
//     token. Tokens that have been understood are marked as used; the rest is the
//     description.
//   - A Clause is a part of a Text that asks for one thing, says one thing about a
//     request, or asks a question.
//
// Spelling is corrected only when a text was not understood, because a correct
// word of one topic can be a misspelt word of another.
//
// Package intent says what a clause asks for, package slot which values it states.
//
//atelier:sequential
package token
