package phrase

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// FormatNumber writes a number without trailing zeros.
func FormatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// FormatCount writes a count with its noun.
func FormatCount(n int, noun string) string {
	switch {
	case n == 1 && strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	case n == 1:
		return "a " + noun
	case n < len(Numerals):
		return Numerals[n] + " " + noun + "s"
	}
	return FormatNumber(float64(n)) + " " + noun + "s"
}

// Numerals are small numbers in words.
var Numerals = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// JoinList joins names with commas, and the last with a word.
func JoinList(names []string, last string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// Truncate shortens a text to n characters.
func Truncate(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// Shorten shortens a text at a word and adds an ellipsis.
func Shorten(s string, n int) string {
	short := Truncate(s, n)
	if short == s {
		return s
	}
	if i := strings.LastIndexByte(short, ' '); i > n/2 {
		short = short[:i]
	}
	return short + "…"
}

// Capitalize makes the first letter a capital.
func Capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}
