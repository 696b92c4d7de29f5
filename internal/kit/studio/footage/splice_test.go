package footage_test

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// clipFile writes a clip of one colour, with a tone of a level.
func clipFile(t *testing.T, w, h, frames int, c color.RGBA, level int16) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clip.mp4")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	sound := &film.Sound{Rate: 48000, Channels: 1, Samples: make([]int16, 48000*frames/24)}
	for i := range sound.Samples {
		sound.Samples[i] = int16(float64(level) * math.Sin(float64(i)/20))
	}
	if _, err := film.Write(t.Context(), f, film.Options{Width: w, Height: h, FPS: 24, Frames: frames, Sound: sound}, func(int) (image.Image, error) { return img, nil }, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// colours are the letters of the strongest colours of a clip's frames.
func colours(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	for img, err := range film.Frames(t.Context(), path, film.Auto) {
		if err != nil {
			t.Fatal(err)
		}
		p := img.Pix[img.PixOffset(img.Rect.Dx()/2, img.Rect.Dy()/2):]
		b.WriteByte("rgb"[map[bool]int{p[0] > p[1] && p[0] > p[2]: 0, p[1] > p[0] && p[1] > p[2]: 1, p[2] > p[0] && p[2] > p[1]: 2}[true]])
	}
	return b.String()
}

// loud reports whether a part of a clip is as loud as the part that was joined.
func loud(t *testing.T, path string, from, to float64) bool {
	t.Helper()
	s, err := film.ReadSound(t.Context(), path, film.Auto, 60)
	if err != nil || s == nil {
		t.Fatalf("there is no sound: %v", err)
	}
	var most int16
	for _, v := range s.Samples[int(from*float64(s.Rate))*s.Channels : min(int(to*float64(s.Rate))*s.Channels, len(s.Samples))] {
		most = max(most, v)
	}
	return most > 10000
}

// A clip is joined with another one of another size and length, and so is its sound.
func TestSplice(t *testing.T) {
	t.Parallel()
	source := clipFile(t, 64, 48, 48, color.RGBA{200, 20, 20, 255}, 3000)
	part := clipFile(t, 48, 48, 60, color.RGBA{20, 200, 20, 255}, 20000)
	for name, c := range map[string]struct {
		first, last int
		keep        bool
		want        string     // colours
		inside      [2]float64 // seconds of the new part
		loud, tail  bool       // whether the new part, and the end, are as loud as the new clip
	}{
		"extend":                {48, 72, true, strings.Repeat("r", 48) + strings.Repeat("g", 24), [2]float64{2.2, 2.9}, true, true},
		"replace":               {12, 36, false, strings.Repeat("r", 12) + strings.Repeat("g", 24) + strings.Repeat("r", 12), [2]float64{0.6, 0.9}, true, false},
		"replace the beginning": {0, 24, true, strings.Repeat("g", 24) + strings.Repeat("r", 24), [2]float64{0.6, 0.9}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "joined.mp4")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := (footage.Splice{Source: source, Part: part, First: c.first, Last: c.last, KeepSound: c.keep}).Write(t.Context(), f, film.Options{TempDir: t.TempDir()}); err != nil {
				t.Fatal(err)
			}
			if got := colours(t, path); got != c.want {
				t.Errorf("the frames are\n %s, want\n %s", got, c.want)
			}
			if got := loud(t, path, c.inside[0], c.inside[1]); got != c.loud {
				t.Errorf("the new part is loud: %v, want %v", got, c.loud)
			}
			end := float64(len(c.want)) / 24
			if got := loud(t, path, end-0.3, end-0.1); got != c.tail {
				t.Errorf("the end is loud: %v, want %v", got, c.tail)
			}
		})
	}
}
