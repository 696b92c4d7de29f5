package pixel_test

import (
	"errors"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

//atelier:concurrent
func TestSubjectIsCutOut(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 160, 120))
	for y := range 120 {
		for x := range 160 {
			c := color.NRGBA{uint8(90 + x/4), uint8(150 - y/4), uint8(190 - x/5), 255}
			if studiotest.Disc(x, y, 160, 120) {
				c = color.NRGBA{uint8(210 - y/6), 60, 30, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	m, score, err := pixel.Subject(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	if got := studiotest.Overlap(m, func(x, y int) bool { return studiotest.Disc(x, y, 160, 120) }); got < 0.95 || score < 0.8 {
		t.Errorf("overlap %.3f, score %.2f", got, score)
	}
	cut, err := pixel.Cutout(t.Context(), img, m)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := cut.NRGBAAt(80, 60), cut.NRGBAAt(5, 5); a != img.NRGBAAt(80, 60) || b.A != 0 {
		t.Errorf("the middle became %v and the corner %v", a, b)
	}
	again, _, err := pixel.Subject(t.Context(), img)
	if err != nil || string(again.Pix) != string(m.Pix) {
		t.Error("the same picture was cut in another way")
	}
}

// A painted subject over a painted land, whose outline is known.
func TestPaintedSubjectIsCutOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ subject, land string }{{"a red car", "a desert, clear sky"}, {"a woman", "a beach"}, {"a robot", "a desert"}, {"a guitar", "a beach"}} {
		back, err := paint.Paint(t.Context(), paint.Request{Prompt: c.land, Width: 320, Height: 240, Seed: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		front, err := paint.PaintAlone(t.Context(), paint.Request{Prompt: c.subject, Width: 320, Height: 240, Seed: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		img, err := pixel.Over(t.Context(), back, front)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := pixel.Subject(t.Context(), img)
		if err != nil {
			t.Errorf("%s in %s: %v", c.subject, c.land, err)
			continue
		}
		if got := studiotest.Overlap(m, func(x, y int) bool { return front.NRGBAAt(x, y).A > 200 }); got < 0.85 {
			t.Errorf("%s in %s: overlap %.3f", c.subject, c.land, got)
		}
	}
}

func TestNoSubjectIsSaid(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 120, 90))
	for i := range img.Pix {
		img.Pix[i] = 200 + uint8(i%3)
	}
	if _, _, err := pixel.Subject(t.Context(), img); !errors.Is(err, pixel.ErrNoSubject) {
		t.Errorf("an even picture: %v", err)
	}
}

func TestOwnTransparencyIsTheMask(t *testing.T) {
	t.Parallel()
	img := studiotest.Board(64, 64)
	for y := range 64 {
		for x := range 20 {
			img.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	m, score, err := pixel.Subject(t.Context(), img)
	if err != nil || score != 1 || m.Pix[10] != 0 || m.Pix[40] != 255 {
		t.Errorf("mask %d %d, score %v, %v", m.Pix[10], m.Pix[40], score, err)
	}
}

func TestSkyIsFound(t *testing.T) {
	t.Parallel()
	img, err := paint.Paint(t.Context(), paint.Request{Prompt: "a meadow, clear sky, day", NegativePrompt: "clouds", Width: 128, Height: 96, Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := pixel.Sky(t.Context(), img)
	if err != nil || m == nil {
		t.Fatalf("no sky: %v", err)
	}
	if m.Pix[5*128+50] < 200 || m.Pix[90*128+50] > 50 {
		t.Errorf("above %d, below %d", m.Pix[5*128+50], m.Pix[90*128+50])
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	m := pixel.NewMask(20, 10)
	for y := 3; y < 6; y++ {
		for x := 5; x < 9; x++ {
			m.Pix[y*20+x] = 255
		}
	}
	if got, want := m.Box(), image.Rect(5, 3, 9, 6); got != want {
		t.Errorf("box %v, want %v", got, want)
	}
	if got, want := m.Dilate(2).Box(), image.Rect(3, 1, 11, 8); got != want {
		t.Errorf("grown %v, want %v", got, want)
	}
	if got := m.Dilate(2).Dilate(-2).Box(); got != m.Box() {
		t.Errorf("grown and shrunk %v, want %v", got, m.Box())
	}
	if got := m.Invert().Share() + m.Share(); math.Abs(got-1) > 1e-9 {
		t.Errorf("a mask and its inverse cover %v", got)
	}
	m.Pix[9*20+19] = 255
	if got := len(m.Components(0)); got != 2 {
		t.Errorf("%d pieces, want 2", got)
	}
	if got := len(m.Components(0.02)); got != 1 {
		t.Errorf("%d large pieces, want 1", got)
	}
	m.Clear(pixel.Frame{X0: 0.5, Y0: 0.5, X1: 1, Y1: 1})
	if m.Pix[9*20+19] != 0 {
		t.Error("a cleared frame still means something")
	}
	if b := pixel.NewMask(4, 4).Box(); !b.Empty() {
		t.Errorf("the box of nothing is %v", b)
	}
}

func TestFillRepeatsWhatIsAround(t *testing.T) {
	t.Parallel()
	const w, h = 128, 96
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := uint8(60 + 120*(y/6%2))
			img.SetNRGBA(x, y, color.NRGBA{v, v / 2, 200 - v/2, 255})
		}
	}
	broken := image.NewNRGBA(img.Rect)
	copy(broken.Pix, img.Pix)
	m := pixel.NewMask(w, h)
	for y := 30; y < 60; y++ {
		for x := 40; x < 80; x++ {
			broken.SetNRGBA(x, y, color.NRGBA{255, 0, 255, 255})
			m.Pix[y*w+x] = 255
		}
	}
	out, err := pixel.Fill(t.Context(), broken, m, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := studiotest.PSNR(img, out); got < 30 {
		t.Errorf("the filled stripes are %.1f dB from the true ones", got)
	}
	if out.NRGBAAt(5, 5) != broken.NRGBAAt(5, 5) {
		t.Error("what was outside of the hole has changed")
	}
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	if _, err := pixel.Fill(t.Context(), broken, m, 1, nil); !errors.Is(err, pixel.ErrTooMuch) {
		t.Errorf("a picture that is all hole: %v", err)
	}
}
