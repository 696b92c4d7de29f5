package cpu_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// A picture follows the sound: bright and near when it is loud, calm when not,
// and the sound is in the clip.
func TestSoundToVideoFollows(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		// Loud in every other quarter of a second.
		beat := func(at float64) float64 { return float64(int(at*4)%2) * 0.8 }
		music := wav(t, hum(3, 330, beat))
		picture := still(t, 96, 64, func(x, y int) color.Color { return color.RGBA{uint8(60 + x), 110, uint8(60 + y), 255} })
		args := map[string]any{"prompt": "a static camera", "duration": 1.5, "width": 96.0, "height": 64.0}
		out, frames := renderClip(t, e, job(t, "sound_to_video", "", args, map[string]string{"audioSourceIndex": music, "sourceImageIndex": picture}))
		if len(frames) != 36 {
			t.Fatalf("%d frames, want 36", len(frames))
		}
		c := readSound(t, e, out.Path)
		loud := c.Loudness(24)
		var light []float64
		for _, img := range frames {
			light = append(light, mean(img, image.Rect(20, 16, 76, 48))[1])
		}
		if r := correlation(loud[:36], light); r < 0.6 {
			t.Errorf("light and loudness correlate by %.2f only", r)
		}
		if math.Abs(c.Duration().Seconds()-1.5) > 0.08 {
			t.Errorf("the sound lasts %v", c.Duration())
		}
	})
}

// correlation returns Pearson's.
func correlation(a, b []float64) float64 {
	var ma, mb, sab, saa, sbb float64
	n := float64(len(a))
	for i := range a {
		ma, mb = ma+a[i]/n, mb+b[i]/n
	}
	for i := range a {
		sab, saa, sbb = sab+(a[i]-ma)*(b[i]-mb), saa+(a[i]-ma)*(a[i]-ma), sbb+(b[i]-mb)*(b[i]-mb)
	}
	return sab / math.Sqrt(saa*sbb+1e-12)
}

// The sound begins where it shall, and a clip without a picture paints its prompt.
func TestSoundToVideoBegins(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	music := wav(t, hum(2, 330, func(at float64) float64 {
		if at < 1 {
			return 0.8
		}
		return 0
	}))
	args := map[string]any{"prompt": "a red ball", "duration": 1.0, "audioStart": 0.75, "width": 64.0, "height": 48.0}
	files := map[string]string{"audioSourceIndex": music}
	out, frames := renderClip(t, film.BuiltIn, job(t, "sound_to_video", "", args, files))
	if l := readSound(t, film.BuiltIn, out.Path).Loudness(4); l[0] < 0.2 || l[2] > 0.01 || len(frames) != 24 {
		t.Errorf("levels by quarters: %v, %d frames", l, len(frames))
	}
	args["audioStart"] = 5.0
	refused(t, t.Context(), job(t, "sound_to_video", "", args, files), "cannot begin")
	refused(t, t.Context(), job(t, "sound_to_video", "", args, nil), "needs a sound")
	silent := testClip{w: 32, h: 32, fps: 10, frames: 5, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	refused(t, t.Context(), job(t, "sound_to_video", "", args, map[string]string{"audioSourceIndex": silent}), "no sound")
}
