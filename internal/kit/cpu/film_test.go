package cpu_test

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Clips are as long and as large as the catalog says for their model.
func TestSizeAndLengthOfAClip(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model string
		args  map[string]any
		w, h  int
		n     int
	}{
		{"", map[string]any{"width": 96.0, "height": 64.0, "duration": 0.5}, 96, 64, 12},
		{"", map[string]any{"width": 96.0, "aspectRatio": "3:2", "duration": 0.25}, 96, 64, 6},
		{"", map[string]any{"height": 64.0, "ratio": "1:1", "duration": 0.25}, 64, 64, 6},
	} {
		t.Run(fmt.Sprint(tc.args), func(t *testing.T) {
			t.Parallel()
			tc.args["prompt"], tc.args["generateAudio"] = "a red ball", false
			out, frames := renderClip(t, film.BuiltIn, job(t, "generate_video", tc.model, tc.args, nil))
			if out.Width != tc.w || out.Height != tc.h || len(frames) != tc.n || frames[0].Rect.Dx() != tc.w {
				t.Errorf("%dx%d with %d frames, want %dx%d with %d", out.Width, out.Height, len(frames), tc.w, tc.h, tc.n)
			}
		})
	}
	for _, args := range []map[string]any{{"width": 9000.0, "height": 9000.0}, {"duration": -1.0}, {"duration": 1e9}, {"width": 2.0, "height": 2.0}} {
		args["prompt"] = "x"
		refused(t, t.Context(), job(t, "generate_video", "", args, nil), "CPU renderer makes")
	}
}

// A clip of words has a sound that fits them, unless it shall be silent.
func TestClipsAreHeard(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	onEngines(t, func(t *testing.T, e film.Engine) {
		args := map[string]any{"prompt": `rain on the sea, a voice says "Hello."`, "duration": 1.5, "width": 64.0, "height": 48.0}
		out, _ := renderClip(t, e, job(t, "generate_video", "", args, nil))
		c := readSound(t, e, out.Path)
		if c == nil || c.LUFS() < -45 || c.Duration().Seconds() < 1.4 || c.Duration().Seconds() > 1.6 {
			t.Fatalf("it sounds like %s", described(c))
		}
		if got := fmt.Sprint(out.Metadata["heard"]); got != "[rain sea voice: serena]" {
			t.Errorf("heard %s", got)
		}
		args["generateAudio"] = false
		out, _ = renderClip(t, e, job(t, "generate_video", "", args, nil))
		if readSound(t, e, out.Path) != nil {
			t.Error("it is heard though it shall be silent")
		}
	})
}

// References lead a clip: a clip opens it, a subject is put into it, a sound is
// readSound in it.
func TestReferences(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	args := map[string]any{"prompt": "a castle on a hill", "duration": 1.0, "width": 96.0, "height": 64.0, "generateAudio": false}
	opening := testClip{w: 48, h: 32, fps: 12, frames: 12, draw: plain(color.RGBA{250, 0, 250, 255})}.encodeWith(t, film.BuiltIn)
	_, frames := renderClip(t, film.BuiltIn, job(t, "generate_video", "", args, map[string]string{"referenceVideoIndices": opening}))
	middle := image.Rect(20, 20, 70, 44)
	if !near(frames[0], middle, color.RGBA{250, 0, 250, 255}, 25) || near(frames[23], middle, color.RGBA{250, 0, 250, 255}, 90) {
		t.Errorf("it begins with %v and ends with %v", mean(frames[0], middle), mean(frames[23], middle))
	}
	alone, with := func() (a, b []*image.RGBA) {
		_, a = renderClip(t, film.BuiltIn, job(t, "generate_video", "", args, nil))
		_, b = renderClip(t, film.BuiltIn, job(t, "generate_video", "", args, map[string]string{"referenceImageIndices": figure(t)}))
		return a, b
	}()
	if d := differ(alone[20], with[20]); d < 4 {
		t.Errorf("a reference changes the clip by %.2f only", d)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte("<html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, t.Context(), job(t, "generate_video", "", args, map[string]string{"referenceLinkUrl": path}), "no picture")
}

// A clip shows its keyframes at their moments.
func TestKeyframes(t *testing.T) {
	t.Parallel()
	args := map[string]any{"prompt": "colours", "duration": 1.0, "width": 64.0, "height": 64.0, "generateAudio": false, "keyframes": []any{
		map[string]any{"atSeconds": 0.0}, map[string]any{"atSeconds": 0.5}, map[string]any{"atSeconds": 1.0},
	}}
	one := func(c color.RGBA) string { return still(t, 40, 40, func(int, int) color.Color { return c }) }
	files := map[string]string{"keyframes[0].imageIndex": one(red), "keyframes[1].imageIndex": one(green), "keyframes[2].imageIndex": one(blue)}
	_, frames := renderClip(t, film.BuiltIn, job(t, "generate_video", "minimax", args, files))
	all := frames[0].Rect
	for at, want := range map[int]color.RGBA{0: red, 12: green, 23: blue} {
		if !near(frames[at], all, want, 14) {
			t.Errorf("frame %d is %v, want %v", at, mean(frames[at], all), want)
		}
	}
	delete(files, "keyframes[1].imageIndex")
	refused(t, t.Context(), job(t, "generate_video", "", args, files), "missing")
}
