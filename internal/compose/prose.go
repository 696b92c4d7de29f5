package compose

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// toSentence writes a phrase with a capital and a full stop.
func toSentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	s = upper(s)
	if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".!?…:\"”)", last) {
		s = strings.TrimRight(s, ",;- ") + "."
	}
	return s
}

// upper begins a text with a capital.
func upper(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if n == 0 || c == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(c)) + s[n:]
}

// lower begins a text with a small letter, unless it begins with a name or an
// abbreviation.
func lower(s string) string {
	word, _, _ := strings.Cut(s, " ")
	switch word {
	case "A", "An", "The", "My", "Our", "Your", "His", "Her", "Their", "This", "Two", "Three", "In", "On", "At", "One", "Some", "Old", "New", "She", "He", "They", "It", "We", "Then", "There", "When", "While", "Its", "These":
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// paragraph joins phrases as sentences.
func paragraph(phrases ...string) string {
	var out []string
	for _, p := range phrases {
		if p = toSentence(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// unstopped is a text without its final stop.
func unstopped(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".;, ") }

// formatNumber writes a number without needless digits.
func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// cut shortens a text to so many characters, at a word.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n])
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;.-")
}

// title is a short name for a long description.
func title(s string) string {
	s = unstopped(s)
	for _, mark := range []string{". ", "; ", ": ", " - ", ", ", " where ", " while ", " that ", " who ", " with "} {
		if i := strings.Index(s, mark); i > 8 {
			s = s[:i]
		}
	}
	for _, article := range []string{"a ", "an ", "the "} {
		if len(s) > len(article) && strings.EqualFold(s[:len(article)], article) {
			s = s[len(article):]
			break
		}
	}
	return upper(cut(s, 60))
}

// listed writes "a, b and c".
func listed(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// sentences takes a text apart where its sentences, lines and "then" are.
func sentences(s string) []string {
	var out []string
	add := func(p string) {
		if p = strings.Trim(p, " \t-*•.;,"); len(strings.Fields(p)) >= 2 {
			out = append(out, p)
		}
	}
	for _, row := range strings.Split(s, "\n") {
		start := 0
		for i := 0; i < len(row); i++ {
			switch {
			case strings.HasPrefix(row[i:], ". "), strings.HasPrefix(row[i:], "! "), strings.HasPrefix(row[i:], "? "), strings.HasPrefix(row[i:], "; "):
				add(row[start : i+1])
				start = i + 1
			case strings.HasPrefix(row[i:], ", then "):
				add(row[start:i])
				start = i + len(", then ")
			case strings.HasPrefix(row[i:], " and then "):
				add(row[start:i])
				start = i + len(" and then ")
			}
		}
		add(row[start:])
	}
	return out
}
