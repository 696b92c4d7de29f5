package schema_test

import (
	"reflect"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/talk/schema"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
	"github.com/atelier-project/atelier/internal/wire"
)

func TestFillObject(t *testing.T) {
	t.Parallel()
	l, err := token.LoadLexicon()
	if err != nil {
		t.Fatal(err)
	}
	flight := `{"type":"object","properties":{"from":{"$ref":"#/$defs/place"},"seats":{"type":"integer","minimum":1},"class":{"enum":["economy","business"]}},
		"required":["seats"],"$defs":{"place":{"type":"string"}}}`
	for _, k := range []struct {
		text, schema string
		forced       bool
		want         map[string]any
	}{
		{"two seats in business please", flight, false, map[string]any{"seats": 2.0, "class": "business"}},
		{"some seats", flight, false, nil},
		{"some seats", flight, true, map[string]any{"seats": 1.0}},
		{`tags: "a" and "b"`, `{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}`, false, map[string]any{"tags": []any{"a", "b"}}},
		{"anything", `not JSON`, false, map[string]any{}},
	} {
		got, ok := schema.NewFiller(l, k.text, k.forced).FillObject(schema.Parse(wire.Raw(k.schema)))
		if ok != (k.want != nil) || ok && !reflect.DeepEqual(got, k.want) {
			t.Errorf("%q: got %v, %v, want %v", k.text, got, ok, k.want)
		}
	}
}
