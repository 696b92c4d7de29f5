package thumbnail_test

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/thumbnail"
)

// picture is one whose left half is red and whose right half is blue, half transparent.
func picture(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 0, 0, 255}
			if x >= w/2 {
				c = color.NRGBA{0, 0, 255, 128}
			}
			p.SetNRGBA(x, y, c)
		}
	}
	return p
}

func TestReduce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ w, h, size, wantW, wantH int }{
		{1000, 500, 320, 320, 160}, {500, 1000, 320, 160, 320}, {1000, 500, 640, 640, 320}, {3000, 3000, 320, 320, 320},
		{100, 50, 320, 100, 50}, {1, 1, 320, 1, 1}, {1, 5000, 320, 1, 320}, {5000, 1, 640, 640, 1}, {641, 640, 320, 320, 319},
	} {
		got := thumbnail.Reduce(picture(tc.w, tc.h), tc.size)
		if got.Rect.Dx() != tc.wantW || got.Rect.Dy() != tc.wantH {
			t.Errorf("%dx%d to %d: got %v, want %dx%d", tc.w, tc.h, tc.size, got.Rect, tc.wantW, tc.wantH)
		}
		if c := thumbnail.Colors(got); len(c) != 16*6 {
			t.Errorf("%dx%d: the colours are %q", tc.w, tc.h, c)
		}
	}
	small := thumbnail.Reduce(picture(1000, 500), 320)
	if got, want := thumbnail.Colors(small), strings.Repeat("ff0000ff00007f7fff7f7fff", 4); got != want {
		t.Errorf("got the colours %s, want %s: what is transparent is on white", got, want)
	}
	if _, err := thumbnail.JPEG(small, 80); err != nil {
		t.Error(err)
	}
}

// A pattern finer than the pixels of the thumbnail becomes its average, and no other
// pattern.
func TestReduceDoesNotAlias(t *testing.T) {
	t.Parallel()
	p := image.NewGray(image.Rect(0, 0, 1111, 997))
	for y := range 997 {
		for x := range 1111 {
			p.SetGray(x, y, color.Gray{uint8((x + y) % 2 * 255)})
		}
	}
	small := thumbnail.Reduce(p, 320)
	for y := 2; y < small.Rect.Dy()-2; y++ {
		for x := 2; x < small.Rect.Dx()-2; x++ {
			if c := small.RGBAAt(x, y); c.R < 120 || c.R > 136 {
				t.Fatalf("got %v at %d, %d, want grey", c, x, y)
			}
		}
	}
}
