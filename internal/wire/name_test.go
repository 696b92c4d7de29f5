package wire_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// names is a request whose fields have names of all kinds.
type names struct {
	Count int                 `wire:"max_count,alias=most,alias=upper_limit"`
	Tier  string              `wire:"qualityTier"`
	Inner *namesInside        `wire:"inner_part"`
	List  []namesInside       `wire:"list_of"`
	Map   map[string]innerMap `wire:"by_name"`
}

type namesInside struct {
	Deep int `wire:"deep_value,alias=depth"`
}

type innerMap struct {
	Deep int `wire:"deep_value"`
}

// Each policy reads the declared names and their aliases. AnyCase also reads them
// in the other case, Lenient ignores unknown names, and all of them apply inside
// objects, lists and maps.
func TestNamePolicies(t *testing.T) {
	t.Parallel()
	shapes := map[string]*wire.Shape{}
	policies := map[string]wire.NamePolicy{"strict": wire.Strict, "any": wire.AnyCase, "lenient": wire.Lenient}
	for name, p := range policies {
		shapes[name] = wire.ShapeOf(reflect.TypeFor[names](), p)
	}
	const unknown = " is not a field of this request."
	near := func(name string) string { return " is not a field of this request (did you mean " + name + "?)." }
	other := func(name string) string { return ` is not accepted: write it as "` + name + `".` }
	inside := &namesInside{Deep: 7}
	for _, c := range []struct {
		body   string
		want   names             // where it is read
		field  string            // where it is refused
		errors map[string]string // by policy, the error about the field; the others read it
		passed string            // the policy that ignores it
	}{
		{body: `{"max_count":7}`, want: names{Count: 7}},
		{body: `{"most":7}`, want: names{Count: 7}},
		{body: `{"upper_limit":7}`, want: names{Count: 7}},
		{body: `{"qualityTier":"hq"}`, want: names{Tier: "hq"}},
		{body: `{"inner_part":{"deep_value":7}}`, want: names{Inner: inside}},
		{body: `{"inner_part":{"depth":7}}`, want: names{Inner: inside}},
		{body: `{"maxCount":7}`, want: names{Count: 7}, field: "maxCount", errors: map[string]string{"strict": near("max_count"), "lenient": other("max_count")}},
		{body: `{"upperLimit":7}`, want: names{Count: 7}, field: "upperLimit", errors: map[string]string{"strict": unknown, "lenient": other("upper_limit")}},
		{body: `{"quality_tier":"hq"}`, want: names{Tier: "hq"}, field: "quality_tier", errors: map[string]string{"strict": near("qualityTier")}, passed: "lenient"},
		{body: `{"innerPart":{"deepValue":7}}`, want: names{Inner: inside}, field: "innerPart", errors: map[string]string{"strict": near("inner_part"), "lenient": other("inner_part")}},
		{body: `{"inner_part":{"deepValue":7}}`, want: names{Inner: inside}, field: "inner_part.deepValue", errors: map[string]string{"strict": near("deep_value"), "lenient": other("deep_value")}},
		{body: `{"list_of":[{"depth":7},{"deepValue":7}]}`, want: names{List: []namesInside{*inside, *inside}}, field: "list_of[1].deepValue", errors: map[string]string{"strict": near("deep_value"), "lenient": other("deep_value")}},
		{body: `{"by_name":{"x":{"deepValue":7}}}`, want: names{Map: map[string]innerMap{"x": {7}}}, field: "by_name.x.deepValue", errors: map[string]string{"strict": near("deep_value"), "lenient": other("deep_value")}},
		{body: `{"by_name":{"some_key":{"deep_value":7}}}`, want: names{Map: map[string]innerMap{"some_key": {7}}}},
		{body: `{"colour":"red"}`, field: "colour", errors: map[string]string{"strict": unknown, "any": unknown}},
		{body: `{"MAX_COUNT":7}`, field: "MAX_COUNT", errors: map[string]string{"strict": near("max_count"), "any": near("max_count")}},
		{body: `{"list_of":[{"deep_value":1,"colour":2}]}`, want: names{List: []namesInside{{1}}}, field: "list_of[0].colour", errors: map[string]string{"strict": unknown, "any": unknown}},
	} {
		for name, shape := range shapes {
			var got names
			err := shape.Body([]byte(c.body), nil, &got)
			said, refused := c.errors[name]
			want := c.want
			if name == c.passed {
				want = names{}
			}
			var e *atelier.Error
			switch {
			case !refused && (err != nil || !reflect.DeepEqual(got, want)):
				t.Errorf("%s %s: got %+v, %v, want %+v", name, c.body, got, err, want)
			case refused && (!errors.As(err, &e) || e.Field != c.field || e.Message != c.field+said):
				t.Errorf("%s %s: got %v, want %s%s", name, c.body, err, c.field, said)
			}
		}
	}
}

// A request may use only one of the names of a field.
func TestNamesOfOneField(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"max_count":1,"most":1}`:                        `most is the same field as "max_count": give one of them.`,
		`{"most":1,"upper_limit":2}`:                      `upper_limit is the same field as "most": give one of them.`,
		`{"upperLimit":1,"max_count":1}`:                  `max_count is the same field as "upperLimit": give one of them.`,
		`{"inner_part":{"depth":1,"deep_value":1}}`:       `inner_part.deep_value is the same field as "depth": give one of them.`,
		`{"list_of":[{},{"deepValue":1,"deep_value":1}]}`: `list_of[1].deep_value is the same field as "deepValue": give one of them.`,
	} {
		var got names
		if err := wire.ShapeOf(reflect.TypeFor[names](), wire.AnyCase).Body([]byte(body), nil, &got); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
}
