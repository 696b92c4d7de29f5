package offline

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/catalog"
)

// plain writes a number without needless digits.
func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// plural writes a count with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1 && strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	case n == 1:
		return "a " + noun
	case n < len(numerals):
		return numerals[n] + " " + noun + "s"
	}
	return plain(float64(n)) + " " + noun + "s"
}

// numerals are small numbers in words.
var numerals = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// choices lists the values that an argument may have.
func choices(t *catalog.Tool, argument string) string {
	a, ok := t.Argument(argument)
	if !ok {
		return ""
	}
	var names []string
	for _, v := range a.Enum {
		if s, ok := v.(string); ok {
			names = append(names, s)
		}
	}
	return series(names, "and")
}

// series puts names in a row.
func series(names []string, last string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// cut shortens a text to so many characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// clip shortens a text at a word, and shows that.
func clip(s string, n int) string {
	short := cut(s, n)
	if short == s {
		return s
	}
	if i := strings.LastIndexByte(short, ' '); i > n/2 {
		short = short[:i]
	}
	return short + "…"
}

// capital writes a sentence's first letter large.
func capital(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// splitWords parts a text at words.
func splitWords(s string, at ...string) []string {
	var out []string
	var part []string
	for _, w := range strings.Fields(s) {
		if slices.Contains(at, strings.ToLower(w)) {
			out = append(out, strings.Join(part, " "))
			part = nil
			continue
		}
		part = append(part, w)
	}
	return append(out, strings.Join(part, " "))
}

// dropFirst takes words off the beginning of a text, as long as some of them
// stand there.
func dropFirst(s string, words ...string) string {
	for {
		first, rest, found := strings.Cut(strings.TrimSpace(s), " ")
		if !found || !slices.Contains(words, strings.ToLower(first)) {
			return strings.TrimSpace(s)
		}
		s = rest
	}
}

// joinWith adds to a list in words.
func joinWith(before any, more string) string {
	if s, ok := before.(string); ok && s != "" {
		return s + ", " + more
	}
	return more
}
