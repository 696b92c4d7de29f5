package pixel_test

import (
	"image"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

func spread(img *image.NRGBA) float64 {
	var sum, square float64
	n := float64(len(img.Pix) / 4)
	for i := 0; i < len(img.Pix); i += 4 {
		v := float64(img.Pix[i])
		sum, square = sum+v, square+v*v
	}
	return math.Sqrt(square/n - sum*sum/n/n)
}

func TestResizeKeepsTheMean(t *testing.T) {
	t.Parallel()
	src := studiotest.Checker(64, 48)
	for _, s := range [][2]int{{128, 96}, {32, 24}, {200, 10}, {1, 1}} {
		out, err := pixel.Resize(t.Context(), src, s[0], s[1])
		if err != nil || out.Rect.Dx() != s[0] || out.Rect.Dy() != s[1] {
			t.Fatalf("Resize to %v: %v, %v", s, out.Rect, err)
		}
		if a, b := studiotest.Brightness(src), studiotest.Brightness(out); math.Abs(a-b) > 0.03 {
			t.Errorf("Resize to %v: brightness %.3f became %.3f", s, a, b)
		}
	}
	if _, err := pixel.Resize(t.Context(), src, 0, 5); err == nil {
		t.Error("a width of 0 must be refused")
	}
}

func TestSharpenAndDenoiseAreOpposites(t *testing.T) {
	t.Parallel()
	src := studiotest.Checker(64, 64)
	sharp, err := pixel.Sharpen(t.Context(), src, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	calm, err := pixel.Denoise(t.Context(), src, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := spread(sharp), spread(src), spread(calm); a <= b || c >= b {
		t.Errorf("spread sharpened %.1f, before %.1f, denoised %.1f", a, b, c)
	}
}

func TestLevelsAndAutoContrast(t *testing.T) {
	t.Parallel()
	src := studiotest.Checker(64, 64)
	out, err := pixel.AutoContrast(t.Context(), src)
	if err != nil || spread(out) <= spread(src) {
		t.Errorf("AutoContrast: spread %.1f, before %.1f, %v", spread(out), spread(src), err)
	}
	same, err := pixel.Levels(t.Context(), src, 0, 255, 1)
	if err != nil || same.NRGBAAt(20, 20) != src.NRGBAAt(20, 20) || same.NRGBAAt(0, 0).A != 0 {
		t.Errorf("full levels changed a pixel or the alpha")
	}
}

func TestGradeMovesToThePalette(t *testing.T) {
	t.Parallel()
	out, err := pixel.Grade(t.Context(), studiotest.Checker(64, 64), []pixel.Colour{{Name: "teal", R: 0, G: 130, B: 130}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := studiotest.Share(out, 0, 0.2, 1, 1, func(r, g, b float64) bool { return g >= r && b >= r-0.02 }); got < 0.95 {
		t.Errorf("only %.2f of the pixels lean to teal", got)
	}
}

func TestWarp(t *testing.T) {
	t.Parallel()
	src := studiotest.Checker(64, 64)
	p, err := pixel.ProjectionTo(64, 64, [4][2]float64{{0, 0}, {64, 0}, {64, 64}, {0, 64}})
	if err != nil {
		t.Fatal(err)
	}
	same, err := pixel.Warp(t.Context(), src, p, 64, 64)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := src.NRGBAAt(30, 17), same.NRGBAAt(30, 17); a != b {
		t.Errorf("the identity turned %v into %v", a, b)
	}
	p, err = pixel.ProjectionTo(64, 64, [4][2]float64{{16, 8}, {48, 16}, {48, 48}, {16, 56}})
	if err != nil {
		t.Fatal(err)
	}
	turned, err := pixel.Warp(t.Context(), src, p, 64, 64)
	if err != nil || turned.NRGBAAt(4, 4).A != 0 || turned.NRGBAAt(32, 32).A != 255 {
		t.Errorf("perspective: corner %v, middle %v, %v", turned.NRGBAAt(4, 4), turned.NRGBAAt(32, 32), err)
	}
	if _, err := pixel.ProjectionTo(10, 10, [4][2]float64{{1, 1}, {1, 1}, {1, 1}, {1, 1}}); err == nil {
		t.Error("one point four times must be refused")
	}
}
