package paint_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

func TestInsertLeavesTheRest(t *testing.T) {
	t.Parallel()
	back, err := paint.Paint(t.Context(), paint.Request{Prompt: "a meadow, clear sky", Width: 160, Height: 120, Seed: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := paint.Insert(t.Context(), back, paint.Read("a red car on the left"), paint.Look{Texture: 1}, image.Rectangle{}, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := studiotest.Share(out, 0, 0.4, 0.6, 1, studiotest.Reddish); got < 0.02 {
		t.Errorf("only %.3f of the left is red", got)
	}
	same := 0
	for i := 0; i < len(out.Pix); i += 4 {
		if string(out.Pix[i:i+4]) == string(back.Pix[i:i+4]) {
			same++
		}
	}
	if got := float64(same) / float64(len(out.Pix)/4); got < 0.7 {
		t.Errorf("only %.2f of the picture stayed as it was", got)
	}
	sky, err := paint.InsertSky(t.Context(), back, paint.Read("a moon"), paint.Look{Texture: 1}, 3)
	if err != nil || string(sky.Pix) == string(back.Pix) {
		t.Errorf("there is no moon: %v", err)
	}
	if string(sky.Pix[len(sky.Pix)*3/4:]) != string(back.Pix[len(back.Pix)*3/4:]) {
		t.Error("the moon changed the ground")
	}
}

func TestRelight(t *testing.T) {
	t.Parallel()
	img, err := paint.Paint(t.Context(), paint.Request{Prompt: "a green meadow with trees, day", Width: 200, Height: 150, Seed: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	relit := func(words string) *image.NRGBA {
		out, err := paint.Relight(t.Context(), img, paint.Read(words), paint.Look{}, 2)
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		return out
	}
	day := studiotest.Brightness(img)
	if got := studiotest.Brightness(relit("night")); got > day*0.6 {
		t.Errorf("the night has %.2f of a day of %.2f", got, day)
	}
	warm := func(r, _, b float64) bool { return r > b+0.05 }
	if before, after := studiotest.Share(img, 0, 0, 1, 0.4, warm), studiotest.Share(relit("sunset"), 0, 0, 1, 0.4, warm); after < before+0.2 {
		t.Errorf("at sunset %.2f of the sky is warm, %.2f by day", after, before)
	}
	pale := func(r, g, b float64) bool { return min(r, g, b) > 0.6 }
	if before, after := studiotest.Share(img, 0, 0.7, 1, 1, pale), studiotest.Share(relit("snow"), 0, 0.7, 1, 1, pale); after < before+0.3 {
		t.Errorf("under snow %.2f of the ground is pale, %.2f before", after, before)
	}
	green := func(r, g, b float64) bool { return g > r*1.05 && g > b*1.1 }
	if before, after := studiotest.Share(img, 0, 0.6, 1, 1, green), studiotest.Share(relit("autumn"), 0, 0.6, 1, 1, green); after > before*0.5 {
		t.Errorf("in autumn %.2f is green, %.2f before", after, before)
	}
}

func TestStylesChangeAPicture(t *testing.T) {
	t.Parallel()
	img := studiotest.Board(96, 72)
	for _, name := range paint.StyleNames() {
		out, err := paint.Stylise(t.Context(), img, paint.Scene{Styles: []string{name}}, paint.Look{Texture: 1}, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := studiotest.PSNR(img, out); d > 38 {
			t.Errorf("%s changed next to nothing (%.1f dB)", name, d)
		}
	}
	for _, text := range []string{"xyzzy", "isometric", "photorealistic"} {
		if s, err := paint.ReadStyle(text); err == nil {
			t.Errorf("%q was taken as %v", text, s.Styles)
		}
	}
	if s, err := paint.ReadStyle("an impasto oil painting in red and gold"); err != nil || len(s.Styles) != 1 || len(s.Palette) == 0 {
		t.Errorf("style %v, palette %v, %v", s.Styles, s.Palette, err)
	}
}

func TestStartingPicture(t *testing.T) {
	t.Parallel()
	start := studiotest.Board(160, 120)
	for _, strength := range []float64{0.2, 0.8} {
		r := paint.Request{Prompt: "a red fox in a meadow", Width: 160, Height: 120, Seed: 3, Start: start, StartStrength: strength}
		one, err := paint.Paint(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if near := studiotest.PSNR(start, one); (near > 14) != (strength > 0.5) {
			t.Errorf("strength %v: %.1f dB from the start", strength, near)
		}
	}
}

func TestPaintAlone(t *testing.T) {
	t.Parallel()
	out, err := paint.PaintAlone(t.Context(), paint.Request{Prompt: "a red car", Width: 160, Height: 120, Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.NRGBAAt(2, 2) != (color.NRGBA{}) {
		t.Errorf("the corner is %v", out.NRGBAAt(2, 2))
	}
	if got := studiotest.Share(out, 0, 0, 1, 1, studiotest.Reddish); got < 0.05 {
		t.Errorf("only %.2f of it is red", got)
	}
	if _, err := paint.PaintAlone(t.Context(), paint.Request{Prompt: "sunset", Width: 64, Height: 64}, nil); err == nil {
		t.Error("a sunset was painted without a sky")
	}
}
