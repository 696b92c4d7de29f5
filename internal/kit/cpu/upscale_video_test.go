package cpu_test

import (
	"image"
	"math"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// A larger clip has the frames, the rate and the sound of the smaller one.
func TestUpscaleVideo(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	onEngines(t, func(t *testing.T, e film.Engine) {
		tone := hum(0.06, 300, always)
		clip := testClip{w: 48, h: 48, fps: 30000, den: 1001, frames: 2, draw: sliding(1), sound: tone}.encodeWith(t, e)
		k := job(t, "upscale_video", "flashvsr_v1.1_tiny_long_bf16", nil, map[string]string{"sourceVideoIndex": clip})
		out, frames := renderClip(t, e, k)
		if out.Width != 1080 || out.Height != 1080 || len(frames) != 2 {
			t.Fatalf("%dx%d with %d frames, want 1080x1080 with 2", out.Width, out.Height, len(frames))
		}
		r, err := film.Open(t.Context(), out.Path, e)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if r.FPS != 30000 || r.Den != 1001 {
			t.Errorf("it runs at %d/%d", r.FPS, r.Den)
		}
		was := framesOf(t, e, clip)
		for _, p := range []image.Point{{4, 10}, {16, 24}, {28, 40}} {
			a, b := was[1].RGBAAt(p.X, p.Y), frames[1].RGBAAt(p.X*1080/48+11, p.Y*1080/48+11)
			if math.Abs(float64(a.R)-float64(b.R)) > 40 {
				t.Errorf("at %v it was %v and is %v", p, a, b)
			}
		}
		if c := readSound(t, e, out.Path); e == film.BuiltIn && !slices.Equal(c.PCM, tone.Samples[:len(c.PCM)]) {
			t.Error("the sound has changed")
		}
	})
	big := testClip{w: 800, h: 780, fps: 10, frames: 1, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	refused(t, t.Context(), job(t, "upscale_video", "", nil, map[string]string{"sourceVideoIndex": big}), "768")
	small := testClip{w: 32, h: 32, fps: 10, frames: 1, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	refused(t, t.Context(), job(t, "upscale_video", "", map[string]any{"targetResolution": 4000.0}, map[string]string{"sourceVideoIndex": small}), "1080 or 1440")
	wide := testClip{w: 160, h: 16, fps: 10, frames: 1, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	refused(t, t.Context(), job(t, "upscale_video", "", nil, map[string]string{"sourceVideoIndex": wide}), "more than")
}
