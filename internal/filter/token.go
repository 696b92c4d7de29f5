package filter

// gap is what stands between a token and the one before it.
type gap uint8

const (
	none   gap = iota // nothing: the script changes inside a word
	blank             // one space
	wide              // several spaces, a line end, a bracket
	dotted            // punctuation without a space: p.o.r.n
	joint             // another separator without a space: n-u-d-e
	hidden            // stars, which may stand for letters: p*rn
	listed            // a comma or a dash that separates
	clause            // the end of a clause
)

// joins reports whether words on both sides can belong to one phrase.
func (g gap) joins() bool { return g < listed }

// char is a character of a token and how often it follows itself.
type char struct {
	base, own rune
	class     class
	times     uint8 // 3 stands for more
}

// token is a word, or one sign of a script that writes no spaces.
type token struct {
	start, end int32 // its characters
	tail       int32 // from here on there are only digits and signs
	head       int32 // up to here there are only digits and signs
	place      int32 // where it stands in the text; a word is two, an ideograph one
	number     int32 // what the digits at its start say; -1 without any
	digits     int32 // where they end
	gap        gap
	stars      uint8 // how many stars are in the gap
	ideo       bool
	mixed      bool // has Latin and Cyrillic letters
	posing     bool // has only Cyrillic letters that pass for Latin
	spelled    spelled
}

// spelled says where a token stands in a word whose letters are set apart.
type spelled uint8

const (
	within spelled = 1 << iota
	first
	last
)

// single reports whether a token is one letter.
func (t *token) single() bool { return !t.ideo && t.end-t.start == 1 }
