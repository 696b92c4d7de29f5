package llm

import "strings"

// Thinking removes think blocks from an answer that comes in pieces. Text that
// cannot be part of a block passes at once.
type Thinking struct {
	inside  bool
	started bool   // text of the answer itself has come
	held    string // may yet become a tag
	inTag   string // the tag that closes the block
}

// blocks are the tags that models put around their thinking.
var blocks = []string{"think", "thinking", "thought"}

// Filter takes the next piece, and returns the part of it and of what was held that
// belongs to the answer.
func (t *Thinking) Filter(piece string) string {
	if t.started && !t.inside && t.held == "" && strings.IndexByte(piece, '<') < 0 {
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
			return t.trimStart(out.String())
		default:
			out.WriteByte('<')
			t.held = t.held[1:]
		}
	}
	return t.trimStart(out.String())
}

// trimStart trims space at the beginning of an answer, such as that behind a block.
func (t *Thinking) trimStart(s string) string {
	if !t.started {
		s = strings.TrimLeft(s, " \r\n\t")
	}
	t.started = t.started || s != ""
	return s
}

// tag reports whether the held text begins with the tag of a block, or may with the
// next piece. A closing tag without an opening one is removed too: some servers
// leave the opening one out.
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

// Rest is, at the end of the answer, the held text that has not become a tag. A
// block that was not closed lasts until the end.
func (t *Thinking) Rest() string {
	rest := t.held
	t.held = ""
	if t.inside {
		return ""
	}
	return t.trimStart(rest)
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[len(s)-n:]
}
