// Package studiotest has pictures of known shapes, and measures of pictures, for
// the tests of the studio.
//
//atelier:sequential
package studiotest

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Board returns a picture of known shapes on uneven ground: a red disc in the middle,
// a blue square at the lower left and a yellow one at the upper right.
func Board(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			n := uint8((x*7+y*13)%9) + uint8(20*y/h)
			c := color.NRGBA{120 + n, 130 + n, 125 + n, 255}
			switch {
			case Disc(x, y, w, h):
				c = color.NRGBA{200 + n/2, 30 + n, 40 + n, 255}
			case Square(x, y, w, h):
				c = color.NRGBA{30 + n, 60 + n, 190 + n/2, 255}
			case x > w*8/10 && x < w*9/10 && y > h/10 && y < h*2/10:
				c = color.NRGBA{235, 200 + n/2, 40 + n, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func Disc(x, y, w, h int) bool {
	dx, dy := float64(x)-float64(w)/2, float64(y)-float64(h)/2
	return math.Hypot(dx, dy) < float64(min(w, h))*0.24
}

func Square(x, y, w, h int) bool { return x > w/16 && x < w*4/16 && y > h*11/16 && y < h*15/16 }

// Overlap returns how much of two areas together they have in common.
func Overlap(m *pixel.Mask, in func(x, y int) bool) float64 {
	var both, either float64
	for y := range m.H {
		for x := range m.W {
			a, b := m.Pix[y*m.W+x] >= 128, in(x, y)
			if a && b {
				both++
			}
			if a || b {
				either++
			}
		}
	}
	return both / max(either, 1)
}

func PSNR(a, b *image.NRGBA) float64 {
	var sum float64
	for i := range a.Pix {
		d := float64(a.Pix[i]) - float64(b.Pix[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(a.Pix))*3/4/max(sum, 1))
}

func Bluish(r, g, b float64) bool { return b > 0.3 && b > 1.3*r && b > 1.1*g }

func Paint(t *testing.T, r paint.Request) *image.NRGBA {
	t.Helper()
	if r.Width == 0 {
		r.Width, r.Height = 192, 192
	}
	img, err := paint.Paint(t.Context(), r, nil)
	if err != nil {
		t.Fatalf("Paint(%q): %v", r.Prompt, err)
	}
	return img
}

func Brightness(img *image.NRGBA) float64 {
	var sum float64
	for i := 0; i < len(img.Pix); i += 4 {
		sum += 0.299*float64(img.Pix[i]) + 0.587*float64(img.Pix[i+1]) + 0.114*float64(img.Pix[i+2])
	}
	return sum / float64(len(img.Pix)/4) / 255
}

// Share returns the part of the pixels inside a box (in parts of the picture) for
// which f holds.
func Share(img *image.NRGBA, x0, y0, x1, y1 float64, f func(r, g, b float64) bool) float64 {
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	hits, total := 0, 0
	for y := int(y0 * h); y < int(y1*h); y++ {
		for x := int(x0 * w); x < int(x1*w); x++ {
			p := img.Pix[y*img.Stride+x*4:]
			if total++; f(float64(p[0])/255, float64(p[1])/255, float64(p[2])/255) {
				hits++
			}
		}
	}
	return float64(hits) / float64(total)
}

func Reddish(r, g, b float64) bool { return r > 0.35 && r > 1.6*g && r > 1.6*b }

// Checker returns a picture with edges, tones and a transparent corner.
func Checker(w, h int) *image.NRGBA {
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
