package wire

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Reader is a type that decodes its own JSON: a union such as "string or array of parts".
// A returned *atelier.Error names its field relative to the value. The value is a part of
// the body, which a Reader must not modify.
type Reader interface {
	ReadWire(Raw) error
}

// codec decodes one Go type, from JSON or from text (a query parameter, a header, a
// default).
type codec struct {
	fromJSON func(d *jsontext.Decoder, v reflect.Value, p *path) error
	fromText func(v reflect.Value, texts []string, p *path) error
	optional bool   // Opt: sees null
	free     bool   // it holds JSON of any shape, which must be limited before it is decoded
	shape    *Shape // of a struct
}

var (
	readerType   = reflect.TypeFor[Reader]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
	rawType      = reflect.TypeFor[Raw]()
	listType     = reflect.TypeFor[List]()
	optInterface = reflect.TypeFor[interface{ isOpt() }]()
)

// codecOf chooses the codec of a type. The tag's rules apply to the value itself; the
// items of an array have none.
func codecOf(t reflect.Type, rules *tag, m NamePolicy) codec {
	switch {
	case t == rawType:
		return rawCodec()
	case t == listType:
		return listCodec(rules)
	case t.Implements(optInterface):
		return optCodec(t, rules, m)
	case reflect.PointerTo(t).Implements(readerType):
		return readerCodec()
	case reflect.PointerTo(t).Implements(textType):
		return textCodec()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return pointerCodec(t, rules, m)
	case reflect.String:
		return stringCodec(rules)
	case reflect.Bool:
		return boolCodec()
	case reflect.Int, reflect.Int64, reflect.Float64:
		return numberCodec(t, rules)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return bytesCodec(rules)
		}
		return sliceCodec(t, rules, m)
	case reflect.Map:
		return mapCodec(t, rules, m)
	case reflect.Struct:
		return structCodec(t, m)
	case reflect.Interface:
		return anyCodec()
	}
	panic(fmt.Sprintf("wire: cannot read a %v", t))
}

func notText(reflect.Value, []string, *path) error {
	panic("wire: this type has no text form, so it cannot be a query parameter, a header or a default")
}

// requireSingle refuses a parameter that was given more than once.
func requireSingle(texts []string, p *path) (string, error) {
	if len(texts) > 1 {
		return "", p.refuse("is given %d times", len(texts))
	}
	return texts[0], nil
}

func stringCodec(rules *tag) codec {
	return codec{
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			s, err := readString(d, p)
			if err == nil {
				s, err = rules.checkText(s, p)
			}
			v.SetString(s)
			return err
		},
		fromText: func(v reflect.Value, texts []string, p *path) error {
			s, err := requireSingle(texts, p)
			if err == nil && !IsText(s) {
				err = p.refuse("must be valid UTF-8 text")
			}
			if err == nil {
				s, err = rules.checkText(s, p)
			}
			v.SetString(s)
			return err
		},
	}
}

// bytesCodec reads base64.
func bytesCodec(rules *tag) codec {
	return codec{
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			s, err := readString(d, p)
			if err == nil {
				s, err = rules.checkText(s, p)
			}
			if err != nil {
				return err
			}
			content, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				return p.refuse("must be base64")
			}
			v.SetBytes(content)
			return nil
		},
		fromText: notText,
	}
}

func readString(d *jsontext.Decoder, p *path) (string, error) {
	if d.PeekKind() != '"' {
		return "", mismatch(d, p, "must be a string")
	}
	tok, err := d.ReadToken()
	if err != nil {
		return "", malformed(err)
	}
	return tok.String(), nil
}

func boolCodec() codec {
	return codec{
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			if k := d.PeekKind(); k != 't' && k != 'f' {
				return mismatch(d, p, "must be true or false")
			}
			tok, err := d.ReadToken()
			if err != nil {
				return malformed(err)
			}
			v.SetBool(tok.Bool())
			return nil
		},
		fromText: func(v reflect.Value, texts []string, p *path) error {
			s, err := requireSingle(texts, p)
			if err != nil {
				return err
			}
			switch s {
			case "true", "1":
				v.SetBool(true)
			case "false", "0":
				v.SetBool(false)
			default:
				return p.refuse("must be true or false")
			}
			return nil
		},
	}
}

func numberCodec(t reflect.Type, rules *tag) codec {
	whole := t.Kind() != reflect.Float64
	what := "must be a number"
	if whole {
		what = "must be a whole number"
	}
	set := func(v reflect.Value, text string, p *path) error {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return p.refuse("%s", what)
		}
		// Beyond 2^53 a float cannot distinguish neighbouring integers.
		if whole && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
			return p.refuse("%s", what)
		}
		if f, err = rules.number(f, p); err != nil {
			return err
		}
		if whole {
			v.SetInt(int64(f))
		} else {
			v.SetFloat(f)
		}
		return nil
	}
	return codec{
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			if d.PeekKind() != '0' {
				return mismatch(d, p, what)
			}
			tok, err := d.ReadToken()
			if err != nil {
				return malformed(err)
			}
			return set(v, tok.String(), p)
		},
		fromText: func(v reflect.Value, texts []string, p *path) error {
			s, err := requireSingle(texts, p)
			if err != nil {
				return err
			}
			if strings.ContainsAny(s, "xX_pPnN") { // Go spellings that JSON does not have
				return p.refuse("%s", what)
			}
			return set(v, s, p)
		},
	}
}

func pointerCodec(t reflect.Type, rules *tag, m NamePolicy) codec {
	inner := codecOf(t.Elem(), rules, m)
	return codec{
		shape: inner.shape,
		free:  inner.free,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			v.Set(reflect.New(t.Elem()))
			return inner.fromJSON(d, v.Elem(), p)
		},
		fromText: func(v reflect.Value, texts []string, p *path) error {
			v.Set(reflect.New(t.Elem()))
			return inner.fromText(v.Elem(), texts, p)
		},
	}
}

func optCodec(t reflect.Type, rules *tag, m NamePolicy) codec {
	inner := codecOf(t.Field(0).Type, rules, m)
	return codec{
		optional: true,
		shape:    inner.shape,
		free:     inner.free,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			v.Field(1).SetBool(true)
			if d.PeekKind() == 'n' {
				v.Field(2).SetBool(true)
				return skip(d)
			}
			return inner.fromJSON(d, v.Field(0), p)
		},
		fromText: notText,
	}
}

func sliceCodec(t reflect.Type, rules *tag, m NamePolicy) codec {
	inner := codecOf(t.Elem(), &tag{}, m)
	return codec{
		shape: inner.shape,
		free:  inner.free,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			if d.PeekKind() != '[' {
				return mismatch(d, p, "must be an array")
			}
			out := reflect.MakeSlice(t, 0, 4)
			err := items(d, func(i int) error {
				at := p.item(i)
				if i >= rules.mostItems() {
					return rules.items(i+1, p) // the rest is skipped
				}
				out = reflect.Append(out, reflect.Zero(t.Elem()))
				return inner.fromJSON(d, out.Index(i), &at)
			})
			if err != nil {
				return err
			}
			v.Set(out)
			return rules.items(out.Len(), p)
		},
		fromText: notText,
	}
}

func listCodec(rules *tag) codec {
	c := sliceCodec(reflect.TypeFor[[]string](), rules, Strict)
	fromJSON := c.fromJSON
	c.fromJSON = func(d *jsontext.Decoder, v reflect.Value, p *path) error {
		var items []string
		err := fromJSON(d, reflect.ValueOf(&items).Elem(), p)
		v.Set(reflect.ValueOf(List(items)))
		return err
	}
	c.fromText = func(v reflect.Value, texts []string, p *path) error {
		var items List
		for _, text := range texts {
			for item := range strings.SplitSeq(text, ",") {
				if item = strings.TrimSpace(item); item == "" {
					continue
				}
				if !IsText(item) {
					return p.refuse("must be valid UTF-8 text")
				}
				if items = append(items, item); len(items) > rules.mostItems() {
					return rules.items(len(items), p)
				}
			}
		}
		v.Set(reflect.ValueOf(items))
		return rules.items(len(items), p)
	}
	return c
}

func mapCodec(t reflect.Type, rules *tag, m NamePolicy) codec {
	if t.Key().Kind() != reflect.String {
		panic(fmt.Sprintf("wire: cannot read a %v", t))
	}
	inner := codecOf(t.Elem(), &tag{}, m)
	return codec{
		free: inner.free,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			out := reflect.MakeMap(t)
			err := members(d, p, func(name string) error {
				at := p.member(name)
				if n := out.Len() + 1; n > rules.mostItems() {
					return rules.items(n, p)
				}
				item := reflect.New(t.Elem()).Elem()
				if err := inner.fromJSON(d, item, &at); err != nil {
					return err
				}
				out.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), item)
				return nil
			})
			v.Set(out)
			return err
		},
		fromText: notText,
	}
}

func structCodec(t reflect.Type, m NamePolicy) codec {
	shape := shapeOf(t, m)
	return codec{
		shape:    shape,
		fromText: notText,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error { return shape.read(d, v, nil, p) },
	}
}

// rawCodec keeps a value as it is in the body, without a copy.
func rawCodec() codec {
	return codec{
		free:     true,
		fromText: notText,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			raw, err := d.ReadValue()
			if err != nil {
				return malformed(err)
			}
			v.SetBytes(raw)
			return nil
		},
	}
}

func anyCodec() codec {
	return codec{
		free:     true,
		fromText: notText,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			var value any
			var beyond *json.SemanticError
			switch err := json.UnmarshalDecode(d, &value); {
			case errors.As(err, &beyond): // nothing else can be wrong with a value of any type
				return p.refuse("holds a number that is too large")
			case err != nil:
				return malformed(err)
			}
			if value != nil {
				v.Set(reflect.ValueOf(value))
			}
			return nil
		},
	}
}

func readerCodec() codec {
	return codec{
		free:     true,
		fromText: notText,
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			raw, err := d.ReadValue()
			if err != nil {
				return malformed(err)
			}
			if err := v.Addr().Interface().(Reader).ReadWire(raw); err != nil {
				return p.beneath(err)
			}
			return nil
		},
	}
}

// maxTextForm limits the text form of a type that decodes its own, such as a time.
const maxTextForm = 256

func textCodec() codec {
	set := func(v reflect.Value, s string, p *path) error {
		if len(s) > maxTextForm { // an error would quote it
			return p.refuse("is not valid: it has more than %d characters", maxTextForm)
		}
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
			return p.refuse("is not valid: %v", err)
		}
		return nil
	}
	return codec{
		fromJSON: func(d *jsontext.Decoder, v reflect.Value, p *path) error {
			s, err := readString(d, p)
			if err != nil {
				return err
			}
			return set(v, s, p)
		},
		fromText: func(v reflect.Value, texts []string, p *path) error {
			s, err := requireSingle(texts, p)
			if err != nil {
				return err
			}
			return set(v, s, p)
		},
	}
}

// mismatch reports a value of the wrong type, unless the JSON itself is invalid there:
// then it reports that.
func mismatch(d *jsontext.Decoder, p *path, what string) error {
	if err := skip(d); err != nil {
		return err
	}
	return p.refuse("%s", what)
}

func skip(d *jsontext.Decoder) error {
	if err := d.SkipValue(); err != nil {
		return malformed(err)
	}
	return nil
}
