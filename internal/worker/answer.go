package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// OddAnswer says that a server answered with something else than it should: what was
// asked, what came back, and what can be checked.
type OddAnswer struct {
	Server string // such as ComfyUI
	Asked  string // such as GET /queue
	Body   []byte // of the answer, or its beginning
	Fault  error  // why it cannot be read; nil when it is JSON of another form
	Where  string // in the answer, such as "devices is a string"; may be empty
	Check  string // what can be checked; may be empty
}

// Error implements error. It does not show what a parser says: that is for programmers.
func (e *OddAnswer) Error() string {
	text := e.Public()
	if excerpt := strings.Join(strings.Fields(string(bytes.ToValidUTF8(e.Body[:min(len(e.Body), 1000)], nil))), " "); excerpt != "" {
		text += fmt.Sprintf(" (%s)", Shorten(excerpt, 120))
	}
	if e.Check != "" {
		text += "; " + e.Check
	}
	return text
}

// Public is the error as customers read it: without what came back, which may be a page of
// the worker's network.
func (e *OddAnswer) Public() string {
	text := fmt.Sprintf("%s did not answer %s as it should: it sent %s", e.Server, e.Asked, e.form())
	if e.Where != "" {
		text += ", in which " + e.Where
	}
	return text
}

// form names the kind of text that came back.
func (e *OddAnswer) form() string {
	body := bytes.TrimSpace(e.Body)
	switch {
	case len(body) == 0:
		return "nothing"
	case body[0] == '<':
		return "an HTML page"
	case errors.Is(e.Fault, io.ErrUnexpectedEOF):
		return "JSON that ends too early"
	case e.Fault == nil || body[0] == '{' || body[0] == '[':
		return "JSON of another form"
	}
	return "text that is not JSON"
}
