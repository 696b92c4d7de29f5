package filter

import (
	"fmt"
	"strings"
	"unicode"
)

// class is how the scanner treats a character.
type class uint8

const (
	gone   class = iota // invisible to a reader: zero width, marks
	letter              // of an alphabet, in words
	kana                // katakana, which also writes words
	digit
	sign // reads as a letter between letters: @ $ !
	ideo // a sign of a script that writes no spaces: a separate word
	space
	line    // end of a line
	comma   // separates the items of a list
	stop    // ends a clause
	dash    // separates a clause when spaces are around it
	star    // may replace a letter to hide it
	bracket // opens or closes a parenthesis
	other   // separates words and means nothing
)

// glyph is how a character is read.
type glyph struct {
	class class
	base  rune    // in lower case, without marks, in the plain alphabet
	rest  [2]rune // what follows base where one character stands for several
	own   rune    // in lower case with its marks; 0 when that is base
}

// alphabets is how many pages hold all alphabets and kana; Han follows.
const alphabets = 0x31

// folder maps characters to how they are read. The table has a page for each 256
// characters of the alphabets, and for those in fold.txt; for the others the Unicode
// tables are enough.
type folder struct {
	pages [0x200]*[256]glyph
}

// halfwidth are the katakana of U+FF66 to U+FF9D.
const halfwidth = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"

// signs that can be read as letters; the walk decides which.
const signs = "@$!|€£¢¥"

// marked are letters that a mark following them makes: pairs of base and whole.
// Only those need an entry whose mark tells words apart.
var marked = map[rune]string{
	0x300: "aàeèiìoòuù", 0x301: "aáeéiíoóuúyý", 0x302: "aâeêiîoôuû", 0x303: "aãnñoõ",
	0x308: "aäeëiïoöuüеё", 0x306: "gğий", 0x327: "cç", 0x30a: "aå",
}

// newFolder reads fold.txt: on each line the plain spelling and the characters
// that are read as it.
func newFolder(text string) (*folder, error) {
	f := new(folder)
	for page := range rune(alphabets) {
		f.entry(page << 8)
	}
	for n, row := range strings.Split(text, "\n") {
		if row = strings.TrimSpace(row); row == "" || row[0] == '#' {
			continue
		}
		plain, from, found := strings.Cut(row, " ")
		if !found {
			return nil, fmt.Errorf("fold.txt:%d: want a spelling, a space and characters", n+1)
		}
		first := []rune(plain)
		if len(first) > 3 {
			return nil, fmt.Errorf("fold.txt:%d: %q is longer than three characters", n+1, plain)
		}
		for _, c := range from {
			g := natural(first[0])
			copy(g.rest[:], first[1:])
			if low := unicode.ToLower(c); low != g.base && len(first) == 1 {
				g.own = low
			}
			*f.entry(c) = g
		}
	}
	for i, c := range []rune(halfwidth) {
		*f.entry(rune(0xff66 + i)) = glyph{class: kana, base: c}
	}
	return f, nil
}

// entry returns the entry of a character in the table, and creates it when needed.
func (f *folder) entry(c rune) *glyph {
	p := &f.pages[c>>8]
	if *p == nil {
		*p = new([256]glyph)
		for i := range *p {
			(*p)[i] = natural(c&^0xff + rune(i))
		}
	}
	return &(*p)[c&0xff]
}

// read returns how a character is read.
func (f *folder) read(c rune) glyph {
	if c>>8 < rune(len(f.pages)) {
		if p := f.pages[c>>8]; p != nil {
			return p[c&0xff]
		}
	}
	return natural(c)
}

// natural is how a character is read that is not in the table.
func natural(c rune) glyph {
	switch {
	case 'a' <= c && c <= 'z':
		return glyph{class: letter, base: c}
	case 0x4e00 <= c && c <= 0x9fff, 0xac00 <= c && c <= 0xd7a3: // most Han and Hangul, quickly
		return glyph{class: ideo, base: c}
	case '0' <= c && c <= '9':
		return glyph{class: digit, base: c}
	case strings.ContainsRune(signs, c):
		return glyph{class: sign, base: c}
	case strings.ContainsRune(",，、،", c):
		return glyph{class: comma}
	case strings.ContainsRune(".;:?…。！？；：", c):
		return glyph{class: stop}
	case strings.ContainsRune("-–—", c):
		return glyph{class: dash}
	case strings.ContainsRune(`()[]{}<>"“”„«»‹›（）「」『』【】《》〈〉［］`, c):
		return glyph{class: bracket}
	case c == '*':
		return glyph{class: star}
	case c == '\n':
		return glyph{class: line}
	case c == unicode.ReplacementChar:
		return glyph{class: other}
	case 0x30a1 <= c && c <= 0x30fa, c == 'ー':
		return glyph{class: kana, base: c}
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf),
		c == 0x115f, c == 0x3164, c == 0xffa0, // fillers of Hangul: invisible letters
		0x1160 <= c && c <= 0x11ff, c == 0xff9e, c == 0xff9f: // parts, which compose has put where they belong
		return glyph{class: gone}
	case unicode.IsSpace(c), unicode.Is(unicode.Z, c):
		return glyph{class: space}
	case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Hangul):
		return glyph{class: ideo, base: c}
	case unicode.IsLetter(c), unicode.IsNumber(c), unicode.Is(unicode.Mc, c):
		return glyph{class: letter, base: unicode.ToLower(c)}
	}
	return glyph{class: other}
}

// compose puts a mark on the character before it, for scripts and words in
// which the mark makes another letter. It gives 0 when it does not.
func compose(before, mark rune) rune {
	switch mark {
	case 0x3099, 0xff9e: // か and が are neighbours
		switch {
		case before == 'う' || before == 'ウ':
			return before + 78
		case 'か' <= before && before <= 'ほ', 'カ' <= before && before <= 'ホ':
			return before + 1
		}
		return 0
	case 0x309a, 0xff9f:
		if 'は' <= before && before <= 'ほ' || 'ハ' <= before && before <= 'ホ' {
			return before + 2
		}
		return 0
	}
	pairs := marked[mark]
	for i, c := range pairs {
		if c == before {
			return []rune(pairs[i:])[1]
		}
	}
	return jamo(before, mark)
}

// jamo adds a vowel or a final consonant to the Hangul before it.
func jamo(before, part rune) rune {
	const syllables, leads, vowels, finals = 0xac00, 0x1100, 0x1161, 0x11a7
	switch {
	case leads <= before && before < leads+19 && vowels <= part && part < vowels+21:
		return syllables + ((before-leads)*21+part-vowels)*28
	case syllables <= before && before <= 0xd7a3 && (before-syllables)%28 == 0 && finals < part && part < finals+28:
		return before + part - finals
	}
	return 0
}
