package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// twins are the letters of Cyrillic and Latin that look like each other.
type twins struct {
	latin [0x130][]rune // by Cyrillic letter from U+0400: what it passes for
	cyril [26][]rune    // by Latin letter
	alike [0x130]bool   // passes for Latin on its own
}

// newTwins reads twin.txt: the words same or near, then pairs of a Cyrillic
// and a Latin letter.
func newTwins(text string) (*twins, error) {
	t := new(twins)
	for n, row := range strings.Split(text, "\n") {
		if row = strings.TrimSpace(row); row == "" || row[0] == '#' {
			continue
		}
		words := strings.Fields(row)
		if words[0] != "same" && words[0] != "near" {
			return nil, fmt.Errorf("twin.txt:%d: want same or near, not %q", n+1, words[0])
		}
		for _, pair := range words[1:] {
			c, size := utf8.DecodeRuneInString(pair)
			l := pair[size:]
			if c < 0x400 || c >= 0x530 || len(l) != 1 || l[0] < 'a' || l[0] > 'z' {
				return nil, fmt.Errorf("twin.txt:%d: %q is no pair of a Cyrillic and a Latin letter", n+1, pair)
			}
			t.latin[c-0x400] = append(t.latin[c-0x400], rune(l[0]))
			t.cyril[l[0]-'a'] = append(t.cyril[l[0]-'a'], c)
			t.alike[c-0x400] = t.alike[c-0x400] || words[0] == "same"
		}
	}
	return t, nil
}

// same reports whether a Cyrillic letter passes for Latin among its own kind.
func (t *twins) same(c rune) bool { return t.alike[c-0x400] }

// lookalikes gives the letters of the other alphabet that a letter passes for.
func (t *twins) lookalikes(c rune) []rune {
	switch {
	case 'a' <= c && c <= 'z':
		return t.cyril[c-'a']
	case 0x400 <= c && c < 0x530:
		return t.latin[c-0x400]
	}
	return nil
}
