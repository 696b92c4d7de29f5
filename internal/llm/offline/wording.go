package offline

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/catalog"
)

// formatNumber writes a number without needless digits.
func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// formatCount writes a count with its noun.
func formatCount(n int, noun string) string {
	switch {
	case n == 1 && strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	case n == 1:
		return "a " + noun
	case n < len(numerals):
		return numerals[n] + " " + noun + "s"
	}
	return formatNumber(float64(n)) + " " + noun + "s"
}

// numerals are small numbers in words.
var numerals = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// listChoices lists the values that an argument may have.
func listChoices(t *catalog.Tool, argument string) string {
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
	return joinList(names, "and")
}

// joinList puts names in a row.
func joinList(names []string, last string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// truncate shortens a text to so many characters.
func truncate(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// shorten shortens a text at a word, and shows that.
func shorten(s string, n int) string {
	short := truncate(s, n)
	if short == s {
		return s
	}
	if i := strings.LastIndexByte(short, ' '); i > n/2 {
		short = short[:i]
	}
	return short + "…"
}

// capitalize writes a sentence's first letter large.
func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// appendToList adds to a list in words.
func appendToList(before any, more string) string {
	if s, ok := before.(string); ok && s != "" {
		return s + ", " + more
	}
	return more
}
