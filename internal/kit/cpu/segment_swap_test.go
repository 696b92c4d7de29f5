package cpu_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// The part between two moments is another's, and nothing else is.
func TestReplaceSegment(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		clip := testClip{w: 96, h: 64, fps: 12, frames: 24, draw: plain(red), sound: hum(2, 300, always)}.encodeWith(t, e)
		other := testClip{w: 96, h: 64, fps: 24, frames: 48, draw: plain(blue)}.encodeWith(t, e)
		files := map[string]string{"videoIndex": clip, "replacementVideoIndex": other}
		args := map[string]any{"startSeconds": 0.5, "endSeconds": 1.0, "keepOriginalAudio": false}
		out, frames := renderClip(t, e, job(t, "replace_video_segment", "", args, files))
		if len(frames) != 24 || out.DurationSeconds != 2 {
			t.Fatalf("%d frames, %v s", len(frames), out.DurationSeconds)
		}
		for i, img := range frames {
			want := red
			if i >= 6 && i < 12 {
				want = blue
			}
			if !near(img, img.Rect, want, 12) {
				t.Errorf("frame %d is %v, want %v", i, mean(img, img.Rect), want)
			}
		}
		l := readSound(t, e, out.Path).Loudness(4)
		if l[1] < 0.1 || l[2] > 0.06 || l[3] > 0.06 || l[5] < 0.1 {
			t.Errorf("levels by quarters of a second: %v; want silence from the second to the fourth", l)
		}
		args["keepOriginalAudio"] = true
		out, _ = renderClip(t, e, job(t, "replace_video_segment", "", args, files))
		if l := readSound(t, e, out.Path).Loudness(4); l[2] < 0.1 {
			t.Errorf("the original is not kept: %v", l)
		}
	})
}

// What is too short is slowed to fit, down to half; a prompt paints the part.
func TestReplaceSegmentFits(t *testing.T) {
	t.Parallel()
	clip := testClip{w: 64, h: 48, fps: 12, frames: 24, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	short := testClip{w: 64, h: 48, fps: 12, frames: 9, draw: plain(blue), sound: hum(0.75, 300, always)}.encodeWith(t, film.BuiltIn)
	files := map[string]string{"videoIndex": clip, "replacementVideoIndex": short}
	out, frames := renderClip(t, film.BuiltIn, job(t, "replace_video_segment", "", map[string]any{"startSeconds": 0.0, "endSeconds": 1.0}, files))
	if out.Metadata["speed"] != 0.75 || !near(frames[11], frames[11].Rect, blue, 12) || !near(frames[12], frames[12].Rect, red, 12) {
		t.Errorf("speed %v, frame 11 %v", out.Metadata["speed"], mean(frames[11], frames[11].Rect))
	}
	refused(t, t.Context(), job(t, "replace_video_segment", "", map[string]any{"startSeconds": 0.0, "endSeconds": 2.0}, files), "too short")
	refused(t, t.Context(), job(t, "replace_video_segment", "", map[string]any{"startSeconds": 5.0, "endSeconds": 6.0}, files), "nothing to replace")
	refused(t, t.Context(), job(t, "replace_video_segment", "", map[string]any{"startSeconds": 0.0, "endSeconds": 1.0, "replacementStartSeconds": 3.0}, files), "nothing from 3")
	delete(files, "replacementVideoIndex")
	_, frames = renderClip(t, film.BuiltIn, job(t, "replace_video_segment", "", map[string]any{"startSeconds": 0.5, "endSeconds": 1.5, "prompt": "a green meadow"}, files))
	if !near(frames[3], frames[3].Rect, red, 12) || near(frames[12], frames[12].Rect, red, 60) || !near(frames[20], frames[20].Rect, red, 12) {
		t.Errorf("frames 3, 12 and 20 are %v, %v, %v", mean(frames[3], frames[3].Rect), mean(frames[12], frames[12].Rect), mean(frames[20], frames[20].Rect))
	}
	refused(t, t.Context(), job(t, "replace_video_segment", "", map[string]any{"startSeconds": 0.5, "endSeconds": 1.5, "prompt": "zxqv"}, files), "Nothing in the prompt")
}
