package wire

import "strings"

// NamePolicy says which spellings of a declared name a request may use.
type NamePolicy uint8

const (
	// Strict accepts exactly the declared names and aliases; any other name is refused.
	Strict NamePolicy = iota
	// AnyCase accepts a declared name in snake_case or camelCase; any other name is
	// refused.
	AnyCase
	// Lenient accepts the declared names and aliases, refuses their camelCase forms, and
	// lets every other name pass: into the extra field if there is one.
	Lenient
)

// String is the name of the policy in tags and documents.
func (m NamePolicy) String() string { return [...]string{"strict", "anycase", "lenient"}[m] }

// camel turns max_tokens into maxTokens.
func camel(s string) string {
	head, rest, ok := strings.Cut(s, "_")
	if !ok {
		return s
	}
	var b strings.Builder
	b.WriteString(head)
	for part := range strings.SplitSeq(rest, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// snake turns maxTokens into max_tokens.
func snake(s string) string {
	var b strings.Builder
	for _, c := range s {
		if 'A' <= c && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
