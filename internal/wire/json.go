package wire

import (
	"errors"
	"io"

	"github.com/atelier-project/atelier"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a JSON value kept as it was written.
type Raw = jsontext.Value

// MaxDepth is how deeply a body may nest. The deepest body of the interface,
// a workflow plan with schemas inside arguments, needs less than a third.
const MaxDepth = 64

// writing are the options for all output. Our own types have no duplicate members, so the
// check for them is off. Invalid UTF-8 from outside is replaced, so that it does not fail
// the whole answer.
var writing = json.JoinOptions(json.Deterministic(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Write marshals v to w. Maps are written in key order, nil slices as [].
func Write(w io.Writer, v any) error { return json.MarshalWrite(w, v, writing) }

// Marshal returns the JSON of v as Write writes it.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, writing) }

// AppendString appends a text as JSON. Invalid UTF-8 is replaced.
func AppendString(dst []byte, s string) []byte {
	out, _ := jsontext.AppendQuote(dst, s)
	return out
}

// Unmarshal decodes JSON that we wrote ourselves, such as a database column. Requests are
// decoded with a Shape.
func Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// malformed turns an error of the JSON decoder into one for the client: what is wrong and
// at which byte.
func malformed(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case !errors.As(err, &syntax):
		return atelier.Refuse("", "The body is not valid JSON: it ends too early.")
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := shortenName(syntax.JSONPointer.LastToken())
		return atelier.Refuse(name, "is given twice in one object, near byte %d.", syntax.ByteOffset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return atelier.Refuse("", "The body is not valid JSON: it ends too early, at byte %d.", syntax.ByteOffset)
	}
	return atelier.Refuse("", "The body is not valid JSON: %v at byte %d.", syntax.Err, syntax.ByteOffset)
}
