package filter

import "io/fs"

// ReadLexicon reads a lexicon and says what is wrong with it.
func ReadLexicon(files fs.FS) error {
	_, err := readLexicon(files)
	return err
}

// ReadTerms reads a file of terms into a lexicon that has the rules of the
// program and no other terms.
func ReadTerms(text string) error {
	l, err := load()
	if err != nil {
		return err
	}
	r := termReader{rules: &l.rules, scanner: scanner{fold: l.fold, twin: l.twin}}
	if err := r.read("terms.txt", text); err != nil {
		return err
	}
	newTrie(r.entries)
	return nil
}

// Data is the lexicon of the program.
var Data = embedded
