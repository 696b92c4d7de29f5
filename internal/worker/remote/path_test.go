package remote

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	doc, err := readJSON([]byte(`{"a":{"b":[{"c":"x"},{"c":"y","d":7},3]},"n":12345678901234567890,"yes":true,"none":null}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a.b[0].c": "x", "$.a.b[1].d": "7", "a.b[*].c": "x", "a.b[9].c": "", "a.x": "", "n": "12345678901234567890", "yes": "true", "none": "", "a.b[2]": "3", "a": "", "$": "",
	} {
		p, err := parsePath(text)
		if err != nil || p.word(doc) != want {
			t.Errorf("%s: got %q, %v, want %q", text, p.word(doc), err, want)
		}
	}
	if p, _ := parsePath("a.b[*].c"); !reflect.DeepEqual(p.find(doc), []any{"x", "y"}) {
		t.Errorf("got %v", p.find(doc))
	}
	for _, text := range []string{"", "a.", ".a", "a..b", "a[", "a[]", "a[-1]", "a[+1]", "a[x]", "a]b", "a[0]b", "$a", strings.Repeat("a.", 40) + "a", strings.Repeat("a", 400)} {
		if p, err := parsePath(text); err == nil {
			t.Errorf("%q is read as %+v", text, p)
		}
	}
}

func TestImageSize(t *testing.T) {
	t.Parallel()
	s := &catalog.Size{Min: 256, Max: 3840, Multiple: 16, Exact: true, MaxAspect: 3, MinPixels: 655360, MaxPixels: 8294400}
	for _, c := range []struct {
		w, h float64
		want string
	}{
		{1024, 1024, "1024x1024"}, {3840, 2160, "3840x2160"}, {0, 0, "auto"}, {1000, 777, "1008x784"}, {100, 100, "816x816"}, {8000, 8000, "2880x2880"},
		{5000, 100, "1408x480"}, {100, 5000, "480x1408"}, {1e9, 1, "auto"},
	} {
		if got := imageSize(c.w, c.h, s); got != c.want {
			t.Errorf("%v by %v: got %s, want %s", c.w, c.h, got, c.want)
		}
	}
	for w := 1.0; w < 9000; w = w*1.37 + 3 {
		for h := 1.0; h < 9000; h = h*1.41 + 5 {
			var a, b int
			got := imageSize(w, h, s)
			if n, _ := fmt.Sscanf(got, "%dx%d", &a, &b); n != 2 || a%16 != 0 || b%16 != 0 || a*b < s.MinPixels || a*b > s.MaxPixels || max(a, b) > s.Max || float64(max(a, b)) > 3*float64(min(a, b)) {
				t.Errorf("%v by %v: got %s", w, h, got)
			}
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a.b[0].c", "$.x[*]", "a..b", "[0][1]", "$"} {
		f.Add(s, `{"a":{"b":[{"c":1}]}}`)
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		p, err := parsePath(text)
		if err != nil {
			return
		}
		doc, err := readJSON([]byte(body))
		if err != nil {
			return
		}
		p.find(doc)
		p.word(doc)
	})
}

func FuzzAdapter(f *testing.F) {
	for _, name := range Adapters() {
		data, _ := embedded.ReadFile("adapters/" + name + ".yaml")
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ParseAdapter("fuzz.yaml", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			return
		}
		for _, given := range []bool{false, true} {
			of := func(slot string) (any, bool) {
				if len(slot) > 0 && slot[len(slot)-1] == 's' {
					return []any{"x", "y"}, given
				}
				return "x", given
			}
			for _, e := range []*exchange{&a.Submit, &a.Poll, a.Fetch, a.Cancel} {
				if e != nil {
					_, _ = e.request(of, "key")
				}
			}
		}
	})
}
