package paint_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

func TestSameRequestSamePicture(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"a red fox in a snowy forest at dawn", "isometric city at night, neon", "oil painting of a cat", "ukiyo-e wave with a boat", "xyzzy plugh"} {
		r := paint.Request{Prompt: p, Seed: 5, Model: "z_image_turbo_bf16"}
		first := studiotest.Paint(t, r)
		if again := studiotest.Paint(t, r); !bytes.Equal(first.Pix, again.Pix) {
			t.Errorf("%q: two runs differ", p)
		}
		other := r
		other.Seed = 6
		if seed := studiotest.Paint(t, other); bytes.Equal(first.Pix, seed.Pix) {
			t.Errorf("%q: another seed is the same picture", p)
		}
		other = r
		other.Model = "dark_beast_krea2_fp8"
		if model := studiotest.Paint(t, other); bytes.Equal(first.Pix, model.Pix) {
			t.Errorf("%q: another model is the same picture", p)
		}
	}
}

// meanColours returns the mean colours of a grid of cells.
func meanColours(img *image.NRGBA) []float64 {
	const n = 6
	out := make([]float64, 0, n*n*3)
	for cy := range n {
		for cx := range n {
			var r, g, b float64
			studiotest.Share(img, float64(cx)/n, float64(cy)/n, float64(cx+1)/n, float64(cy+1)/n, func(pr, pg, pb float64) bool {
				r, g, b = r+pr, g+pg, b+pb
				return false
			})
			k := float64(img.Rect.Dx()*img.Rect.Dy()) / (n * n)
			out = append(out, r/k, g/k, b/k)
		}
	}
	return out
}

func TestDifferentPromptsDiffer(t *testing.T) {
	t.Parallel()
	prompts := []string{"a lighthouse in a storm", "whale under the sea", "desert with cactus", "a snowy forest", "pink flowers in a garden", "city at night"}
	var prints [][]float64
	for _, p := range prompts {
		prints = append(prints, meanColours(studiotest.Paint(t, paint.Request{Prompt: p, Seed: 1})))
	}
	for i := range prints {
		for j := range i {
			var sum float64
			for k := range prints[i] {
				d := prints[i][k] - prints[j][k]
				sum += d * d
			}
			if sum /= float64(len(prints[i])); sum < 0.004 {
				t.Errorf("%q and %q: mean square distance %.4f, want 0.004 or more", prompts[i], prompts[j], sum)
			}
		}
	}
}

func TestColoursAskedForAreThere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		prompt string
		least  float64
		is     func(r, g, b float64) bool
	}{
		{"a red fox in the snow", 0.04, studiotest.Reddish},
		{"a red car", 0.04, studiotest.Reddish},
		{"a blue car in the desert", 0.03, func(r, g, b float64) bool { return b > 0.3 && b > 1.25*r && b > 1.1*g }},
		{"a green dragon in the desert", 0.03, func(r, g, b float64) bool { return g > 0.2 && g > 1.15*r && g > 1.15*b }},
		{"a yellow house in a snowy field", 0.03, func(r, g, b float64) bool { return r > 0.5 && g > 0.4 && b < 0.55*r }},
		{"minimalist black cat", 0.03, func(r, g, b float64) bool { return r < 0.25 && g < 0.25 && b < 0.25 }},
		{"mandala in gold and teal", 0.06, func(r, g, b float64) bool { return r > 0.3 && r > g && g > 1.3*b }},
		{"mandala in gold and teal", 0.02, func(r, g, b float64) bool { return g > 0.25 && b > 0.25 && r < 0.7*g }},
	}
	for _, tt := range tests {
		img := studiotest.Paint(t, paint.Request{Prompt: tt.prompt, Seed: 3, Width: 256, Height: 256})
		if got := studiotest.Share(img, 0, 0, 1, 1, tt.is); got < tt.least {
			t.Errorf("%q: %.3f of the picture has the colour, want %.3f", tt.prompt, got, tt.least)
		}
	}
}

func TestRedFoxIsRedWhereTheFoxIs(t *testing.T) {
	t.Parallel()
	img := studiotest.Paint(t, paint.Request{Prompt: "a red fox in a snowy forest at dawn", Seed: 3, Width: 256, Height: 256})
	if got := studiotest.Share(img, 0.2, 0.4, 0.8, 0.9, studiotest.Reddish); got < 0.10 {
		t.Errorf("%.3f of the middle is red, want 0.10", got)
	}
	if got := studiotest.Share(img, 0, 0, 1, 0.25, studiotest.Reddish); got > 0.05 {
		t.Errorf("%.3f of the sky is red, want nearly none", got)
	}
}

func TestNightIsDarkerThanDay(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"a village", "mountains and a lake", "a castle", "a desert", "the sea", "a forest"} {
		day := studiotest.Brightness(studiotest.Paint(t, paint.Request{Prompt: p + " by day", Seed: 2}))
		night := studiotest.Brightness(studiotest.Paint(t, paint.Request{Prompt: p + " at night", Seed: 2}))
		if night > 0.75*day {
			t.Errorf("%q: night %.2f, day %.2f, want night clearly darker", p, night, day)
		}
	}
}

func TestNegativePromptRemovesThings(t *testing.T) {
	t.Parallel()
	with := studiotest.Paint(t, paint.Request{Prompt: "a red car and a cat in a field", Seed: 4})
	without := studiotest.Paint(t, paint.Request{Prompt: "a red car and a cat in a field", NegativePrompt: "car", Seed: 4})
	if a, b := studiotest.Share(with, 0, 0, 1, 1, studiotest.Reddish), studiotest.Share(without, 0, 0, 1, 1, studiotest.Reddish); a < 0.02 || b > a/3 {
		t.Errorf("red with the car %.3f, without %.3f", a, b)
	}
}

//atelier:concurrent
func TestProgressRisesToOne(t *testing.T) {
	t.Parallel()
	last := 0.0
	_, err := paint.Paint(t.Context(), paint.Request{Prompt: "a watercolor house", Width: 200, Height: 120}, func(f float64) {
		if f < last || f > 1 {
			t.Errorf("progress went from %v to %v", last, f)
		}
		last = f
	})
	if err != nil || last != 1 {
		t.Errorf("err %v, last progress %v, want 1", err, last)
	}
}

//atelier:concurrent
func TestCancelStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var last float64
	_, err := paint.Paint(ctx, paint.Request{Prompt: "oil painting of a forest", Width: 2048, Height: 2048}, func(f float64) {
		last = f
		cancel() // at the first sign of life
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v, want canceled", err)
	}
	if last > 0.5 {
		t.Errorf("it went on to %v after the cancel", last)
	}
}

func TestSizesAreBounded(t *testing.T) {
	t.Parallel()
	for _, s := range [][2]int{{0, 10}, {10, 100000}, {-5, 64}} {
		if _, err := paint.Paint(t.Context(), paint.Request{Prompt: "a cat", Width: s[0], Height: s[1]}, nil); !errors.Is(err, pixel.ErrSize) {
			t.Errorf("size %v: err = %v, want ErrSize", s, err)
		}
	}
}

func TestStartIsKeptInPart(t *testing.T) {
	t.Parallel()
	guide := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := 0; i < len(guide.Pix); i += 4 {
		copy(guide.Pix[i:], []uint8{255, 0, 0, 255})
	}
	img := studiotest.Paint(t, paint.Request{Prompt: "a blue sea", Start: guide, StartStrength: 1, Width: 64, Height: 64})
	if c := img.NRGBAAt(32, 32); c != (color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("at full strength the pixel is %v, want the guide's red", c)
	}
}

func TestFramesMove(t *testing.T) {
	t.Parallel()
	scene := paint.Read("a boat on the sea")
	var frames []*image.NRGBA
	for _, at := range []float64{0, 1, 1} {
		img, err := paint.PaintScene(t.Context(), scene, paint.LookOf(""), 160, 96, 1, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, img)
	}
	if bytes.Equal(frames[0].Pix, frames[1].Pix) || !bytes.Equal(frames[1].Pix, frames[2].Pix) {
		t.Error("frames must differ with time and only with time")
	}
}

func TestTextIsDrawn(t *testing.T) {
	t.Parallel()
	a := studiotest.Paint(t, paint.Request{Prompt: `a sign saying "OPEN"`, Seed: 1})
	b := studiotest.Paint(t, paint.Request{Prompt: `a sign saying "SHUT"`, Seed: 1})
	if bytes.Equal(a.Pix, b.Pix) {
		t.Error("the words on the sign make no difference")
	}
}

// A scene made by hand, with keys the lexicon does not have and fields left
// empty, still paints.
func TestSceneMadeByHand(t *testing.T) {
	t.Parallel()
	s := paint.Scene{
		Subjects: []paint.Thing{{Key: "cat"}, {Key: "nonsense"}, {Key: "guitar", HeldBy: 1, On: 7}},
		Settings: []paint.Thing{{Key: "nowhere"}}, Styles: []string{"unheard of"}, Time: "tea",
	}
	if _, err := paint.PaintScene(t.Context(), s, paint.Look{}, 64, 64, 1, 0, nil); err != nil {
		t.Error(err)
	}
}
