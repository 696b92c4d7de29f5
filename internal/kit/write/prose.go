package write

import (
	"strings"

	"github.com/atelier-project/atelier/internal/prose"
)

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

// title is a short name for a long description.
func title(s string) string {
	s = prose.Unstopped(s)
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
	return prose.Upper(prose.Cut(s, 60))
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
