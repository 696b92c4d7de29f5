package cpu_test

import (
	"image"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// sliding returns a bright bar that moves to the right over a scene with texture.
func sliding(speed int) func(*image.RGBA, int) {
	return func(img *image.RGBA, i int) {
		w := img.Rect.Dx()
		for y := range img.Rect.Dy() {
			for x := range w {
				from := x - speed*i
				v := uint8(60 + 40*math.Sin(float64(from)/5) + 20*math.Sin(float64(y)/6))
				if d := from - w/4; d >= 0 && d < 12 && y > 12 && y < img.Rect.Dy()-12 {
					v = 240
				}
				p := img.Pix[img.PixOffset(x, y):]
				p[0], p[1], p[2], p[3] = v, v, v, 255
			}
		}
	}
}

// bar returns where the bright bar is, on average.
func bar(img *image.RGBA) float64 {
	sum, n := 0.0, 0.0
	for x := range img.Rect.Dx() {
		for y := 16; y < img.Rect.Dy()-16; y++ {
			if img.Pix[img.PixOffset(x, y)] > 190 {
				sum += float64(x)
				n++
			}
		}
	}
	return sum / max(n, 1)
}

// A clip goes on as it moved, from where it was, and is as long as it shall be.
func TestExtendGoesOn(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		f := testClip{w: 160, h: 96, fps: 12, frames: 12, draw: sliding(2), sound: hum(1, 200, always)}
		source := f.encodeWith(t, e)
		out, frames := renderClip(t, e, job(t, "extend_video", "", map[string]any{"duration": 1.0}, map[string]string{"videoIndex": source}))
		if len(frames) != 24 || out.DurationSeconds != 2 || out.Width != 160 {
			t.Fatalf("%d frames, %v s, %d wide", len(frames), out.DurationSeconds, out.Width)
		}
		was := framesOf(t, e, source)
		if d := differ(was[5], frames[5]); d > 6 {
			t.Errorf("the original part has changed by %.1f", d)
		}
		at, next, end := bar(frames[11]), bar(frames[14]), bar(frames[23])
		if next < at+2 || end < next+2 {
			t.Errorf("the bar is at %.1f, then %.1f, then %.1f: it should go on to the right", at, next, end)
		}
		if next-at > 9 {
			t.Errorf("it jumps by %.1f in three frames", next-at)
		}
		c := readSound(t, e, out.Path)
		l := c.Loudness(2)
		if math.Abs(c.Duration().Seconds()-2) > 0.08 || l[0] < 0.1 || l[2] < 0.01 {
			t.Errorf("the sound lasts %v with levels %v", c.Duration(), l)
		}
	})
}

// Without the original sound there is that of the prompt, or none; a prompt can
// lead away; a clip cannot grow beyond all bounds.
func TestExtendByWords(t *testing.T) {
	t.Parallel()
	source := testClip{w: 96, h: 64, fps: 12, frames: 6, draw: plain(red), sound: hum(0.5, 200, always)}.encodeWith(t, film.BuiltIn)
	files := map[string]string{"videoIndex": source}
	out, _ := renderClip(t, film.BuiltIn, job(t, "extend_video", "", map[string]any{"duration": 0.5, "keepOriginalAudio": false}, files))
	if readSound(t, film.BuiltIn, out.Path) != nil {
		t.Error("the original is heard though it shall not be kept")
	}
	out, frames := renderClip(t, film.BuiltIn, job(t, "extend_video", "", map[string]any{"duration": 1.0, "keepOriginalAudio": false, "prompt": "then a castle appears by the sea"}, files))
	if last := frames[len(frames)-1]; near(last, last.Rect, red, 40) || readSound(t, film.BuiltIn, out.Path) == nil {
		t.Errorf("the castle does not appear, or the sea is not heard: %v", mean(last, last.Rect))
	}
	refused(t, t.Context(), job(t, "extend_video", "", map[string]any{"duration": 4000.0}, files), "600")
}
