package comfyui

import (
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// Every size and length that can be ordered of a model comes out of the graphs close enough to
// be accepted: with half of each edge and of the length at least, and edges of four times or
// 2048 pixels at most.
func TestGraphsMakeWhatIsOrdered(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	library, err := LoadLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	sizes, lengths := 0, 0
	for _, m := range library.mappings {
		for _, model := range m.Models {
			known, ok := c.Model(model.ID)
			for _, name := range m.Tools {
				tool, has := c.Tool(name)
				if !ok || !has || tool.Produces == nil {
					continue
				}
				if slices.Contains(tool.Produces.Ordered, "size") && known.Size != nil && m.Size != nil {
					sizes += checkSizes(t, m, known)
				}
				if slices.Contains(tool.Produces.Ordered, "length") && known.Duration != nil && known.Duration.Ceiling == 0 {
					lengths += checkLengths(t, m, known)
				}
			}
		}
	}
	if sizes < 1000 || lengths < 100 {
		t.Errorf("%d sizes and %d lengths were compared", sizes, lengths)
	}
}

// checkSizes compares sizes over the range of a model with what a graph makes of them.
func checkSizes(t *testing.T, m *mapping, model *catalog.Model) (n int) {
	t.Helper()
	isFar := func(got, want int) bool { return 2*got < want || got > max(4*want, 2048) }
	step := max(1, (model.Size.Max-model.Size.Min)/9)
	for w := model.Size.Min; w <= model.Size.Max; w += step {
		for h := model.Size.Min; h <= model.Size.Max; h += step {
			n++
			a, b, err := m.Size.of(map[string]any{"width": float64(w), "height": float64(h)}, 0, 0)
			if err != nil || isFar(a, w) || isFar(b, h) {
				t.Errorf("%s makes %d by %d of %d by %d with %s, %v", m.name, a, b, w, h, model.ID, err)
			}
		}
	}
	return n
}

// checkLengths does so with lengths.
func checkLengths(t *testing.T, m *mapping, model *catalog.Model) (n int) {
	t.Helper()
	d := model.Duration
	for asked := d.Min; asked <= d.Max; asked += (d.Max - d.Min) / 20 {
		n++
		want, err := d.Render("duration", asked, model.ID)
		if err != nil {
			t.Fatal(err)
		}
		s, got := m.Slots["duration"], want.Seconds
		if s.Min != nil {
			got = max(got, *s.Min)
		}
		if s.Max != nil {
			got = min(got, *s.Max)
		}
		if s.Frames != nil {
			got = float64(s.Frames.of(want.Seconds)) / s.Frames.FPS
		}
		if 2*got < want.Seconds {
			t.Errorf("%s makes %v seconds of %v with %s", m.name, got, want.Seconds, model.ID)
		}
	}
	return n
}
