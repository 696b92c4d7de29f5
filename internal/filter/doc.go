// Package filter is the content filter of the service: it decides whether a text
// asks for content that the service does not make, and in which category. Callers
// run it when work is submitted and again before each render, and decide what to do
// with the verdict. It serves safe_content_filter.
//
// # The built-in lexicon
//
// It always runs, first, and needs no network. A text is split into words; marks,
// width, case, invisible characters and letters that look like others are folded
// away; and from each word a walk goes down a trie of terms along every spelling
// that a reader would take for the same word: digits and signs for letters,
// letters set apart or repeated or starred out, alphabets mixed, words run
// together. Terms match whole words, so a grape is a grape. Scripts without
// spaces are matched anywhere, and katakana by the word.
//
// The words are data. Under data/terms is a file for each language, with terms
// under headings; data/rules.txt says which headings are categories and which
// pairs of headings are one:
//
//   - A flag is a category by itself, such as sexual.
//   - A pair is two terms near each other that are mild alone: a minor and
//     something suggestive are sexual/minors, blood and a wound
//     violence/graphic, asking how a thing is made and a bomb illicit.
//   - A safe phrase makes the words in it harmless: nude lipstick, the
//     naked eye. A new false alarm is fixed with a line there.
//
// # Denial
//
// A denied word is not a request: no nudity, not nsfw, ヌードなし. A denial
// reaches over the words under bridge and over terms, up to any other word or
// the end of the clause: "no background nude woman" denies the background. It
// reaches over a comma only in a list that an or closes: "no nudity, gore or
// porn". Two denials side by side deny nothing.
//
// Of minors the rule is stricter. A denied word still counts when it is said of
// a minor, standing before it in one clause ("no naked children"), because
// image models tend to draw what a prompt forbids. It does not count
// when they are only in one sentence: "no nudity, children playing" is what a
// careful person writes.
//
// # The moderation server
//
// With an endpoint, texts that the lexicon passes go to an OpenAI-compatible
// server, all in one request, tried again once when the connection or the
// server fails. Its categories have its own names.
//
// # Invariants
//
//   - An error means that the verdict is not known. The caller must not treat
//     the texts as clean: it waits or refuses to render.
//   - A text that the lexicon flags is not sent anywhere.
//   - Neither errors nor refusals repeat a text, the key or the server's URL.
//   - The lexicon takes time in proportion to the length of the text, whatever
//     the text, and a fraction of a millisecond for a prompt.
//
// # Limits
//
// A lexicon recognises words, not their meaning. It does not detect paraphrases and
// transliterations; an operator who needs more sets an endpoint. Texts that say
// what must not appear, such as negative prompts, are not for this filter.
package filter
