package wire

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// tag is the parsed wire:"…" declaration of one field.
type tag struct {
	name      string
	aliases   []string
	required  bool
	extra     bool
	fallback  bool
	clamp     bool
	hasPolicy bool // names= was given
	policy    NamePolicy
	header    string
	def       *string
	enum      []string
	min, max  *float64
	minLen    int
	maxLen    int // 0: the default of its kind
	maxBytes  int // of JSON without a fixed shape; 0: the default
	truncate  int // 0: not truncated
	doc       string
	example   string
}

// parseTag reads a field's declaration. A mistake in it is a mistake in our own source, so
// it panics, at start, where every test sees it.
func parseTag(f reflect.StructField) (tag, bool) {
	text, ok := f.Tag.Lookup("wire")
	if !ok || text == "-" {
		return tag{}, false
	}
	parts := strings.Split(text, ",")
	t := tag{name: parts[0], doc: f.Tag.Get("doc"), example: f.Tag.Get("example")}
	for _, opt := range parts[1:] {
		key, value, _ := strings.Cut(opt, "=")
		if err := t.set(key, value); err != nil {
			panic(fmt.Sprintf("wire: field %s: option %q: %v", f.Name, opt, err))
		}
	}
	if t.name == "" && !t.extra {
		panic(fmt.Sprintf("wire: field %s has no name", f.Name))
	}
	return t, true
}

func (t *tag) set(key, value string) (err error) {
	switch key {
	case "required":
		t.required = true
	case "extra":
		t.extra = true
	case "fallback":
		t.fallback = true
	case "clamp":
		t.clamp = true
	case "alias":
		t.aliases = append(t.aliases, value)
	case "header":
		t.header = value
	case "default":
		t.def = &value
	case "enum":
		t.enum = strings.Split(value, "|")
	case "min":
		t.min, err = bound(value)
	case "max":
		t.max, err = bound(value)
	case "minlen":
		t.minLen, err = strconv.Atoi(value)
	case "maxlen":
		t.maxLen, err = strconv.Atoi(value)
	case "maxbytes":
		t.maxBytes, err = strconv.Atoi(value)
	case "truncate":
		t.truncate, err = strconv.Atoi(value)
	case "names":
		t.hasPolicy = true
		switch value {
		case "strict":
			t.policy = Strict
		case "anycase":
			t.policy = AnyCase
		case "lenient":
			t.policy = Lenient
		default:
			err = fmt.Errorf("no such name policy")
		}
	default:
		err = fmt.Errorf("no such option")
	}
	return err
}

func bound(value string) (*float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	return &f, err
}
