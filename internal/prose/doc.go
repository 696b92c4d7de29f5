// Package prose writes phrases as sentences, paragraphs and lists, and shortens texts at a word.
//
// The composition tools and the rules that write without a language model share it, so that their texts read alike.
//
//atelier:sequential
package prose
