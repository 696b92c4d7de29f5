package paint_test

import (
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
)

func inked(img *image.NRGBA, c color.NRGBA) (n int) {
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i+3] > 200 && img.Pix[i] == c.R && img.Pix[i+1] == c.G && img.Pix[i+2] == c.B {
			n++
		}
	}
	return n
}

func TestLetteringSetsLines(t *testing.T) {
	t.Parallel()
	white, black := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}
	l := paint.Lettering{Size: 32, Colour: white, Outline: black, Border: 3}
	one, err := l.Write("Grüße, Привет, Γειά")
	if err != nil {
		t.Fatal(err)
	}
	if inked(one, white) < 500 || inked(one, black) < 500 {
		t.Errorf("%d pixels of letters and %d of border", inked(one, white), inked(one, black))
	}
	l.Width = 200
	many, err := l.Write("a longer text that does not fit into one line, and Donaudampfschifffahrtsgesellschaft")
	if err != nil {
		t.Fatal(err)
	}
	if w := many.Rect.Dx(); w > 200+2*5 {
		t.Errorf("lines are %d wide, want at most 200 and the border", w)
	}
	if many.Rect.Dy() < 4*one.Rect.Dy()/2 {
		t.Errorf("%d high beside %d for one line", many.Rect.Dy(), one.Rect.Dy())
	}
	two, err := l.Write("one\ntwo")
	if err != nil || two.Rect.Dy() <= one.Rect.Dy() {
		t.Errorf("two lines are %v: %v", two, err)
	}
}

func TestLetteringRefuses(t *testing.T) {
	t.Parallel()
	l := paint.Lettering{Size: 32, Colour: color.NRGBA{255, 255, 255, 255}}
	for _, text := range []string{"", " \n ", "你好", strings.Repeat("long ", 1000)} {
		if _, err := l.Write(text); !errors.Is(err, paint.ErrLetters) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for _, l := range []paint.Lettering{{Size: 2}, {Size: 1e9}, {Size: 20, Face: "gothic"}} {
		if _, err := l.Write("text"); !errors.Is(err, paint.ErrLetters) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// A word as long as a request is cut into lines without measuring all of the
// rest for each of them, which would take hours, and no more lines than fit.
func TestLongWordsAreRefusedSoon(t *testing.T) {
	t.Parallel()
	l := paint.Lettering{Size: 24, Width: 400, Colour: color.NRGBA{255, 255, 255, 255}}
	for name, text := range map[string]string{
		"one word": strings.Repeat("m", 2<<20), "many words": strings.Repeat("mmmmmmmm ", 200_000), "many lines": strings.Repeat("m\n", 1<<20),
	} {
		if _, err := l.Write(text); !errors.Is(err, paint.ErrLetters) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
