package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/go-json-experiment/json/jsontext"
)

var decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(bytes.NewBuffer(nil)) }}

// decoder returns a pooled decoder that reads data without a copy, until done is called.
func decoder(data []byte) (d *jsontext.Decoder, done func()) {
	d = decoders.Get().(*jsontext.Decoder)
	d.Reset(bytes.NewBuffer(data))
	return d, func() {
		if len(data) > maxFreeBytes {
			return // it has grown with the names that it has seen
		}
		d.Reset(bytes.NewBuffer(nil)) // it must not keep the data
		decoders.Put(d)
	}
}

// Body decodes a JSON body into dst, a pointer to the shape's type. An empty body counts
// as an empty object, so a request without required fields needs none. Headers set fields
// that the body omits, where the declaration allows it. Raw values are parts of data, which
// must not be modified afterwards.
func (s *Shape) Body(data []byte, h http.Header, dst any) error {
	v := s.check(dst)
	if len(bytes.TrimSpace(data)) == 0 {
		return s.finish(v, make([]bool, len(s.fields)), h, &path{})
	}
	var m Meter
	m.Add(data)
	if err := m.Check(Bounds{Text: int64(len(data))}); err != nil {
		return err
	}
	if err := refuseNUL(data); err != nil {
		return err
	}
	d, done := decoder(data)
	defer done()

	root := path{}
	if err := s.read(d, v, h, &root); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return atelier.Refuse("", "The body must be one JSON object and nothing after it.")
	}
	return nil
}

// read reads one object into v.
func (s *Shape) read(d *jsontext.Decoder, v reflect.Value, h http.Header, p *path) error {
	given := make([]bool, len(s.fields))
	spelled := make([]string, len(s.fields))
	var extra Meter // of all undeclared names
	err := members(d, p, func(name string) error {
		f, ok := s.names[name]
		if !ok {
			return s.pass(d, v, name, p, &extra)
		}
		at := p.member(name)
		if spelled[f.pos] != "" {
			return at.refuse("is the same field as %q: give one of them", spelled[f.pos])
		}
		spelled[f.pos] = name
		if d.PeekKind() == 'n' && !f.codec.optional {
			return skip(d)
		}
		given[f.pos] = true
		if f.codec.free {
			var m Meter
			m.scan(d.UnreadBuffer(), true)
			if err := f.free(&m, &at); err != nil {
				return err
			}
		}
		return f.codec.fromJSON(d, v.FieldByIndex(f.index), &at)
	})
	if err != nil {
		return err
	}
	return s.finish(v, given, h, p)
}

// pass handles an undeclared name: it is refused, kept or skipped.
func (s *Shape) pass(d *jsontext.Decoder, v reflect.Value, name string, p *path, sum *Meter) error {
	if err := s.unknown(name, p); err != nil {
		return err
	}
	at := p.member(name)
	if s.extra == nil {
		return skip(d)
	}
	sum.text += int64(len(name))
	sum.values++
	sum.scan(d.UnreadBuffer(), true)
	if err := s.extra.free(sum, &at); err != nil {
		return err
	}
	raw, err := d.ReadValue()
	if err != nil {
		return malformed(err)
	}
	kept := v.FieldByIndex(s.extra.index)
	if kept.IsNil() {
		kept.Set(reflect.MakeMap(kept.Type()))
	}
	kept.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(raw))
	return nil
}

// members calls a function for each member of an object; it must consume the value.
func members(d *jsontext.Decoder, p *path, each func(name string) error) error {
	if d.PeekKind() != '{' {
		return mismatch(d, p, "must be an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return malformed(err)
	}
	for d.PeekKind() != '}' {
		tok, err := d.ReadToken()
		if err != nil {
			return malformed(err)
		}
		if err := each(tok.String()); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return malformed(err)
	}
	return nil
}

// items calls a function for each item of an array; it must consume the value.
func items(d *jsontext.Decoder, each func(i int) error) error {
	if _, err := d.ReadToken(); err != nil {
		return malformed(err)
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		if d.PeekKind() == 0 {
			_, err := d.ReadToken()
			return malformed(err)
		}
		if err := each(i); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return malformed(err)
	}
	return nil
}
