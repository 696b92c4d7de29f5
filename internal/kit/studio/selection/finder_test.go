package selection_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/selection"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

func TestFinder(t *testing.T) {
	t.Parallel()
	const w, h = 128, 96
	f, err := selection.NewFinder(t.Context(), studiotest.Board(w, h))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, want func(x, y int) bool, finds ...selection.Find) {
		t.Helper()
		m, err := f.Mask(t.Context(), finds...)
		if err != nil {
			t.Fatal(err)
		}
		if got := studiotest.Overlap(m, want); got < 0.85 || finds[0].Score < 0.5 {
			t.Errorf("%s: overlap %.3f, score %.2f, found by %s", name, got, finds[0].Score, finds[0].How)
		}
	}
	ball := func(x, y int) bool { return studiotest.Disc(x, y, w, h) }
	tile := func(x, y int) bool { return studiotest.Square(x, y, w, h) }
	for _, many := range []bool{true, false} {
		one, err := f.ByPoints(t.Context(), []selection.Spot{{X: 0.5, Y: 0.5}}, nil, many)
		if err != nil {
			t.Fatal(err)
		}
		check("a point", ball, one)
	}
	one, err := f.ByPoints(t.Context(), []selection.Spot{{X: 0.15, Y: 0.8}, {X: 0.5, Y: 0.5, Not: true}}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	check("two points", tile, one)
	if one, err = f.ByBox(t.Context(), pixel.Frame{X0: 0.02, Y0: 0.6, X1: 0.32, Y1: 1}); err != nil {
		t.Fatal(err)
	}
	check("a box", tile, one)
	for _, c := range []struct {
		text string
		want func(x, y int) bool
	}{
		{"the red ball", ball}, {"something blue", tile}, {"the largest object", ball}, {"bottom left", tile},
		{"background", func(x, y int) bool { return !ball(x, y) && !tile(x, y) }},
		{"left half", func(x, _ int) bool { return x < w/2 }},
	} {
		finds, err := f.ByWords(t.Context(), c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		check(c.text, c.want, finds...)
	}
	for _, text := range []string{"the dog's collar", "a green leaf", "freedom", ""} {
		if finds, err := f.ByWords(t.Context(), text); err == nil {
			t.Errorf("%q was found by %s", text, finds[0].How)
		}
	}
	if _, err := f.ByPoints(t.Context(), []selection.Spot{{X: 0.5, Y: 0.5, Not: true}}, nil, true); err == nil {
		t.Error("negative points alone select nothing")
	}
}

// A thing that is named by its colour has its parts of other colours, and not
// what else is of that colour.
func TestThingsAreFoundWhole(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 200, 160))
	body, foot, strip := image.Rect(70, 50, 130, 90), image.Rect(90, 90, 110, 96), image.Rect(0, 0, 200, 10)
	for y := range 160 {
		for x := range 200 {
			c := color.NRGBA{80, 150, 70, 255}
			switch at := image.Pt(x, y); {
			case at.In(body):
				c = color.NRGBA{210, 30, 30, 255}
			case at.In(foot):
				c = color.NRGBA{20, 20, 20, 255}
			case at.In(strip):
				c = color.NRGBA{90, 140, 80, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	f, err := selection.NewFinder(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	finds, err := f.ByWords(t.Context(), "the red car")
	if err != nil {
		t.Fatal(err)
	}
	for text, whole := range map[string]bool{"the red car": true, "everything red": false} {
		things, err := f.Things(t.Context(), text, finds)
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Mask(t.Context(), things...)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Pix[92*m.W+100] >= 128; got != whole || m.Pix[70*m.W+100] < 128 || m.Pix[140*m.W+20] >= 128 {
			t.Errorf("%q: the foot is in: %v, want %v; the body %d, the ground %d", text, got, whole, m.Pix[70*m.W+100], m.Pix[140*m.W+20])
		}
	}
}
