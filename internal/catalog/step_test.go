package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// stepCase is one call of a tool. want is the message of the error or the summary
// of the step.
type stepCase struct {
	args  string
	facts catalog.Facts
	want  string
}

// The facts of a case. up and gen count images, videos and audio.

func none() catalog.Facts { return catalog.Facts{} }

func up(images, videos, audio int) catalog.Facts {
	return catalog.Facts{
		Uploaded:  &catalog.Counts{Images: images, Videos: videos, Audio: audio},
		Generated: &catalog.Counts{},
	}
}

func gen(images, videos, audio int) catalog.Facts {
	return catalog.Facts{
		Uploaded:  &catalog.Counts{},
		Generated: &catalog.Counts{Images: images, Videos: videos, Audio: audio},
	}
}

func bound(names ...string) catalog.Facts {
	f := up(0, 0, 0)
	f.Bound = names
	return f
}

func source(argument string, width, height int, seconds float64) catalog.Facts {
	f := up(1, 1, 1)
	f.Sources = map[string][]catalog.Source{argument: {{Width: width, Height: height, Seconds: seconds}}}
	return f
}

// summary writes a step on one line.
func summary(s *catalog.Step) string {
	var b strings.Builder
	if s.Model != nil {
		fmt.Fprintf(&b, "%s ", s.Model.ID)
	}
	if s.Length.Seconds > 0 {
		fmt.Fprintf(&b, "%gs ", s.Length.Seconds)
	}
	if s.Length.Frames > 0 {
		fmt.Fprintf(&b, "%df ", s.Length.Frames)
	}
	if o := s.Outputs; o.Count > 0 {
		fmt.Fprintf(&b, "%d %s ", o.Count, o.ContentType)
		if o.Width > 0 {
			fmt.Fprintf(&b, "%dx%d ", o.Width, o.Height)
		}
	}
	if s.Premium() {
		b.WriteString("premium ")
	}
	if s.LastFrame {
		b.WriteString("lastframe ")
	}
	for _, l := range s.Loras.Public {
		fmt.Fprintf(&b, "lora:%s@%g ", l.ID, l.Strength)
	}
	for _, l := range s.Loras.Personal {
		fmt.Fprintf(&b, "personal:%s@%g ", l.ID, l.Strength)
	}
	for _, id := range s.Loras.Dropped {
		fmt.Fprintf(&b, "dropped:%s ", id)
	}
	fmt.Fprintf(&b, "%s %d units", s.Cost.Class, s.CapacityUnits)
	if s.Cost.Spark > 0 {
		fmt.Fprintf(&b, " %s Spark for %g %s", strings.TrimRight(strings.TrimRight(s.Cost.Spark.String(), "0"), "."), s.Cost.Quantity, s.Cost.Unit)
	} else {
		b.WriteString(" free")
	}
	return b.String()
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	var args map[string]any
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		t.Fatalf("arguments %s: %v", text, err)
	}
	return args
}

func runSteps(t *testing.T, tool string, cases []stepCase) {
	t.Run(tool, func(t *testing.T) {
		t.Parallel()
		for _, tt := range cases {
			s, err := shared.Step(tool, decode(t, tt.args), tt.facts)
			var got string
			if err != nil {
				got = err.Error()
				var e *atelier.Error
				if !errors.As(err, &e) || !strings.HasPrefix(e.Message, e.Field+" ") || e.Field == "" {
					t.Errorf("%s: error %#v, want an *atelier.Error whose message begins with its field", short(tt.args), err)
				}
			} else {
				got = summary(s)
			}
			if got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", short(tt.args), got, tt.want)
			}
		}
	})
}

func short(s string) string {
	if len(s) > 160 {
		return s[:160] + "…"
	}
	return s
}

// shared is the program's own catalog. It is immutable, so every test may use
// the same one.
var shared = func() *catalog.Catalog {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return c
}()
