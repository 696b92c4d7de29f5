package llm

import "strings"

// Thinking strips think blocks from an answer that comes bit by bit. What can
// no longer be part of a block is let through at once.
type Thinking struct {
	inside bool
	begun  bool   // something of the answer itself has come
	held   string // what may yet become a tag
	inTag  string // the tag that closes the block
}

// blocks are the tags that models put around their thoughts.
var blocks = []string{"think", "thinking", "thought"}

// Filter takes the next piece and returns what of it, and of what was held
// back, belongs to the answer.
func (t *Thinking) Filter(piece string) string {
	if t.begun && !t.inside && t.held == "" && strings.IndexByte(piece, '<') < 0 {
		return piece // nearly always
	}
	t.held += piece
	var out strings.Builder
	for t.held != "" {
		if t.inside {
			if i := strings.Index(t.held, t.inTag); i >= 0 {
				t.held, t.inside = t.held[i+len(t.inTag):], false
				continue
			}
			t.held = tail(t.held, len(t.inTag)-1) // the rest may begin the closing tag
			break
		}
		i := strings.IndexByte(t.held, '<')
		if i < 0 {
			out.WriteString(t.held)
			t.held = ""
			break
		}
		out.WriteString(t.held[:i])
		t.held = t.held[i:]
		tag, whole, maybe := t.tag()
		switch {
		case whole:
			t.held = t.held[len(tag):]
		case maybe:
			return t.let(out.String())
		default:
			out.WriteByte('<')
			t.held = t.held[1:]
		}
	}
	return t.let(out.String())
}

// let trims what follows a block at the beginning of an answer.
func (t *Thinking) let(s string) string {
	if !t.begun {
		s = strings.TrimLeft(s, " \r\n\t")
	}
	t.begun = t.begun || s != ""
	return s
}

// tag looks whether what is held begins with a tag of a block, or may once more
// has come. A stray closing tag is dropped as well: some servers leave out the
// opening one.
func (t *Thinking) tag() (tag string, whole, maybe bool) {
	for _, b := range blocks {
		for _, form := range []string{"<" + b + ">", "</" + b + ">"} {
			switch {
			case strings.HasPrefix(t.held, form):
				if form[1] != '/' {
					t.inside, t.inTag = true, "</"+b+">"
				}
				return form, true, false
			case strings.HasPrefix(form, t.held):
				maybe = true
			}
		}
	}
	return "", false, maybe
}

// Rest is what was held back and turned out to be no tag, once the answer has
// ended. A block that never closed is thought to its end.
func (t *Thinking) Rest() string {
	rest := t.held
	t.held = ""
	if t.inside {
		return ""
	}
	return t.let(rest)
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[len(s)-n:]
}
