package prose

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence writes a phrase with a capital and a full stop.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	s = Upper(s)
	if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".!?…:\"”)", last) {
		s = strings.TrimRight(s, ",;- ") + "."
	}
	return s
}

// Upper begins a text with a capital.
func Upper(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if n == 0 || c == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(c)) + s[n:]
}

// Paragraph joins phrases as sentences.
func Paragraph(phrases ...string) string {
	var out []string
	for _, p := range phrases {
		if p = Sentence(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// Unstopped is a text without its final stop.
func Unstopped(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".;, ") }

// Number writes a number without needless digits.
func Number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Cut shortens a text to n characters, at a word.
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n])
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;.-")
}

// List writes "a, b and c".
func List(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
