package cpu_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// span returns where the red figure is, from its head to its feet.
func span(img *image.RGBA) (top, bottom int) {
	top = img.Rect.Dy()
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			p := img.Pix[img.PixOffset(x, y):]
			if int(p[0]) > int(p[2])+70 && int(p[0]) > int(p[1])+20 {
				top, bottom = min(top, y), max(bottom, y)
			}
		}
	}
	return top, bottom
}

// A figure dances: it goes up and down with the beat of its music.
func TestDance(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	args := map[string]any{"dance": "spongebob", "duration": 1.5, "singleClip": true, "width": 72.0, "height": 96.0}
	out, frames := renderClip(t, film.BuiltIn, job(t, "dance_montage", "", args, map[string]string{"sourceImageIndex": figure(t)}))
	if len(frames) != 36 {
		t.Fatalf("%d frames, want 36", len(frames))
	}
	low, high := 1000, 0
	for _, img := range frames {
		top, bottom := span(img)
		if bottom == 0 {
			t.Fatal("the figure is gone")
		}
		low, high = min(low, top), max(high, top)
	}
	if high-low < 4 {
		t.Errorf("its head moves from %d to %d", low, high)
	}
	c := readSound(t, film.BuiltIn, out.Path)
	if c == nil || math.Abs(c.Duration().Seconds()-1.5) > 0.1 || c.LUFS() < -40 {
		t.Errorf("the music is %s", described(c))
	}
	refused(t, t.Context(), job(t, "dance_montage", "", map[string]any{"dance": "polka"}, nil), "polka")
	refused(t, t.Context(), job(t, "dance_montage", "", map[string]any{"dance": "chanel"}, nil), "imagePrompt")
	refused(t, t.Context(), job(t, "dance_montage", "", map[string]any{"dance": "chanel", "imagePrompt": "zxqv"}, nil), "No dancer")
	wall := still(t, 64, 64, func(int, int) color.Color { return grey })
	refused(t, t.Context(), job(t, "dance_montage", "", map[string]any{"dance": "chanel", "width": 64.0, "height": 64.0}, map[string]string{"sourceImageIndex": wall}), "No figure")
}

// A dancer in words is painted.
func TestDanceOfWords(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	_, frames := renderClip(t, film.BuiltIn, job(t, "dance_montage", "", map[string]any{"dance": "chanel", "duration": 0.5, "imagePrompt": "a robot", "width": 64.0, "height": 80.0}, nil))
	if len(frames) != 12 || differ(frames[0], frames[7]) < 1 {
		t.Errorf("%d frames that differ by %.2f", len(frames), differ(frames[0], frames[7]))
	}
}
