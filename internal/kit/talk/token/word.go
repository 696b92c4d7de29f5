package token

import (
	"slices"
	"strings"
)

// trimDangling removes words at the end that led to something that was taken out.
func trimDangling(s string) string {
	for {
		s = strings.TrimRight(s, " ,;:.!?-–—+&/\n")
		i := strings.LastIndexByte(s, ' ')
		if i < 0 || !danglingWords[strings.ToLower(s[i+1:])] {
			return s
		}
		s = s[:i]
	}
}

// danglingWords mean nothing at the end of a description.
var danglingWords = map[string]bool{
	"and": true, "with": true, "in": true, "at": true, "of": true, "for": true, "using": true, "but": true, "or": true, "by": true, "a": true,
	"an": true, "the": true, "as": true, "on": true, "to": true, "that": true, "which": true, "is": true, "from": true, "then": true,
	"also": true, "please": true,
	"into": true, "like": true,
}

// Tidy removes what is left at the ends of a description, and between its parts, when other parts were taken out.
func Tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for _, pair := range [][2]string{{" ,", ","}, {",,", ","}, {", .", "."}, {",.", "."}, {"( ", "("}, {" )", ")"}, {"()", ""}, {" .", "."},
		{" :", ":"}, {"  ", " "}} {
		for strings.Contains(s, pair[0]) {
			s = strings.ReplaceAll(s, pair[0], pair[1])
		}
	}
	for {
		before := s
		s = strings.TrimRight(s, " ,;:.!?-–—+&/\n")
		s = strings.TrimLeft(s, " ,;:.!?-–—+&/\n)*•")
		if i := strings.IndexByte(s, ' '); i > 0 && leadingWords[strings.ToLower(s[:i])] {
			s = s[i+1:]
		}
		if s == before {
			return s
		}
	}
}

// leadingWords mean nothing at the beginning of a description.
var leadingWords = map[string]bool{"and": true, "but": true, "or": true, "then": true, "also": true, "please": true, "of": true, "about": true}

// SplitAtWords splits a text at words.
func SplitAtWords(s string, at ...string) []string {
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

// TrimFirstWords removes words from the beginning of a text, as long as one of them stands there.
func TrimFirstWords(s string, words ...string) string {
	for {
		first, rest, found := strings.Cut(strings.TrimSpace(s), " ")
		if !found || !slices.Contains(words, strings.ToLower(first)) {
			return strings.TrimSpace(s)
		}
		s = rest
	}
}

// Stem removes the ending of a plural.
func Stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return strings.TrimSuffix(w, "s")
	}
	return w
}
