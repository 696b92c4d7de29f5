package picture_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/studio/picture"
)

// checker is a picture with edges, tones and a transparent corner.
func checker(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := uint8(70 + 60*((x/8+y/8)%2))
			img.SetNRGBA(x, y, color.NRGBA{v, uint8(x * 255 / w), v, 255})
		}
	}
	img.SetNRGBA(0, 0, color.NRGBA{})
	return img
}

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
	src := checker(64, 48)
	for _, s := range [][2]int{{128, 96}, {32, 24}, {200, 10}, {1, 1}} {
		out, err := picture.Resize(t.Context(), src, s[0], s[1])
		if err != nil || out.Rect.Dx() != s[0] || out.Rect.Dy() != s[1] {
			t.Fatalf("Resize to %v: %v, %v", s, out.Rect, err)
		}
		if a, b := brightness(src), brightness(out); math.Abs(a-b) > 0.03 {
			t.Errorf("Resize to %v: brightness %.3f became %.3f", s, a, b)
		}
	}
	if _, err := picture.Resize(t.Context(), src, 0, 5); err == nil {
		t.Error("a width of 0 must be refused")
	}
}

func TestSharpenAndDenoiseAreOpposites(t *testing.T) {
	t.Parallel()
	src := checker(64, 64)
	sharp, err := picture.Sharpen(t.Context(), src, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	calm, err := picture.Denoise(t.Context(), src, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := spread(sharp), spread(src), spread(calm); a <= b || c >= b {
		t.Errorf("spread sharpened %.1f, before %.1f, denoised %.1f", a, b, c)
	}
}

func TestLevelsAndAutoContrast(t *testing.T) {
	t.Parallel()
	src := checker(64, 64)
	out, err := picture.AutoContrast(t.Context(), src)
	if err != nil || spread(out) <= spread(src) {
		t.Errorf("AutoContrast: spread %.1f, before %.1f, %v", spread(out), spread(src), err)
	}
	same, err := picture.Levels(t.Context(), src, 0, 255, 1)
	if err != nil || same.NRGBAAt(20, 20) != src.NRGBAAt(20, 20) || same.NRGBAAt(0, 0).A != 0 {
		t.Errorf("full levels changed a pixel or the alpha")
	}
}

func TestGradeMovesToThePalette(t *testing.T) {
	t.Parallel()
	out, err := picture.Grade(t.Context(), checker(64, 64), []picture.Colour{{Name: "teal", R: 0, G: 130, B: 130}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := share(out, 0, 0.2, 1, 1, func(r, g, b float64) bool { return g >= r && b >= r-0.02 }); got < 0.95 {
		t.Errorf("only %.2f of the pixels lean to teal", got)
	}
}

func TestWarp(t *testing.T) {
	t.Parallel()
	src := checker(64, 64)
	p, err := picture.ProjectionTo(64, 64, [4][2]float64{{0, 0}, {64, 0}, {64, 64}, {0, 64}})
	if err != nil {
		t.Fatal(err)
	}
	same, err := picture.Warp(t.Context(), src, p, 64, 64)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := src.NRGBAAt(30, 17), same.NRGBAAt(30, 17); a != b {
		t.Errorf("the identity turned %v into %v", a, b)
	}
	p, err = picture.ProjectionTo(64, 64, [4][2]float64{{16, 8}, {48, 16}, {48, 48}, {16, 56}})
	if err != nil {
		t.Fatal(err)
	}
	turned, err := picture.Warp(t.Context(), src, p, 64, 64)
	if err != nil || turned.NRGBAAt(4, 4).A != 0 || turned.NRGBAAt(32, 32).A != 255 {
		t.Errorf("perspective: corner %v, middle %v, %v", turned.NRGBAAt(4, 4), turned.NRGBAAt(32, 32), err)
	}
	if _, err := picture.ProjectionTo(10, 10, [4][2]float64{{1, 1}, {1, 1}, {1, 1}, {1, 1}}); err == nil {
		t.Error("one point four times must be refused")
	}
}

func TestStylise(t *testing.T) {
	t.Parallel()
	src := checker(64, 64)
	for _, style := range []string{"watercolor", "pixel", "glass", "pencil", "noir"} {
		out, err := picture.Stylise(t.Context(), src, picture.Scene{Styles: []string{style}}, picture.Look{}, 1)
		if err != nil || out.Rect != src.Rect {
			t.Errorf("%s: %v", style, err)
		}
	}
}
