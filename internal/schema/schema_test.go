package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/schema"
)

func decode(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const document = `{"type":"object","additionalProperties":false,"required":["title","scenes"],"properties":{
		"title":{"type":"string","minLength":2,"maxLength":5,"pattern":"^[a-z]*$"},
		"kind":{"enum":["a","b"]},
		"scenes":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","required":["seconds"],"properties":{"seconds":{"type":"number","minimum":1,"exclusiveMaximum":10}}}}}}`
	s, err := schema.Compile(decode(t, document))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"title":"ab","scenes":[{"seconds":1}]}`: "",
		`[]`:                        " type",
		`{"title":"a","scenes":[]}`: "scenes minItems 1/0, title minLength 2/1",
		`{"title":"abcdef","scenes":[{},{"seconds":0},{"seconds":"1"}]}`:  "scenes maxItems 2/3, scenes[0].seconds required, scenes[1].seconds minimum 1/0, scenes[2].seconds type, title maxLength 5/6",
		`{"title":"AB","kind":"c","scenes":[{"seconds":10}],"y":1,"x":2}`: "kind enum, scenes[0].seconds exclusiveMaximum 10/0, title pattern, x additionalProperties, y additionalProperties",
	} {
		faults, err := s.Check(decode(t, value))
		if err != nil {
			t.Errorf("%s: %v", value, err)
		}
		var got []string
		for _, f := range faults {
			text := f.Field() + " " + f.Keyword
			if f.Limit != 0 {
				text += fmt.Sprintf(" %g/%d", f.Limit, f.Got)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, slices.DeleteFunc(strings.Split(want, ", "), func(s string) bool { return s == "" })) {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

// A schema names no other document: it may come from a caller.
func TestCompileLoadsNothing(t *testing.T) {
	t.Parallel()
	for _, document := range []string{`{"$ref":"file:///etc/passwd"}`, `{"$ref":"other.json"}`, `{"type":7}`, `{"pattern":"("}`} {
		if s, err := schema.Compile(decode(t, document)); err == nil {
			t.Errorf("%s: compiled to %v", document, s)
		}
	}
}
