package yamldoc

import (
	"fmt"
	"strings"
)

// Error is a mistake in a document, and where it is.
type Error struct {
	Name    string // the document, usually a file name
	Line    int    // from 1; 0 when the document has no such place
	Path    string // dotted path with indices, such as llm.upstreams[0].models[1].id; empty at the root
	Problem string // what is wrong, such as "unknown key" or "must be a number"
	Cause   error  // the error of a type that reads itself from text, if that is what failed
}

// Error writes name, line, path and problem on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Name)
	if e.Line > 0 {
		if e.Name == "" {
			b.WriteString("line ")
		} else {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "%d", e.Line)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// UnknownKey is the Problem of a key that the destination does not have.
const UnknownKey = "unknown key"
