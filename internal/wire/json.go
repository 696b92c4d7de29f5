package wire

import (
	"errors"
	"io"

	"github.com/atelier-project/atelier"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
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

// AppendUnquoted appends the text of a JSON string. It reports false, and appends nothing,
// when quoted is anything but one string that Unmarshal takes.
func AppendUnquoted(dst, quoted []byte) ([]byte, bool) {
	out, err := jsontext.AppendUnquote(dst, quoted)
	if err != nil {
		return dst, false
	}
	return out, true
}

// Unmarshal decodes JSON that we wrote ourselves, such as a database column. Requests are
// decoded with a Shape.
func Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// version1 are the options with which the library reads and writes as encoding/json does.
var version1 = jsonv1.DefaultOptionsV1()

// MarshalV1 returns the JSON of v as encoding/json writes it, byte for byte, but with the
// replacement of invalid UTF-8 unescaped. It is for text that is stored, signed or hashed in
// that form.
func MarshalV1(v any) ([]byte, error) { return json.Marshal(v, version1) }

// UnmarshalLenient decodes JSON that another program wrote, as encoding/json does: names in
// any case, duplicate names, of which the last one counts, and invalid UTF-8, which is
// replaced. After a member of the wrong type it reads the others, and returns the error.
func UnmarshalLenient(data []byte, v any) error { return json.Unmarshal(data, v, version1) }

// UnmarshalForeign decodes JSON that another program wrote, by exact names: of duplicate names the last one counts, and
// invalid UTF-8 is replaced.
func UnmarshalForeign(data []byte, v any) error { return json.Unmarshal(data, v, foreign) }

var foreign = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// UnmarshalExact is UnmarshalLenient, but a number in a value of type any becomes a Raw: a
// float64 cannot hold every integer.
func UnmarshalExact(data []byte, v any) error {
	return json.Unmarshal(data, v, version1, json.WithUnmarshalers(json.UnmarshalFromFunc(rawNumber)))
}

func rawNumber(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported // the library decodes it
	}
	raw, err := d.ReadValue()
	*v = raw.Clone()
	return err
}

// Valid reports whether UnmarshalLenient can parse a text.
func Valid(data []byte) bool { return Raw(data).IsValid(version1) }

// Decoder reads values and tokens one after another.
type Decoder = jsontext.Decoder

// NewDecoder reads JSON that another program wrote, by the rules of UnmarshalLenient.
func NewDecoder(r io.Reader) *Decoder { return jsontext.NewDecoder(r, version1) }

// Encoder writes values and tokens one after another.
type Encoder = jsontext.Encoder

// NewEncoder writes JSON to w. With unique it refuses a name that an object has already, and
// can continue with another one; that takes memory for all names of an object.
func NewEncoder(w io.Writer, unique bool) *Encoder {
	return jsontext.NewEncoder(w, jsontext.AllowDuplicateNames(!unique))
}

// ErrDuplicateName means that an object has a member of this name already.
var ErrDuplicateName = jsontext.ErrDuplicateName

// Decode decodes the next value.
func Decode(d *Decoder, v any) error { return json.UnmarshalDecode(d, v) }

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
