package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/wire"
)

// ruled is a request with a rule of each kind, for bodies and for queries.
type ruled struct {
	Whole   int      `wire:"whole,default=3,min=1,max=9"`
	Least   int      `wire:"least,min=2"`
	Most    float64  `wire:"most,max=0.5"`
	Clamped int      `wire:"clamped,default=5,min=1,max=9,clamp"`
	Flag    bool     `wire:"flag,default=true"`
	Word    string   `wire:"word,default=auto,enum=auto|fast"`
	Loose   string   `wire:"loose,default=auto,enum=auto|fast,fallback"`
	Text    string   `wire:"text,minlen=2,maxlen=4"`
	Cut     string   `wire:"cut,truncate=3"`
	List    []string `wire:"list,minlen=1,maxlen=2"`
}

// TestRules reads each value from a body, and where a query can hold it from a query
// too: both follow the same rules.
func TestRules(t *testing.T) {
	t.Parallel()
	standard := ruled{Whole: 3, Clamped: 5, Flag: true, Word: "auto", Loose: "auto"}
	with := func(set func(*ruled)) ruled { r := standard; set(&r); return r }
	shape := wire.ShapeOf(reflect.TypeFor[ruled](), wire.Strict)
	for _, c := range []struct {
		body, query string
		want        ruled
		refusal     string
	}{
		{`{}`, ``, standard, ""},
		{`{"whole":null,"flag":null,"word":null}`, ``, standard, ""},
		{`{"whole":1}`, `whole=1`, with(func(r *ruled) { r.Whole = 1 }), ""},
		{`{"whole":9}`, `whole=9`, with(func(r *ruled) { r.Whole = 9 }), ""},
		{`{"whole":0}`, `whole=0`, ruled{}, "whole must be between 1 and 9."},
		{`{"whole":10}`, `whole=10`, ruled{}, "whole must be between 1 and 9."},
		{`{"whole":2.5}`, `whole=2.5`, ruled{}, "whole must be a whole number."},
		{`{"least":2}`, `least=2`, with(func(r *ruled) { r.Least = 2 }), ""},
		{`{"least":1}`, `least=1`, ruled{}, "least must be at least 2."},
		{`{"most":0.5}`, `most=0.5`, with(func(r *ruled) { r.Most = 0.5 }), ""},
		{`{"most":0.51}`, `most=0.51`, ruled{}, "most must be at most 0.5."},
		{`{"clamped":-70}`, `clamped=-70`, with(func(r *ruled) { r.Clamped = 1 }), ""},
		{`{"clamped":70}`, `clamped=70`, with(func(r *ruled) { r.Clamped = 9 }), ""},
		{`{"flag":false}`, `flag=false`, with(func(r *ruled) { r.Flag = false }), ""},
		{`{"word":"fast"}`, `word=fast`, with(func(r *ruled) { r.Word = "fast" }), ""},
		{`{"word":"gold"}`, `word=gold`, ruled{}, `word must be one of "auto" or "fast".`},
		{`{"loose":"gold"}`, `loose=gold`, standard, ""},
		{`{"text":"ab"}`, `text=ab`, with(func(r *ruled) { r.Text = "ab" }), ""},
		{`{"text":"äöüß"}`, `text=äöüß`, with(func(r *ruled) { r.Text = "äöüß" }), ""},
		{`{"text":"a"}`, `text=a`, ruled{}, "text must be at least 2 characters long."},
		{`{"text":"abcde"}`, `text=abcde`, ruled{}, "text must be at most 4 characters long."},
		{`{"cut":"äöüß"}`, `cut=äöüß`, with(func(r *ruled) { r.Cut = "äöü" }), ""},
		{`{"list":["a","b"]}`, ``, with(func(r *ruled) { r.List = []string{"a", "b"} }), ""},
		{`{"list":[]}`, ``, ruled{}, "list must not be empty."},
		{`{"list":["a","b","c"]}`, ``, ruled{}, "list must have at most 2 items."},
		{`{"list":["a",7]}`, ``, ruled{}, "list[1] must be a string."},
	} {
		check := func(how string, got ruled, err error) {
			t.Helper()
			switch {
			case c.refusal != "" && (err == nil || err.Error() != c.refusal):
				t.Errorf("%s: got %v, want %s", how, err, c.refusal)
			case c.refusal == "" && (err != nil || !reflect.DeepEqual(got, c.want)):
				t.Errorf("%s: got %+v, %v, want %+v", how, got, err, c.want)
			}
		}
		var got ruled
		err := shape.Body([]byte(c.body), nil, &got)
		check(c.body, got, err)
		if c.query != "" {
			got = ruled{}
			err = shape.Query(strings.ReplaceAll(c.query, "+", "%2B"), nil, &got)
			check("?"+c.query, got, err)
		}
	}
}
