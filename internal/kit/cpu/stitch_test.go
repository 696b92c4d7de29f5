package cpu_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

func wav(t *testing.T, s *film.Sound) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound.wav")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := sound.WriteWAV(f, &sound.Clip{Rate: s.Rate, Channels: s.Channels, PCM: s.Samples}); err != nil {
		t.Fatal(err)
	}
	return path
}

// Clips follow each other in order, fitted to the first, with their sound.
func TestStitchJoins(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		one := testClip{w: 96, h: 64, fps: 12, frames: 6, draw: plain(red), sound: hum(0.5, 300, always)}.encodeWith(t, e)
		two := testClip{w: 64, h: 96, fps: 24, frames: 12, draw: plain(green)}.encodeWith(t, e)
		three := testClip{w: 48, h: 32, fps: 10, frames: 5, draw: plain(blue), sound: hum(0.5, 300, always)}.encodeWith(t, e)
		out, frames := renderClip(t, e, job(t, "stitch_video", "", nil, map[string]string{"videoIndices": one, "videoIndices#1": two, "videoIndices#2": three}))
		if len(frames) != 18 || out.Width != 96 || out.Height != 64 || math.Abs(out.DurationSeconds-1.5) > 1e-6 {
			t.Fatalf("%d frames, %dx%d, %v s", len(frames), out.Width, out.Height, out.DurationSeconds)
		}
		middle := image.Rect(40, 24, 56, 40)
		for i, want := range []color.RGBA{red, green, blue} {
			for _, n := range []int{6 * i, 6*i + 5} {
				if !near(frames[n], middle, want, 12) {
					t.Errorf("frame %d is %v, want %v", n, mean(frames[n], middle), want)
				}
			}
		}
		c := readSound(t, e, out.Path)
		l := c.Loudness(2)
		if len(l) < 3 || l[0] < 0.1 || l[1] > 0.05 || l[2] < 0.1 {
			t.Errorf("levels by half seconds: %v; want loud, silent, loud", l)
		}
		if d := c.Duration().Seconds(); math.Abs(d-1.5) > 0.08 {
			t.Errorf("the sound lasts %v s, want 1.5", d)
		}
	})
}

// Each transition does what its name says in the middle of its time.
func TestTransitions(t *testing.T) {
	t.Parallel()
	one := testClip{w: 96, h: 64, fps: 12, frames: 12, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	two := testClip{w: 96, h: 64, fps: 12, frames: 12, draw: plain(blue)}.encodeWith(t, film.BuiltIn)
	left, right, top, bottom := image.Rect(4, 8, 30, 56), image.Rect(66, 8, 92, 56), image.Rect(8, 4, 88, 20), image.Rect(8, 44, 88, 60)
	half := color.RGBA{125, 50, 125, 255}
	for kind, want := range map[string][4]color.RGBA{ // left, right, top, bottom
		"fade": {half, half, half, half}, "dissolve": {half, half, half, half},
		"wipeleft": {red, blue, {}, {}}, "wiperight": {blue, red, {}, {}},
		"slideup": {{}, {}, red, blue}, "slidedown": {{}, {}, blue, red},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			out, frames := renderClip(t, film.BuiltIn, job(t, "stitch_video", "", map[string]any{"transition": map[string]any{"type": kind, "durationSeconds": 0.5}}, map[string]string{"videoIndices": one, "videoIndices#1": two}))
			if len(frames) != 18 || out.DurationSeconds != 1.5 {
				t.Fatalf("%d frames, %v s; want 18 and 1.5", len(frames), out.DurationSeconds)
			}
			for i, part := range []image.Rectangle{left, right, top, bottom} {
				if want[i] != (color.RGBA{}) && !near(frames[9], part, want[i], 30) {
					t.Errorf("%v is %v in the middle, want %v", part, mean(frames[9], part), want[i])
				}
			}
			if !near(frames[4], frames[4].Rect, red, 12) || !near(frames[14], frames[14].Rect, blue, 12) {
				t.Error("before or after it, something else is seen than the clips")
			}
		})
	}
}

// A soundtrack lies under the whole, as long as the whole.
func TestStitchWithASoundtrack(t *testing.T) {
	t.Parallel()
	one := testClip{w: 64, h: 48, fps: 12, frames: 12, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	music := wav(t, hum(0.7, 440, always))
	out, _ := renderClip(t, film.BuiltIn, job(t, "stitch_video", "", map[string]any{"transition": map[string]any{"type": "fade"}}, map[string]string{"videoIndices": one, "videoIndices#1": one, "audioIndex": music}))
	c := readSound(t, film.BuiltIn, out.Path)
	if c == nil || math.Abs(c.Duration().Seconds()-1.5) > 0.02 {
		t.Fatalf("the soundtrack is %s", described(c))
	}
	for i, l := range c.Loudness(5)[:6] {
		if l < 0.05 {
			t.Errorf("it is silent in fifth %d: %v", i, l)
		}
	}
	refused(t, t.Context(), job(t, "stitch_video", "", map[string]any{"transition": map[string]any{"type": "flip"}}, map[string]string{"videoIndices": one}), "flip")
	refused(t, t.Context(), job(t, "stitch_video", "", nil, map[string]string{"videoIndices": one, "audioIndex": one}), "no sound")
}

// Every clip is let go of when it has passed: many can be joined.
func TestStitchMany(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	path := testClip{w: 32, h: 32, fps: 8, frames: 2, draw: plain(green)}.encodeWith(t, film.BuiltIn)
	for i := range 32 {
		name := "videoIndices"
		if i > 0 {
			name = fmt.Sprintf("videoIndices#%d", i)
		}
		files[name] = path
	}
	if _, frames := renderClip(t, film.BuiltIn, job(t, "stitch_video", "", nil, files)); len(frames) != 64 {
		t.Errorf("%d frames, want 64", len(frames))
	}
}
