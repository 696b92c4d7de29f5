package wire

import (
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
)

// path is the position of the decoder in a document. It lives on the stack and is written
// out only for an error.
type path struct {
	parent *path
	name   string // a member's name; empty for an array item
	index  int
}

func (p *path) member(name string) path { return path{parent: p, name: name} }
func (p *path) item(i int) path         { return path{parent: p, index: i} }

// String writes the path for clients: input.steps[2].toolName.
func (p *path) String() string {
	if p == nil || (p.parent == nil && p.name == "") {
		return ""
	}
	if p.name == "" {
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	}
	if above := p.parent.String(); above != "" {
		return above + "." + shortenName(p.name)
	}
	return shortenName(p.name)
}

func (p *path) refuse(format string, args ...any) error {
	where := p.String()
	if where == "" {
		return atelier.Refuse("", "The body "+format+".", args...)
	}
	return atelier.Refuse(where, format+".", args...)
}

// beneath prefixes the path of a nested reader's error with p.
func (p *path) beneath(err error) error {
	e, ok := err.(*atelier.Error)
	if !ok {
		return p.refuse("%s", strings.TrimSuffix(err.Error(), "."))
	}
	where := p.String()
	switch {
	case where == "":
		return e
	case e.Field == "":
		e.Message = where + " " + e.Message
		e.Field = where
	default:
		join := "."
		if strings.HasPrefix(e.Field, "[") {
			join = ""
		}
		e.Message = where + join + e.Message
		e.Field = where + join + e.Field
	}
	return e
}
