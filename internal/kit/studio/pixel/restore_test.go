package pixel_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

// worn returns a picture with the damage of an old print: noise, a tint, lost contrast
// and scratches.
func worn(img *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(img.Rect)
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(img.Pix); i += 4 {
		n := r.NormFloat64() * 9
		for c, k := range []float64{0.66, 0.60, 0.50} {
			out.Pix[i+c] = uint8(min(max(float64(img.Pix[i+c])*k+45-6*float64(c)+n, 0), 255))
		}
		out.Pix[i+3] = 255
	}
	for _, x := range []int{out.Rect.Dx() / 5, out.Rect.Dx() / 2, out.Rect.Dx() * 3 / 4} {
		for y := range out.Rect.Dy() {
			copy(out.Pix[y*out.Stride+(x+y/40)*4:], []uint8{238, 236, 230})
		}
	}
	return out
}

func TestRestoreComesNearerToTheOriginal(t *testing.T) {
	t.Parallel()
	img, err := paint.Paint(t.Context(), paint.Request{Prompt: "a red lighthouse by the sea, day", Width: 240, Height: 180, Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if img, err = pixel.AutoContrast(t.Context(), img); err != nil {
		t.Fatal(err)
	}
	bad := worn(img)
	for _, thorough := range []bool{true, false} {
		out, found, err := pixel.Restore(t.Context(), bad, pixel.Repair{Dust: 1.5, Noise: 1, Fade: 1, Cast: 1, Sharpen: 0.5, Thorough: thorough}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if before, after := studiotest.PSNR(img, bad), studiotest.PSNR(img, out); after < before+2.5 {
			t.Errorf("thorough %v: from %.1f to %.1f dB", thorough, before, after)
		}
		if found.Noise < 5 || found.Noise > 14 || found.Specks == 0 || found.Fade < 0.2 {
			t.Errorf("the damage was taken for %+v", found)
		}
	}
}

func TestRestoreLeavesASoundPictureNearlyAlone(t *testing.T) {
	t.Parallel()
	img, err := paint.Paint(t.Context(), paint.Request{Prompt: "portrait of a woman", Width: 200, Height: 200, Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, found, err := pixel.Restore(t.Context(), img, pixel.Repair{Dust: 1, Noise: 1}, nil)
	if err != nil || found.Specks > 0.001 {
		t.Fatalf("specks %.4f, %v", found.Specks, err)
	}
	if got := studiotest.PSNR(img, out); got < 34 {
		t.Errorf("a sound picture changed to %.1f dB", got)
	}
}

func TestEnlarge(t *testing.T) {
	t.Parallel()
	img := studiotest.Board(90, 70)
	e, err := pixel.Enlarge(t.Context(), img, 360, 280, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := e.Whole()
	if err != nil || whole.Rect != image.Rect(0, 0, 360, 280) {
		t.Fatalf("%v, %v", whole.Rect, err)
	}
	// Read row by row, as an encoder does, it is the same picture.
	strips, err := pixel.Enlarge(t.Context(), img, 360, 280, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := strips.Read(func() error {
		for y := range 280 {
			for x := range 360 {
				r, g, b, a := strips.At(x, y).RGBA()
				r2, g2, b2, a2 := whole.At(x, y).RGBA()
				if r != r2 || g != g2 || b != b2 || a != a2 {
					return fmt.Errorf("pixel %d,%d differs between strips and whole", x, y)
				}
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	soft, err := pixel.Resize(t.Context(), img, 360, 280)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := steepness(whole), steepness(soft); a <= b {
		t.Errorf("enlarged edges have a steepness of %.2f, merely scaled ones %.2f", a, b)
	}
	if d := studiotest.PSNR(soft, whole); d < 26 {
		t.Errorf("sharpening changed the picture by %.1f dB", d)
	}
	for _, size := range [][2]int{{0, 10}, {20000, 10}} {
		if _, err := pixel.Enlarge(t.Context(), img, size[0], size[1], nil); err == nil {
			t.Errorf("%v was made", size)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stopped, err := pixel.Enlarge(ctx, img, 360, 280, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stopped.Whole(); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled one ended with %v", err)
	}
	if err := stopped.Read(func() error { stopped.At(0, 0); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("reading a cancelled one ended with %v", err)
	}
}

// steepness returns the mean of the largest steps between neighbours.
func steepness(img *image.NRGBA) float64 {
	var sum, n float64
	for y := range img.Rect.Dy() {
		for x := 1; x < img.Rect.Dx(); x++ {
			i := y*img.Stride + x*4
			if d := math.Abs(float64(img.Pix[i+2]) - float64(img.Pix[i-2])); d > 24 {
				sum += d
				n++
			}
		}
	}
	return sum / max(n, 1)
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	f, err := pixel.Measure(t.Context(), studiotest.Board(120, 90))
	if err != nil {
		t.Fatal(err)
	}
	if f.Width != 120 || f.Height != 90 || f.Aspect != "4:3" || f.Orientation != "landscape" || f.Greyscale {
		t.Errorf("facts: %+v", f)
	}
	if f.Subject == nil || f.Subject.Box.X0 > 0.5 || f.Subject.Box.X1 < 0.5 {
		t.Errorf("the subject is %+v", f.Subject)
	}
	var total float64
	names := map[string]bool{}
	for _, s := range f.Palette {
		total += s.Share
		names[s.Name] = true
	}
	if total > 1.01 || total < 0.7 || !names["red"] {
		t.Errorf("the palette %v covers %.2f", f.Palette, total)
	}
	grey, err := pixel.Adjust(t.Context(), studiotest.Board(120, 90), pixel.Tone{Saturation: -1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = pixel.Measure(t.Context(), grey); err != nil || !f.Greyscale || f.Colourful > 0.05 {
		t.Errorf("a grey picture: %+v, %v", f, err)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	img := studiotest.Board(120, 90)
	same, err := pixel.Compare(t.Context(), img, img)
	if err != nil || !same.Identical || same.Similarity != 1 || same.PSNR != 99 {
		t.Errorf("with itself: %+v, %v", same, err)
	}
	brighter, err := pixel.Adjust(t.Context(), img, pixel.Tone{Light: 0.4}, 0)
	if err != nil {
		t.Fatal(err)
	}
	near, err := pixel.Compare(t.Context(), img, brighter)
	if err != nil || near.Identical || near.Brighter <= 0 {
		t.Errorf("with a brighter one: %+v, %v", near, err)
	}
	other, err := paint.Paint(t.Context(), paint.Request{Prompt: "a forest at night", Width: 100, Height: 140}, nil)
	if err != nil {
		t.Fatal(err)
	}
	far, err := pixel.Compare(t.Context(), img, other)
	if err != nil || far.Similarity >= near.Similarity || far.SameSize {
		t.Errorf("with another: %+v, near was %+v, %v", far, near, err)
	}
}
