package picture_test

import (
	"errors"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/studio/picture"
)

// board is a picture of known shapes on uneven ground: a red disc in the middle,
// a blue square at the lower left and a yellow one at the upper right.
func board(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			n := uint8((x*7+y*13)%9) + uint8(20*y/h)
			c := color.NRGBA{120 + n, 130 + n, 125 + n, 255}
			switch {
			case disc(x, y, w, h):
				c = color.NRGBA{200 + n/2, 30 + n, 40 + n, 255}
			case square(x, y, w, h):
				c = color.NRGBA{30 + n, 60 + n, 190 + n/2, 255}
			case x > w*8/10 && x < w*9/10 && y > h/10 && y < h*2/10:
				c = color.NRGBA{235, 200 + n/2, 40 + n, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func disc(x, y, w, h int) bool {
	dx, dy := float64(x)-float64(w)/2, float64(y)-float64(h)/2
	return math.Hypot(dx, dy) < float64(min(w, h))*0.24
}

func square(x, y, w, h int) bool { return x > w/16 && x < w*4/16 && y > h*11/16 && y < h*15/16 }

// overlap is how much of two areas together they have in common.
func overlap(m *picture.Mask, in func(x, y int) bool) float64 {
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

func TestSubjectIsCutOut(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 160, 120))
	for y := range 120 {
		for x := range 160 {
			c := color.NRGBA{uint8(90 + x/4), uint8(150 - y/4), uint8(190 - x/5), 255}
			if disc(x, y, 160, 120) {
				c = color.NRGBA{uint8(210 - y/6), 60, 30, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	m, score, err := picture.Subject(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	if got := overlap(m, func(x, y int) bool { return disc(x, y, 160, 120) }); got < 0.95 || score < 0.8 {
		t.Errorf("overlap %.3f, score %.2f", got, score)
	}
	cut, err := picture.Cutout(t.Context(), img, m)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := cut.NRGBAAt(80, 60), cut.NRGBAAt(5, 5); a != img.NRGBAAt(80, 60) || b.A != 0 {
		t.Errorf("the middle became %v and the corner %v", a, b)
	}
	again, _, err := picture.Subject(t.Context(), img)
	if err != nil || string(again.Pix) != string(m.Pix) {
		t.Error("the same picture was cut in another way")
	}
}

// A painted subject over a painted land, whose outline is known.
func TestPaintedSubjectIsCutOut(t *testing.T) {
	t.Parallel()
	for _, c := range some([]struct{ subject, land string }{{"a red car", "a desert, clear sky"}, {"a woman", "a beach"}, {"a robot", "a desert"}, {"a guitar", "a beach"}}) {
		back, err := picture.Paint(t.Context(), picture.Request{Prompt: c.land, Width: 320, Height: 240, Seed: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		front, err := picture.PaintAlone(t.Context(), picture.Request{Prompt: c.subject, Width: 320, Height: 240, Seed: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		img, err := picture.Over(t.Context(), back, front)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := picture.Subject(t.Context(), img)
		if err != nil {
			t.Errorf("%s in %s: %v", c.subject, c.land, err)
			continue
		}
		if got := overlap(m, func(x, y int) bool { return front.NRGBAAt(x, y).A > 200 }); got < 0.85 {
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
	if _, _, err := picture.Subject(t.Context(), img); !errors.Is(err, picture.ErrNoSubject) {
		t.Errorf("an even picture: %v", err)
	}
}

func TestOwnTransparencyIsTheMask(t *testing.T) {
	t.Parallel()
	img := board(64, 64)
	for y := range 64 {
		for x := range 20 {
			img.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	m, score, err := picture.Subject(t.Context(), img)
	if err != nil || score != 1 || m.Pix[10] != 0 || m.Pix[40] != 255 {
		t.Errorf("mask %d %d, score %v, %v", m.Pix[10], m.Pix[40], score, err)
	}
}

func TestFinder(t *testing.T) {
	t.Parallel()
	const w, h = 128, 96
	f, err := picture.NewFinder(t.Context(), board(w, h))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, want func(x, y int) bool, finds ...picture.Find) {
		t.Helper()
		m, err := f.Mask(t.Context(), finds...)
		if err != nil {
			t.Fatal(err)
		}
		if got := overlap(m, want); got < 0.85 || finds[0].Score < 0.5 {
			t.Errorf("%s: overlap %.3f, score %.2f, found by %s", name, got, finds[0].Score, finds[0].How)
		}
	}
	ball := func(x, y int) bool { return disc(x, y, w, h) }
	tile := func(x, y int) bool { return square(x, y, w, h) }
	for _, many := range some([]bool{true, false}) {
		one, err := f.ByPoints(t.Context(), []picture.Spot{{X: 0.5, Y: 0.5}}, nil, many)
		if err != nil {
			t.Fatal(err)
		}
		check("a point", ball, one)
	}
	one, err := f.ByPoints(t.Context(), []picture.Spot{{X: 0.15, Y: 0.8}, {X: 0.5, Y: 0.5, Not: true}}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	check("two points", tile, one)
	if one, err = f.ByBox(t.Context(), picture.Frame{X0: 0.02, Y0: 0.6, X1: 0.32, Y1: 1}); err != nil {
		t.Fatal(err)
	}
	check("a box", tile, one)
	for _, c := range some([]struct {
		text string
		want func(x, y int) bool
	}{
		{"the red ball", ball}, {"something blue", tile}, {"the largest object", ball}, {"bottom left", tile},
		{"background", func(x, y int) bool { return !ball(x, y) && !tile(x, y) }},
		{"left half", func(x, _ int) bool { return x < w/2 }},
	}) {
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
	if _, err := f.ByPoints(t.Context(), []picture.Spot{{X: 0.5, Y: 0.5, Not: true}}, nil, true); err == nil {
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
	f, err := picture.NewFinder(t.Context(), img)
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

func TestSkyIsFound(t *testing.T) {
	t.Parallel()
	img, err := picture.Paint(t.Context(), picture.Request{Prompt: "a meadow, clear sky, day", NegativePrompt: "clouds", Width: 128, Height: 96, Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := picture.Sky(t.Context(), img)
	if err != nil || m == nil {
		t.Fatalf("no sky: %v", err)
	}
	if m.Pix[5*128+50] < 200 || m.Pix[90*128+50] > 50 {
		t.Errorf("above %d, below %d", m.Pix[5*128+50], m.Pix[90*128+50])
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	m := picture.NewMask(20, 10)
	for y := 3; y < 6; y++ {
		for x := 5; x < 9; x++ {
			m.Pix[y*20+x] = 255
		}
	}
	if got, want := m.Box(), image.Rect(5, 3, 9, 6); got != want {
		t.Errorf("box %v, want %v", got, want)
	}
	if got, want := m.Grown(2).Box(), image.Rect(3, 1, 11, 8); got != want {
		t.Errorf("grown %v, want %v", got, want)
	}
	if got := m.Grown(2).Grown(-2).Box(); got != m.Box() {
		t.Errorf("grown and shrunk %v, want %v", got, m.Box())
	}
	if got := m.Inverse().Share() + m.Share(); math.Abs(got-1) > 1e-9 {
		t.Errorf("a mask and its inverse cover %v", got)
	}
	m.Pix[9*20+19] = 255
	if got := len(m.Pieces(0)); got != 2 {
		t.Errorf("%d pieces, want 2", got)
	}
	if got := len(m.Pieces(0.02)); got != 1 {
		t.Errorf("%d large pieces, want 1", got)
	}
	m.Clear(picture.Frame{X0: 0.5, Y0: 0.5, X1: 1, Y1: 1})
	if m.Pix[9*20+19] != 0 {
		t.Error("a cleared frame still means something")
	}
	if b := picture.NewMask(4, 4).Box(); !b.Empty() {
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
	m := picture.NewMask(w, h)
	for y := 30; y < 60; y++ {
		for x := 40; x < 80; x++ {
			broken.SetNRGBA(x, y, color.NRGBA{255, 0, 255, 255})
			m.Pix[y*w+x] = 255
		}
	}
	out, err := picture.Fill(t.Context(), broken, m, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := psnr(img, out); got < 30 {
		t.Errorf("the filled stripes are %.1f dB from the true ones", got)
	}
	if out.NRGBAAt(5, 5) != broken.NRGBAAt(5, 5) {
		t.Error("what was outside of the hole has changed")
	}
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	if _, err := picture.Fill(t.Context(), broken, m, 1, nil); !errors.Is(err, picture.ErrTooMuch) {
		t.Errorf("a picture that is all hole: %v", err)
	}
}

func psnr(a, b *image.NRGBA) float64 {
	var sum float64
	for i := range a.Pix {
		d := float64(a.Pix[i]) - float64(b.Pix[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(a.Pix))*3/4/max(sum, 1))
}
