package wire

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
)

// Query decodes a raw query string into dst, a pointer to the shape's type. With Lenient
// unknown parameters are ignored, otherwise they are refused. A parameter with an empty
// value counts as absent.
func (s *Shape) Query(raw string, h http.Header, dst any) error {
	if n := strings.Count(raw, "&") + 1; n > maxItems {
		return atelier.Refuse("", "The query string has %d parameters, and may have %d.", n, maxItems)
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return atelier.Refuse("", "The query string is not valid: %v.", err)
	}
	return s.Form(values, h, dst)
}

// Form decodes the texts of a form as Query does those of a query string.
func (s *Shape) Form(values url.Values, h http.Header, dst any) error {
	v := s.check(dst)
	given := make([]bool, len(s.fields))
	root := path{}
	for _, name := range slices.Sorted(maps.Keys(values)) { // the same mistake gets the same answer
		texts := values[name]
		f, ok := s.names[name]
		if !ok {
			if err := s.unknown(name, &root); err != nil {
				return err
			}
			continue
		}
		at := root.member(name)
		if given[f.pos] {
			return at.refuse("is given under two names")
		}
		if len(texts) == 1 && texts[0] == "" {
			continue
		}
		given[f.pos] = true
		if err := f.codec.fromText(v.FieldByIndex(f.index), texts, &at); err != nil {
			return err
		}
	}
	return s.finish(v, given, h, &root)
}
