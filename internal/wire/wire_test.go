package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

type part struct {
	Kind string `wire:"kind,required,enum=image|video"`
	Size int    `wire:"pixel_size,min=1,max=64"`
}

type request struct {
	Name    string              `wire:"name,required,minlen=1,maxlen=8"`
	Tokens  *int                `wire:"max_tokens,alias=max_completion_tokens,min=1"`
	Heat    float64             `wire:"temperature,default=0.7,min=0,max=2"`
	Token   string              `wire:"token_type,enum=spark|svc|auto,default=auto,fallback,header=X-Token-Type"`
	Mode    string              `wire:"billing_mode,enum=auto|tokens,default=auto"`
	Source  string              `wire:"app_source,truncate=4,header=X-App-Source"`
	Stream  bool                `wire:"stream"`
	Parts   []part              `wire:"parts,maxlen=2"`
	Seeds   map[string]int      `wire:"seed_overrides"`
	Note    wire.Opt[string]    `wire:"note"`
	Price   atelier.Money       `wire:"price"`
	Free    any                 `wire:"free"`
	Choice  wire.Raw            `wire:"tool_choice"`
	Content content             `wire:"content"`
	Nested  nested              `wire:"runtime_config,names=lenient"`
	Extra   map[string]wire.Raw `wire:",extra"`
}

type nested struct {
	Tier string `wire:"qualityTier,default=fast,enum=fast|hq"`
}

type content struct{ text string }

func (c *content) ReadWire(raw wire.Raw) error {
	if raw.Kind() != '"' {
		return atelier.Refuse("[1].text", "must be a string.")
	}
	c.text = string(raw)
	return nil
}

func read(m wire.NamePolicy, body string, h http.Header) (request, error) {
	var r request
	err := wire.ShapeOf(reflect.TypeFor[request](), m).Body([]byte(body), h, &r)
	return r, err
}

func TestBodyRefusals(t *testing.T) {
	t.Parallel()
	deep := `{"name":"a","free":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`
	for _, tc := range []struct {
		mood  wire.NamePolicy
		body  string
		field string
		want  string
	}{
		{wire.Strict, ``, "name", "name is required."},
		{wire.Strict, `{}`, "name", "name is required."},
		{wire.Strict, `{"name":null}`, "name", "name is required."},
		{wire.Strict, `[]`, "", "The body must be an object."},
		{wire.Strict, `"x"`, "", "The body must be an object."},
		{wire.Strict, `{`, "", "The body is not valid JSON: it ends too early, at byte 1."},
		{wire.Strict, `{"name":"a"`, "", "The body is not valid JSON: it ends too early, at byte 11."},
		{wire.Strict, `{"name":"a"} {}`, "", "The body must be one JSON object and nothing after it."},
		{wire.Strict, `{"name":"a"}x`, "", "The body must be one JSON object and nothing after it."},
		{wire.Strict, `{"name":"a","name":"b"}`, "name", "name is given twice in one object, near byte 12."},
		{wire.Strict, `{"name":"a","free":{"x":1,"x":2}}`, "x", "x is given twice in one object, near byte 26."},
		{wire.Strict, "{\"name\":\"\xff\"}", "", "The body is not valid JSON: invalid UTF-8 at byte 9."},
		{wire.Strict, `{"name":"a","free":"\ud800"}`, "", "The body is not valid JSON: invalid surrogate pair `\\ud800\"}` in string at byte 20."},
		{wire.Strict, deep, "", "The body nests deeper than 64 levels."},
		{wire.Strict, `{"name":"a\u0000"}`, "name", "name must not hold the character NUL."},
		{wire.Strict, `{"name":"a","note":"\u0000"}`, "note", "note must not hold the character NUL."},
		{wire.Strict, `{"name":"a","price":"1\u0000"}`, "price", "price must not hold the character NUL."},
		{wire.Strict, `{"name":"a","parts":[{"kind":"image"},{"kind":"\u0000"}]}`, "parts[1].kind", "parts[1].kind must not hold the character NUL."},
		{wire.Strict, `{"name":"a","free":{"x":[1,{"y":"a\u0000"}]}}`, "free.x[1].y", "free.x[1].y must not hold the character NUL."},
		{wire.Strict, `{"name":"a","free":{"x":{"y\u0000z":1}}}`, "free.x", `free.x has a member "y\x00z": a name must not hold the character NUL.`},
		{wire.Strict, `{"name":"a","tool_choice":[["\u0000"]]}`, "tool_choice[0][0]", "tool_choice[0][0] must not hold the character NUL."},
		{wire.Strict, `{"name":"a","content":"\u0000"}`, "content", "content must not hold the character NUL."},
		{wire.Strict, `{"name":"a","seed_overrides":{"\u0000":1}}`, "seed_overrides", `seed_overrides has a member "\x00": a name must not hold the character NUL.`},
		{wire.Strict, `{"na\u0000me":"a"}`, "", `The body has a member "na\x00me": a name must not hold the character NUL.`},
		{wire.Lenient, `{"name":"a","top_k":{"x":"\u0000"}}`, "top_k.x", "top_k.x must not hold the character NUL."},
		{wire.Lenient, `{"name":"a","runtime_config":{"whatever":["\u0000"]}}`, "runtime_config.whatever[0]", "runtime_config.whatever[0] must not hold the character NUL."},
		{wire.Strict, `{"name":"a\u0000"`, "name", "name must not hold the character NUL."},
		{wire.Strict, `{"name":"a","free":["\\u0000",`, "", "The body is not valid JSON: it ends too early, at byte 30."},
		{wire.Strict, "{\"name\":\"a\x00\"}", "", `The body is not valid JSON: invalid character '\x00' in string (expecting non-control character) at byte 10.`},
		{wire.Strict, `{"name":""}`, "name", "name must not be empty."},
		{wire.Strict, `{"name":"123456789"}`, "name", "name must be at most 8 characters long."},
		{wire.Strict, `{"name":5}`, "name", "name must be a string."},
		{wire.Strict, `{"name":"a","stream":1}`, "stream", "stream must be true or false."},
		{wire.Strict, `{"name":"a","max_tokens":1.5}`, "max_tokens", "max_tokens must be a whole number."},
		{wire.Strict, `{"name":"a","max_tokens":"5"}`, "max_tokens", "max_tokens must be a whole number."},
		{wire.Strict, `{"name":"a","max_tokens":1e300}`, "max_tokens", "max_tokens must be a whole number."},
		{wire.Strict, `{"name":"a","max_tokens":9223372036854775808}`, "max_tokens", "max_tokens must be a whole number."},
		{wire.Strict, `{"name":"a","free":1e999}`, "free", "free holds a number that is too large."},
		{wire.Strict, `{"name":"a","free":{"x":[1e999]}}`, "free", "free holds a number that is too large."},
		{wire.Strict, `{"name":"a","max_tokens":0}`, "max_tokens", "max_tokens must be at least 1."},
		{wire.Strict, `{"name":"a","max_tokens":5,"max_completion_tokens":5}`, "max_completion_tokens", `max_completion_tokens is the same field as "max_tokens": give one of them.`},
		{wire.Strict, `{"name":"a","temperature":3}`, "temperature", "temperature must be between 0 and 2."},
		{wire.Strict, `{"name":"a","temperature":1e999}`, "temperature", "temperature must be a number."},
		{wire.Strict, `{"name":"a","billing_mode":"gold"}`, "billing_mode", `billing_mode must be one of "auto" or "tokens".`},
		{wire.Strict, `{"name":"a","parts":{}}`, "parts", "parts must be an array."},
		{wire.Strict, `{"name":"a","parts":[{"kind":"image"},{}]}`, "parts[1].kind", "parts[1].kind is required."},
		{wire.Strict, `{"name":"a","parts":[{"kind":"image","pixel_size":65}]}`, "parts[0].pixel_size", "parts[0].pixel_size must be between 1 and 64."},
		{wire.Strict, `{"name":"a","parts":[{"kind":"image","x":65}]}`, "parts[0].x", "parts[0].x is not a field of this request."},
		{wire.Strict, `{"name":"a","parts":[null]}`, "parts[0]", "parts[0] must be an object."},
		{wire.Strict, `{"name":"a","parts":[{"kind":"image"},{"kind":"image"},{"kind":"image"}]}`, "parts", "parts must have at most 2 items."},
		{wire.Strict, `{"name":"a","seed_overrides":{"s1":"x"}}`, "seed_overrides.s1", "seed_overrides.s1 must be a whole number."},
		{wire.Strict, `{"name":"a","price":"1.2345678"}`, "price", `price is not valid: "1.2345678" has more than six decimal places.`},
		{wire.Strict, `{"name":"a","content":["x",{"text":1}]}`, "content[1].text", "content[1].text must be a string."},
		{wire.Strict, `{"name":"a","maxTokens":5}`, "maxTokens", "maxTokens is not a field of this request (did you mean max_tokens?)."},
		{wire.Strict, `{"name":"a","runtime_config":{"qualityTier":"x"}}`, "runtime_config.qualityTier", `runtime_config.qualityTier must be one of "fast" or "hq".`},
		{wire.AnyCase, `{"name":"a","maxTokens":5,"max_tokens":5}`, "max_tokens", `max_tokens is the same field as "maxTokens": give one of them.`},
		{wire.AnyCase, `{"name":"a","other":5}`, "other", "other is not a field of this request."},
		{wire.Lenient, `{"name":"a","maxTokens":5}`, "maxTokens", `maxTokens is not accepted: write it as "max_tokens".`},
		{wire.Lenient, `{"name":"a","maxCompletionTokens":5}`, "maxCompletionTokens", `maxCompletionTokens is not accepted: write it as "max_completion_tokens".`},
		{wire.Lenient, `{"name":"a","logit_bias":{"a":1,"a":2}}`, "a", "a is given twice in one object, near byte 32."},
	} {
		_, err := read(tc.mood, tc.body, nil)
		var e *atelier.Error
		if !errors.As(err, &e) {
			t.Errorf("%v %s: got %v, want an atelier.Error", tc.mood, tc.body, err)
			continue
		}
		if e.Message != tc.want || e.Field != tc.field {
			t.Errorf("%v %s:\n got %q: %q\nwant %q: %q", tc.mood, tc.body, e.Field, e.Message, tc.field, tc.want)
		}
	}
}

func TestBodyAccepts(t *testing.T) {
	t.Parallel()
	h := http.Header{"X-App-Source": {"header"}, "X-Token-Type": {"spark"}}
	for _, tc := range []struct {
		mood wire.NamePolicy
		body string
		got  func(request) any
		want any
	}{
		{wire.Strict, `{"name":"a"}`, func(r request) any { return r.Heat }, 0.7},
		{wire.Strict, `{"name":"a"}`, func(r request) any { return r.Nested.Tier }, "fast"},
		{wire.Strict, `{"name":"a","runtime_config":{"whatever":[1]}}`, func(r request) any { return r.Nested.Tier }, "fast"},
		{wire.Strict, `{"name":"a"}`, func(r request) any { return r.Token }, "spark"},
		{wire.Strict, `{"name":"a","token_type":"svc"}`, func(r request) any { return r.Token }, "svc"},
		{wire.Strict, `{"name":"a","token_type":"gold"}`, func(r request) any { return r.Token }, "auto"},
		{wire.Strict, `{"name":"a"}`, func(r request) any { return r.Source }, "head"},
		{wire.Strict, `{"name":"a","app_source":"äöüßx"}`, func(r request) any { return r.Source }, "äöüß"},
		{wire.Strict, `{"name":"a","max_completion_tokens":5.0}`, func(r request) any { return *r.Tokens }, 5},
		{wire.AnyCase, `{"name":"a","maxTokens":1e2}`, func(r request) any { return *r.Tokens }, 100},
		{wire.AnyCase, `{"name":"a","parts":[{"kind":"video","pixelSize":3}]}`, func(r request) any { return r.Parts }, []part{{"video", 3}}},
		{wire.AnyCase, `{"name":"a","runtimeConfig":{"qualityTier":"hq"}}`, func(r request) any { return r.Nested.Tier }, "hq"},
		{wire.Lenient, `{"name":"a","logit_bias":{"50": 1},"top_k":2}`, func(r request) any { return fmt.Sprintf("%s", r.Extra) }, `map[logit_bias:{"50": 1} top_k:2]`},
		{wire.Strict, `{"name":"a","price":"2.5"}`, func(r request) any { return r.Price }, 2_500_000 * atelier.Money(1)},
		{wire.Strict, `{"name":"a","free":{"x":[1,"y"]}}`, func(r request) any { return r.Free }, map[string]any{"x": []any{1.0, "y"}}},
		{wire.Strict, `{"name":"a","tool_choice":{"a":1}}`, func(r request) any { return string(r.Choice) }, `{"a":1}`},
		{wire.Strict, `{"name":"a"}`, func(r request) any { return r.Note }, wire.Opt[string]{}},
		{wire.Strict, `{"name":"a","note":null}`, func(r request) any { return r.Note }, wire.Opt[string]{Set: true, Null: true}},
		{wire.Strict, `{"name":"a","note":"n"}`, func(r request) any { return r.Note }, wire.Opt[string]{Set: true, Value: "n"}},
		{wire.Strict, `{"name":"a","seed_overrides":{"s1":7}}`, func(r request) any { return r.Seeds }, map[string]int{"s1": 7}},
		{wire.Strict, `{"name":"\\u0000"}`, func(r request) any { return r.Name }, `\u0000`},
		{wire.Strict, `{"name":"\\\\u00"}`, func(r request) any { return r.Name }, `\\u00`},
		{wire.Strict, `{"name":"a","free":{"\\u0000":["\u0001"]}}`, func(r request) any { return r.Free }, map[string]any{`\u0000`: []any{"\x01"}}},
		{wire.Strict, "\n {\"name\":\"a\"} \n", func(r request) any { return r.Name }, "a"},
	} {
		r, err := read(tc.mood, tc.body, h)
		if err != nil {
			t.Errorf("%v %s: %v", tc.mood, tc.body, err)
			continue
		}
		if got := tc.got(r); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%v %s: got %#v, want %#v", tc.mood, tc.body, got, tc.want)
		}
	}
}

type query struct {
	Network string    `wire:"network,enum=fast|relaxed"`
	Count   int       `wire:"count,min=1,max=120,default=7"`
	Days    int       `wire:"days,min=7,max=90,default=30,clamp"`
	Models  wire.List `wire:"models,maxlen=2"`
	Spark   bool      `wire:"includeSpark"`
}

func TestQuery(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mood wire.NamePolicy
		raw  string
		want query
		err  string
	}{
		{wire.Lenient, "", query{Count: 7, Days: 30}, ""},
		{wire.Lenient, "count=&other=1", query{Count: 7, Days: 30}, ""},
		{wire.Lenient, "network=fast&count=120&days=1000&models=a,,b&includeSpark=true", query{"fast", 120, 90, wire.List{"a", "b"}, true}, ""},
		{wire.Lenient, "models=a&models=b&days=1", query{Count: 7, Days: 7, Models: wire.List{"a", "b"}}, ""},
		{wire.Lenient, "models=a,b,c", query{}, "models must have at most 2 items."},
		{wire.Strict, "other=1", query{}, "other is not a field of this request."},
		{wire.Lenient, "network=slow", query{}, `network must be one of "fast" or "relaxed".`},
		{wire.Lenient, "network=fast&network=fast", query{}, "network is given 2 times."},
		{wire.Lenient, "count=0", query{}, "count must be between 1 and 120."},
		{wire.Lenient, "count=0x10", query{}, "count must be a whole number."},
		{wire.Lenient, "count=seven", query{}, "count must be a whole number."},
		{wire.Lenient, "includeSpark=yes", query{}, "includeSpark must be true or false."},
		{wire.Lenient, "models=%ff", query{}, "models must be valid UTF-8 text."},
		{wire.Lenient, "models=a%00b", query{}, "models must be valid UTF-8 text."},
		{wire.Lenient, "network=%ff", query{}, "network must be valid UTF-8 text."},
		{wire.Lenient, "network=fast%00", query{}, "network must be valid UTF-8 text."},
		{wire.Lenient, "count=99999999999999999999", query{}, "count must be a whole number."},
		{wire.Lenient, "a=%zz", query{}, `The query string is not valid: invalid URL escape "%zz".`},
	} {
		var got query
		err := wire.ShapeOf(reflect.TypeFor[query](), tc.mood).Query(tc.raw, nil, &got)
		if tc.err != "" {
			if err == nil || err.Error() != tc.err {
				t.Errorf("?%s: got %v, want %q", tc.raw, err, tc.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("?%s: got %+v, %v, want %+v", tc.raw, got, err, tc.want)
		}
	}
}

// branch is a recursive type.
type branch struct {
	Name string   `wire:"name,required"`
	More []branch `wire:"more"`
}

// Shapes are compiled on first use, by the first caller, also those of recursive
// types.
func TestShapesAreCompiledOnce(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var b branch
			err := wire.ShapeOf(reflect.TypeFor[branch](), wire.AnyCase).Body([]byte(`{"name":"a","more":[{"name":"b","more":[{}]}]}`), nil, &b)
			if err == nil || err.Error() != "more[0].more[0].name is required." {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
}

func FuzzBody(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"name":"a","parts":[{"kind":"image"}]}`, `{"name":`, `{"name":"a","max_tokens":1e400}`, "{\"\xff\":1}",
		`{"name":"a\u0000"}`, `{"name":"\\u0000"}`, `{"name":"a","free":{"x\u0000":[]}}`, `{"name":"a","tool_choice":["\u0000"`, `{"name":"a","other":"\\\u0000"}`} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(2))
	}
	f.Fuzz(func(t *testing.T, body []byte, mood uint8) {
		var r request
		err := wire.ShapeOf(reflect.TypeFor[request](), wire.NamePolicy(mood%3)).Body(body, nil, &r)
		var e *atelier.Error
		if err != nil && (!errors.As(err, &e) || e.Code.Number != 102) {
			t.Fatalf("%q: %v is not a refusal", body, err)
		}
		var v any
		if err == nil && json.Unmarshal(body, &v) == nil && holdsNUL(v) {
			t.Fatalf("%q was accepted, with a NUL in it", body)
		}
	})
}

// holdsNUL looks for a NUL in a value that encoding/json has decoded.
func holdsNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.ContainsRune(v, 0)
	case []any:
		return slices.ContainsFunc(v, holdsNUL)
	case map[string]any:
		for name, member := range v {
			if holdsNUL(name) || holdsNUL(member) {
				return true
			}
		}
	}
	return false
}

func FuzzQuery(f *testing.F) {
	f.Add("count=1&network=fast")
	f.Add("a=%zz")
	f.Add("network=%00&models=%ff,a")
	f.Fuzz(func(t *testing.T, raw string) {
		var q query
		err := wire.ShapeOf(reflect.TypeFor[query](), wire.Lenient).Query(raw, nil, &q)
		var e *atelier.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%q: %v is not a refusal", raw, err)
		}
	})
}

func BenchmarkBody(b *testing.B) {
	body := []byte(`{"name":"a","max_tokens":5,"temperature":0.5,"parts":[{"kind":"image","pixel_size":3}],"runtime_config":{"qualityTier":"hq"}}`)
	shape := wire.ShapeOf(reflect.TypeFor[request](), wire.Strict)
	b.ReportAllocs()
	for b.Loop() {
		var r request
		if err := shape.Body(body, nil, &r); err != nil {
			b.Fatal(err)
		}
	}
}

// known is an extra field that knows some of its names.
type known map[string]wire.Raw

func (known) WireSchema() wire.Schema {
	return wire.Schema{"properties": wire.Schema{"id": wire.Schema{"type": "string"}}, "required": []string{"id"}}
}

// The schema of a request shows the names that its extra field knows.
func TestDescribedExtra(t *testing.T) {
	t.Parallel()
	type request struct {
		N     int   `wire:"n"`
		Extra known `wire:",extra"`
	}
	shape := wire.ShapeOf(reflect.TypeFor[request](), wire.Lenient)
	got, err := wire.Marshal((&wire.Describer{}).Request(shape))
	const want = `{"properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id"],"type":"object"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	var q request
	if err := shape.Body([]byte(`{"n":1,"id":"x","other":[]}`), nil, &q); err != nil || string(q.Extra["id"]) != `"x"` || string(q.Extra["other"]) != `[]` {
		t.Errorf("read %+v, %v", q, err)
	}
}

// The schema of a request says that its extra field takes any name.
func TestUndescribedExtra(t *testing.T) {
	t.Parallel()
	type request struct {
		N     int                 `wire:"n"`
		Extra map[string]wire.Raw `wire:",extra"`
	}
	got, err := wire.Marshal((&wire.Describer{}).Request(wire.ShapeOf(reflect.TypeFor[request](), wire.Lenient)))
	const want = `{"additionalProperties":{},"properties":{"n":{"type":"integer"}},"type":"object"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
