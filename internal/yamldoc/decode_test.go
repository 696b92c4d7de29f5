package yamldoc_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/yamldoc"
)

type upstream struct {
	Name   string  `yaml:"name"`
	Models []model `yaml:"models"`
}

type model struct {
	ID      string        `yaml:"id"`
	Context int           `yaml:"context_length"`
	Price   atelier.Money `yaml:"price"`
	At      yamldoc.Line
}

type common struct {
	Note string `yaml:"note"`
}

type config struct {
	Listen string        `yaml:"listen"`
	Pace   time.Duration `yaml:"pace"`
	Ratio  float64       `yaml:"ratio"`
	Count  uint8         `yaml:"count"`
	On     bool          `yaml:"on"`
	Limit  *int          `yaml:"limit"`
	Llm    struct {
		Upstreams []upstream `yaml:"upstreams"`
	} `yaml:"llm"`
	Chains map[string]common `yaml:"chains"`
	Free   map[string]any    `yaml:"free"`
	Any    any               `yaml:"any"`
	Later  yamldoc.Raw       `yaml:"later"`
	common `yaml:",inline"`
}

func TestDecode(t *testing.T) {
	t.Parallel()
	c := config{Listen: "before", Chains: map[string]common{"kept": {Note: "k"}}}
	err := yamldoc.Decode("c.yaml", []byte(`
listen:            # no value: the default stays
pace: 1m30s
ratio: 2
count: 0x10
on: true
limit: 7
note: inline
llm:
  upstreams:
    - name: 1.10
      models:
        - { id: a, context_length: 32_768, price: 0.10 }
        - { id: b, price: "12.5" }
chains: { base: { note: n } }
free: { a: 1, b: [x, 2.5, null, true], c: { d: "1" } }
any: [1]
later: { id: raw }
`), &c)
	if err != nil {
		t.Fatal(err)
	}
	seven := 7
	want := config{
		Listen: "before", Pace: 90 * time.Second, Ratio: 2, Count: 16, On: true, Limit: &seven,
		Chains: map[string]common{"kept": {Note: "k"}, "base": {Note: "n"}},
		Free:   map[string]any{"a": 1.0, "b": []any{"x", 2.5, nil, true}, "c": map[string]any{"d": "1"}},
		Any:    []any{1.0},
		common: common{Note: "inline"},
		Later:  c.Later,
	}
	want.Llm.Upstreams = []upstream{{Name: "1.10", Models: []model{
		{ID: "a", Context: 32768, Price: 100_000, At: 13},
		{ID: "b", Price: 12_500_000, At: 14},
	}}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("decoded\n got %+v\nwant %+v", c, want)
	}
	if got := c.Later.Text("id"); got != "raw" {
		t.Errorf("Raw.Text(id) = %q, want raw", got)
	}
	m := model{ID: "before", Context: 5}
	if err := c.Later.Decode(&m); err != nil || m.ID != "raw" || m.Context != 5 {
		t.Errorf("Raw.Decode on top = %+v, %v; want id raw, context kept", m, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"unknown key", "listn: x", "c.yaml:1: listn: unknown key"},
		{"unknown nested key", "llm:\n  upstreams:\n    - name: a\n      models:\n        - id: x\n          ctx: 1", "c.yaml:6: llm.upstreams[0].models[0].ctx: unknown key"},
		{"twice", "listen: a\npace: 1s\nlisten: b", "c.yaml:3: listen: is written twice, first on line 1"},
		{"twice in free part", "free: { a: 1, a: 2 }", "c.yaml:1: free.a: is written twice, first on line 1"},
		{"string", "listen: [a]", "c.yaml:1: listen: must be a string"},
		{"string from bool", "listen: true", "c.yaml:1: listen: must be a string"},
		{"number", "ratio: fast", "c.yaml:1: ratio: must be a number"},
		{"quoted number", "ratio: \"1\"", "c.yaml:1: ratio: must be a number"},
		{"infinite number", "ratio: .inf", "c.yaml:1: ratio: must be a finite number"},
		{"whole number", "limit: 1.5", "c.yaml:1: limit: must be a whole number"},
		{"too large", "limit: 99999999999999999999", "c.yaml:1: limit: must be a whole number"},
		{"over the type", "count: 256", "c.yaml:1: count: is too large a number"},
		{"negative", "count: -1", "c.yaml:1: count: must be a whole number of at least 0"},
		{"bool", "on: yes please", "c.yaml:1: on: must be true or false"},
		{"duration", "pace: 15", "c.yaml:1: pace: must be a duration such as 15s, 5m or 48h"},
		{"list", "llm: { upstreams: {} }", "c.yaml:1: llm.upstreams: must be a list"},
		{"mapping", "llm: 3", "c.yaml:1: llm: must be a mapping of keys to values"},
		{"map", "chains: [1]", "c.yaml:1: chains: must be a mapping of keys to values"},
		{"root", "- a", "c.yaml:1: must be a mapping of keys to values"},
		{"money", "llm: { upstreams: [{ models: [{ price: 1.2345678 }] }] }", `c.yaml:1: llm.upstreams[0].models[0].price: "1.2345678" has more than six decimal places`},
		{"alias", "any: &a [1]\nfree: { b: *a }", "c.yaml:2: free.b: must be written out: YAML aliases are not supported"},
		{"second document", "listen: a\n---\nlisten: b", "c.yaml:2: must hold one document, found a second"},
		{"syntax", "listen: [a\npace: 1s", "c.yaml:1: did not find expected ',' or ']'"},
		{"line inside raw", "later:\n  nope: 1", "c.yaml:2: later.nope: unknown key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c config
			err := yamldoc.Decode("c.yaml", []byte(tt.text), &c)
			if err == nil && strings.Contains(tt.text, "later") {
				err = c.Later.Decode(&model{})
			}
			if err == nil || err.Error() != tt.want {
				t.Fatalf("error\n got %v\nwant %s", err, tt.want)
			}
			var e *yamldoc.Error
			if !errors.As(err, &e) || e.Name != "c.yaml" || e.Line == 0 {
				t.Errorf("error is %#v, want a *yamldoc.Error with name and line", err)
			}
		})
	}
}

func TestDecodeKeepsSharedPointers(t *testing.T) {
	t.Parallel()
	one := 1
	a := config{Limit: &one}
	b := a
	if err := yamldoc.Decode("", []byte("limit: 2"), &b); err != nil {
		t.Fatal(err)
	}
	if *a.Limit != 1 || *b.Limit != 2 {
		t.Errorf("limits after overlay: original %d, overlay %d; want 1 and 2", *a.Limit, *b.Limit)
	}
	if err := yamldoc.Decode("", []byte("limit:"), &b); err != nil || b.Limit != nil {
		t.Errorf("an empty value leaves the pointer at %v (%v), want nil", b.Limit, err)
	}
}

func TestDecodeEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# only a comment\n", "---\n"} {
		c := config{Listen: "kept"}
		if err := yamldoc.Decode("c.yaml", []byte(text), &c); err != nil || c.Listen != "kept" {
			t.Errorf("Decode(%q): %v, listen %q; want no error and the default", text, err, c.Listen)
		}
	}
}

func TestErrorWithoutName(t *testing.T) {
	t.Parallel()
	err := yamldoc.Decode("", []byte("nope: 1"), &config{})
	if want := "line 1: nope: unknown key"; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestScalars(t *testing.T) {
	t.Parallel()
	type limits struct {
		Active int           `yaml:"active_workflows"`
		TTL    time.Duration `yaml:"ttl"`
	}
	var c struct {
		Listen string        `yaml:"listen"`
		Price  atelier.Money `yaml:"price"`
		Limits limits        `yaml:"limits"`
		List   []string      `yaml:"list"`
	}
	from := map[string]string{"listen": "127.0.0.1:1", "price": "0.5", "limits.active_workflows": "3", "limits.ttl": "5m"}
	var paths []string
	for path, set := range yamldoc.Scalars(&c) {
		paths = append(paths, path)
		if err := set(from[path]); err != nil {
			t.Errorf("set %s: %v", path, err)
		}
	}
	if want := []string{"listen", "price", "limits.active_workflows", "limits.ttl"}; !reflect.DeepEqual(paths, want) {
		t.Errorf("paths = %v, want %v", paths, want)
	}
	if c.Listen != "127.0.0.1:1" || c.Price != 500_000 || c.Limits != (limits{3, 5 * time.Minute}) {
		t.Errorf("set values = %+v", c)
	}
	for path, set := range yamldoc.Scalars(&c) {
		if path != "limits.active_workflows" {
			continue
		}
		if err := set("many"); err == nil || err.Error() != "limits.active_workflows: must be a whole number" {
			t.Errorf("set(many) = %v, want a refusal that names the key", err)
		}
	}
}
