package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// escapedNUL is the only way to write a NUL in JSON: as it is, it is a control
// character, which no JSON string may hold.
var escapedNUL = []byte(`\u0000`)

// refuseNUL refuses a body with a NUL in any string or name: a PostgreSQL text cannot hold
// one, and no text needs one. Few bodies contain these six bytes at all, so few bodies are
// decoded twice.
func refuseNUL(data []byte) error {
	if !bytes.Contains(data, escapedNUL) {
		return nil
	}
	d, done := decoder(data)
	defer done()
	return seekNUL(d, &path{})
}

// seekNUL decodes one value and refuses the first NUL in it by its path. A name that holds
// one is refused by the path of its object.
func seekNUL(d *jsontext.Decoder, p *path) error {
	switch d.PeekKind() {
	case '{':
		return members(d, p, func(name string) error {
			if holdsNUL(name) {
				return p.refuse("has a member %q: a name must not hold the character NUL", shortenName(name))
			}
			at := p.member(name)
			return seekNUL(d, &at)
		})
	case '[':
		return items(d, func(i int) error {
			at := p.item(i)
			return seekNUL(d, &at)
		})
	case '"':
		s, err := readString(d, p)
		if err == nil && holdsNUL(s) {
			err = p.refuse("must not hold the character NUL")
		}
		return err
	}
	return skip(d)
}

// IsText reports whether a string that did not come as JSON, such as a part of
// a path or a header, is text that every database can hold: UTF-8 without NUL.
func IsText(s string) bool { return utf8.ValidString(s) && !holdsNUL(s) }

func holdsNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }
