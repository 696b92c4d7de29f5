package filter

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed data
var embedded embed.FS

// roles are what a term can be, one bit each. The first ones are the same in
// every lexicon; rules.txt names the others.
type roles uint64

const (
	safe   roles = 1 << iota // a phrase that makes its words harmless
	not                      // denies what follows: no, without
	after                    // denies what comes before: is not allowed, なし
	bridge                   // may stand between a denial and what it denies
	either                   // closes a list under one denial: or, nor
	glue                     // a part of compounds: nakedWOMAN
	fixed  = iota
)

// terms are the roles with a meaning of their own; the others change the meaning of terms.
const terms = ^roles(1<<fixed - 1)

var fixedNames = map[string]roles{"safe": safe, "not": not, "after": after, "bridge": bridge, "or": either, "glue": glue}

// lexicon is the data of the built-in filter. It does not change.
type lexicon struct {
	fold  *folder
	twin  *twins
	terms *trie
	rules ruleBook
}

// load reads the embedded lexicon once.
var load = sync.OnceValues(func() (*lexicon, error) {
	files, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	return readLexicon(files)
})

// readLexicon reads fold.txt, twin.txt, rules.txt and a file of terms for each
// language.
func readLexicon(files fs.FS) (*lexicon, error) {
	text := func(name string) (string, error) {
		b, err := fs.ReadFile(files, name)
		return string(b), err
	}
	l := new(lexicon)
	folds, err := text("fold.txt")
	if err != nil {
		return nil, err
	}
	if l.fold, err = newFolder(folds); err != nil {
		return nil, err
	}
	twin, err := text("twin.txt")
	if err != nil {
		return nil, err
	}
	if l.twin, err = newTwins(twin); err != nil {
		return nil, err
	}
	rules, err := text("rules.txt")
	if err != nil {
		return nil, err
	}
	if l.rules, err = readRules(rules); err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "terms/*.txt")
	if err != nil {
		return nil, err
	}
	r := termReader{rules: &l.rules, scanner: scanner{fold: l.fold, twin: l.twin}}
	for _, name := range names {
		terms, err := text(name)
		if err != nil {
			return nil, err
		}
		if err := r.read(path.Base(name), terms); err != nil {
			return nil, err
		}
	}
	l.terms = newTrie(r.entries)
	return l, nil
}

// termReader collects the terms of the language files.
type termReader struct {
	rules   *ruleBook
	scanner scanner
	entries []entry
}

// read reads one file: headings in brackets that name a role, and under them
// terms, separated by commas and line ends.
func (r *termReader) read(name, text string) error {
	var role roles
	for n, row := range strings.Split(text, "\n") {
		row, _, _ = strings.Cut(row, "//")
		row = strings.TrimSpace(row)
		if heading, found := strings.CutPrefix(row, "["); found {
			heading = strings.TrimSuffix(heading, "]")
			if role = r.rules.role(heading); role == 0 {
				return fmt.Errorf("%s:%d: rules.txt has no role %q", name, n+1, heading)
			}
			continue
		}
		for term := range strings.SplitSeq(row, ",") {
			if term = strings.TrimSpace(term); term == "" {
				continue
			}
			if role == 0 {
				return fmt.Errorf("%s:%d: %q stands under no heading", name, n+1, term)
			}
			if err := r.term(term, role); err != nil {
				return fmt.Errorf("%s:%d: %q: %w", name, n+1, term, err)
			}
		}
	}
	return nil
}

// term adds one term: words separated by spaces. A word can have alternatives
// (naked|nude); the last can have any ending (porn*); _ is any one word and #
// the age of a minor, alone or before letters (#yo).
func (r *termReader) term(term string, role roles) error {
	spellings := [][]rune{nil}
	prefix := false
	for i, word := range strings.Fields(term) {
		if prefix {
			return fmt.Errorf("only the last word can have any ending")
		}
		word, prefix = strings.CutSuffix(word, "*")
		var grown [][]rune
		for choice := range strings.SplitSeq(word, "|") {
			symbols, err := r.symbols(choice)
			if err != nil {
				return err
			}
			for _, s := range spellings {
				if i > 0 {
					s = append(slices.Clip(s), between)
				}
				grown = append(grown, append(slices.Clip(s), symbols...))
			}
		}
		spellings = grown
	}
	for _, s := range spellings {
		r.entries = append(r.entries, entry{s, role, prefix})
	}
	return nil
}

// symbols reads one word of a term as the scanner reads a text, except that a
// mark stays where it is written: niña is not the name Nina.
func (r *termReader) symbols(word string) (out []rune, err error) {
	if word == string(anyWord) {
		return []rune{anyWord}, nil
	}
	if rest, found := strings.CutPrefix(word, string(ofAge)); found {
		out, word = append(out, ofAge), rest
		if word == "" {
			return out, nil
		}
	}
	r.scanner.scan(word)
	if len(r.scanner.tokens) == 0 {
		return nil, fmt.Errorf("%q has no letters", word)
	}
	for i, t := range r.scanner.tokens {
		if i > 0 && t.gap != none {
			out = append(out, between)
		}
		for _, c := range r.scanner.chars[t.start:t.end] {
			symbol := c.base
			if c.own != 0 {
				symbol = c.own
			}
			for range c.times {
				out = append(out, symbol)
			}
		}
	}
	return out, nil
}
