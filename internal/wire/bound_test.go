package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worktest"
)

// bounded is a request whose fields set few limits or none.
type bounded struct {
	Text    string              `wire:"text"`
	List    []part              `wire:"list"`
	Short   []string            `wire:"short,maxlen=3"`
	Names   map[string]int      `wire:"names"`
	Any     any                 `wire:"any"`
	Values  map[string]any      `wire:"values"`
	Many    []any               `wire:"many"`
	Raw     wire.Raw            `wire:"raw"`
	Large   wire.Raw            `wire:"large,maxbytes=1048576"`
	Small   map[string]wire.Raw `wire:"small,maxbytes=512"`
	Content content             `wire:"content"`
	Maybe   wire.Opt[any]       `wire:"maybe"`
	Inner   []inner             `wire:"inner,names=lenient"`
	Query   wire.List           `wire:"query"`
}

type inner struct {
	Extra map[string]wire.Raw `wire:",extra,maxbytes=256"`
}

func readBounded(body string) (bounded, error) {
	var b bounded
	err := wire.ShapeOf(reflect.TypeFor[bounded](), wire.Strict).Body([]byte(body), nil, &b)
	return b, err
}

func list(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// A field without a limit in its tag has a default one, and a value beyond it is
// refused by name before it is decoded.
func TestEveryFieldHasALimit(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&names, `,"n%d":1`, i)
	}
	object := "{" + names.String()[1:] + "}"
	for name, tc := range map[string]struct {
		body, field, says string
	}{
		"text":                       {`{"text":"` + strings.Repeat("x", 64<<10+1) + `"}`, "text", "at most 65536 characters"},
		"an array":                   {`{"list":` + list(1001, `{"kind":"image","pixel_size":1}`) + `}`, "list", "at most 1000 items"},
		"an array with a bound":      {`{"short":["","","",""]}`, "short", "at most 3 items"},
		"a map":                      {`{"names":` + object + `}`, "names", "at most 1000 items"},
		"a value by its parts":       {`{"any":` + list(5001, "{}") + `}`, "any", "at most 10000 values"},
		"a value by its bytes":       {`{"any":"` + strings.Repeat("x", 256<<10) + `"}`, "any", "at most 262144 bytes"},
		"a map of values":            {`{"values":{"a":` + list(3000, "{}") + `,"b":` + list(3000, "{}") + `}}`, "values", "at most 10000 values"},
		"an array of values":         {`{"many":[` + list(3000, "{}") + `,` + list(3000, "{}") + `]}`, "many", "at most 10000 values"},
		"raw JSON":                   {`{"raw":` + list(5001, "{}") + `}`, "raw", "at most 10000 values"},
		"raw JSON with more space":   {`{"large":` + list(30000, "{}") + `}`, "large", "at most 40000 values"},
		"raw JSON with less space":   {`{"small":{"a":"` + strings.Repeat("x", 512) + `"}}`, "small", "at most 512 bytes"},
		"what reads itself":          {`{"content":` + list(5001, "{}") + `}`, "content", "at most 10000 values"},
		"what may be null":           {`{"maybe":` + list(5001, "{}") + `}`, "maybe", "at most 10000 values"},
		"an undeclared value":        {`{"inner":[{"a":"` + strings.Repeat("x", 200) + `","b":"` + strings.Repeat("x", 200) + `"}]}`, "inner[0].b", "at most 256 bytes"},
		"an undeclared name":         {`{"inner":[{"a":1,"` + strings.Repeat("x", 300) + `":1}]}`, "inner[0]." + strings.Repeat("x", 100) + "…", "at most 256 bytes"},
		"the whole body":             {`{"another":` + list(60000, "{}") + `}`, "another", "at most 100000 values"},
		"a name that is not known":   {`{"` + strings.Repeat("y", 1000) + `":1}`, strings.Repeat("y", 100) + "…", "not a field"},
		"a name that is there twice": {`{"` + strings.Repeat("z", 1000) + `":1,"` + strings.Repeat("z", 1000) + `":1}`, strings.Repeat("z", 100) + "…", ""},
	} {
		_, err := readBounded(tc.body)
		var e *atelier.Error
		if !errors.As(err, &e) || e.Code != atelier.CodeInvalidRequest || e.Field != tc.field || !strings.Contains(e.Message, tc.says) {
			t.Errorf("%s: got %.300v, want a refusal of %.120s that says %q", name, err, tc.field, tc.says)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: the refusal has %d bytes", name, len(err.Error()))
		}
	}
}

// A value within its limits is read completely.
func TestValuesWithinLimits(t *testing.T) {
	t.Parallel()
	got, err := readBounded(`{"text":"` + strings.Repeat("ü", 64<<10) + `","list":` + list(1000, `{"kind":"image","pixel_size":1}`) +
		`,"any":` + list(4999, "{}") + `,"large":` + list(19999, "{}") + `,"raw":` + list(9999, "1") + `,"inner":` + list(50, `{"a":[1,2,3],"b":"x"}`) + `}`)
	if err != nil || len(got.List) != 1000 || len(got.Any.([]any)) != 4999 || len(got.Large) != 3*19999+1 || len(got.Inner) != 50 || string(got.Inner[49].Extra["a"]) != "[1,2,3]" {
		t.Errorf("%.200v", err)
	}
}

// A query has limits too.
func TestQueriesAreBounded(t *testing.T) {
	t.Parallel()
	shape := wire.ShapeOf(reflect.TypeFor[request](), wire.Lenient)
	if err := shape.Query("name=x&"+strings.Repeat("a=1&", 1000), http.Header{}, &request{}); err == nil || !strings.Contains(err.Error(), "parameters") {
		t.Errorf("got %v", err)
	}
	lists := wire.ShapeOf(reflect.TypeFor[bounded](), wire.Lenient)
	if err := lists.Query("query="+strings.Repeat("a,", 1001), nil, &bounded{}); err == nil || !strings.Contains(err.Error(), "at most 1000 items") {
		t.Errorf("got %v", err)
	}
}

// A meter counts the same, however the text is split.
func TestMeter(t *testing.T) {
	t.Parallel()
	text := []byte(`{"a":"x\"y\\","messages":[{"u":"data:image/png;base64,AAAA\/BB","v":"data","w":"dat\u0061:no"},{},[1,[2]],"data:",""],"z":"data:\"q"}`)
	whole := wire.Meter{}
	whole.Add(text)
	inline := int64(len(`:image/png;base64,AAAA\/BB"`) + len(`:"`) + len(`:\"q"`))
	if whole.Size() != int64(len(text)) {
		t.Errorf("the size is %d, want %d", whole.Size(), len(text))
	}
	for _, tc := range []struct {
		bounds wire.Bounds
		fits   bool
	}{
		{wire.Bounds{Text: int64(len(text)) - inline, Inline: inline, Single: 30}, true},
		{wire.Bounds{Text: int64(len(text)) - inline - 1, Inline: inline, Single: 30}, false},
		{wire.Bounds{Text: int64(len(text)), Inline: inline - 1, Single: 30}, false},
		{wire.Bounds{Text: int64(len(text)), Inline: inline, Single: 20}, false},
		{wire.Bounds{Text: int64(len(text))}, true},
		{wire.Bounds{Text: int64(len(text)) - 1}, false},
	} {
		for step := 1; step <= len(text); step++ {
			var m wire.Meter
			for i := 0; i < len(text); i += step {
				m.Add(text[i:min(i+step, len(text))])
			}
			if m.Size() != whole.Size() || m.Growth() != whole.Growth() {
				t.Fatalf("in pieces of %d: %d and %d, want %d and %d", step, m.Size(), m.Growth(), whole.Size(), whole.Growth())
			}
			if err := m.Check(tc.bounds); (err == nil) != tc.fits || (err != nil && !atelier.HasCode(err, atelier.CodeBodyTooLarge)) {
				t.Fatalf("in pieces of %d, %+v: got %v", step, tc.bounds, err)
			}
		}
	}
}

// The weight of JSON depends on its values, not on its length.
func TestWeight(t *testing.T) {
	t.Parallel()
	long, full := []byte(`["`+strings.Repeat("x", 3000)+`"]`), []byte(list(1000, "{}"))
	if l, f := wire.Weight(long), wire.Weight(full); l > 4000 || f < 100*1000 {
		t.Errorf("a text weighs %d, as many brackets %d", l, f)
	}
}

func TestItemsAndMembers(t *testing.T) {
	t.Parallel()
	raw := wire.Raw(`[1,{"a":[2]},"x"]`)
	var got []string
	err := wire.Items(raw, 3, func(i int, item wire.Raw) error { got = append(got, fmt.Sprintf("%d %s", i, item)); return nil })
	if err != nil || fmt.Sprint(got) != `[0 1 1 {"a":[2]} 2 "x"]` {
		t.Errorf("%v, %v", got, err)
	}
	read := 0
	if err := wire.Items(raw, 2, func(int, wire.Raw) error { read++; return nil }); !errors.Is(err, wire.ErrTooMany) || read != 2 {
		t.Errorf("%d were read: %v", read, err)
	}
	if err := wire.Items(wire.Raw(`{}`), 2, nil); !errors.Is(err, wire.ErrNotArray) {
		t.Error(err)
	}
	if err := wire.Members(wire.Raw(`[]`), nil); !errors.Is(err, wire.ErrNotObject) {
		t.Error(err)
	}
	got = nil
	err = wire.Members(wire.Raw(`{"a":1,"b":{}}`), func(name string, v wire.Raw) error { got = append(got, name+string(v)); return nil })
	if err != nil || fmt.Sprint(got) != `[a1 b{}]` {
		t.Errorf("%v, %v", got, err)
	}
	stop := errors.New("stop")
	if err := wire.Members(wire.Raw(`{"a":1}`), func(string, wire.Raw) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	if err := wire.Items(nil, 1, nil); !errors.Is(err, wire.ErrNotArray) {
		t.Error(err)
	}
}

// FuzzMeter checks that a meter never counts more bytes than there are, however the
// text is split.
func FuzzMeter(f *testing.F) {
	f.Add([]byte(`{"a":"data:x","b":[1,{}]}`), 3)
	f.Add([]byte(`"\`), 1)
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		var whole, parts wire.Meter
		whole.Add(text)
		for piece := range chunks(text, max(1, step)) {
			parts.Add(piece)
		}
		if whole.Size() != int64(len(text)) || parts.Size() != whole.Size() || parts.Growth() != whole.Growth() {
			t.Errorf("%q: whole %d and %d, in pieces %d and %d", text, whole.Size(), whole.Growth(), parts.Size(), parts.Growth())
		}
		_, _ = readBounded(string(bytes.ToValidUTF8(text, nil)))
	})
}

func chunks(b []byte, size int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for i := 0; i < len(b); {
			end := min(len(b), i+min(size, len(b)))
			if !yield(b[i:end]) {
				return
			}
			i = end
		}
	}
}

// manyValues are bodies with many small values, behind a large one and before it.
func manyValues() (shape *wire.Shape, behind, before []byte) {
	var many strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, `,"x%d":"y"`, i)
	}
	large := `"large":"data:` + strings.Repeat("A", 32<<20) + `"`
	return wire.ShapeOf(reflect.TypeFor[manyRequest](), wire.Lenient), []byte("{" + large + many.String() + "}"), []byte("{" + many.String()[1:] + "," + large + "}")
}

type manyRequest struct {
	Large wire.Raw            `wire:"large,maxbytes=67108864"`
	Extra map[string]wire.Raw `wire:",extra,maxbytes=65536"`
}

func TestManyValuesBesideALargeOne(t *testing.T) {
	t.Parallel()
	shape, behind, before := manyValues()
	for name, text := range map[string][]byte{"behind": behind, "before": before} {
		var q manyRequest
		if err := shape.Body(text, nil, &q); err != nil || len(q.Extra) != 2000 {
			t.Errorf("%s: got %d values and %v", name, len(q.Extra), err)
		}
	}
}

// The work to read a body is proportional to its length, wherever its many small
// values are: reading one value does not scan the rest. If each value scanned to the end,
// 64 GB would be read. The aim for the ratio is below 5.
func BenchmarkManyValuesBeforeALargeOne(b *testing.B) {
	shape, behind, before := manyValues()
	read := func(text []byte) float64 {
		var q manyRequest
		var err error
		took := worktest.CPUTime(func() { err = shape.Body(text, nil, &q) })
		if err != nil {
			b.Fatal(err)
		}
		return took.Seconds()
	}
	worst := 0.0
	for b.Loop() {
		usual := max(read(behind), 0.001)
		worst = max(worst, read(before)/usual)
	}
	b.ReportMetric(worst, "worst-ratio")
}
