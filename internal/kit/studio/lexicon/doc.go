// Package lexicon holds the meanings of words for the packages that paint,
// select and edit: a word or phrase is a key in a group, with attributes.
//
// Words is the lexicon of prompts, in the files under data/word; Parse reads
// another one. A line of a file is a word of a group, so that a new word needs
// no Go. Find takes a word or phrase, singular or plural, and gives its
// meaning; Tokenise splits a text.
//
// # Invariants
//
//   - The first file to use a word keeps it.
//   - A word marked ~ is only near to what is painted for it, and Loose says so.
//   - The package knows nothing of pictures.
//
//atelier:sequential
package lexicon
