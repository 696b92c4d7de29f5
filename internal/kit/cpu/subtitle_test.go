package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// Subtitles are seen in their time, at their place, in their size.
func TestSubtitles(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		files := map[string]string{"sourceVideoIndex": testClip{w: 192, h: 108, fps: 12, frames: 12, draw: plain(grey)}.encodeWith(t, e)}
		args := map[string]any{"cues": []any{
			map[string]any{"startSeconds": 0.25, "endSeconds": 0.5, "text": "Good evening"},
			map[string]any{"startSeconds": 0.75, "endSeconds": 1.0, "text": "one"}, map[string]any{"startSeconds": 0.75, "endSeconds": 1.0, "text": "two"},
		}, "style": map[string]any{"fontSizePct": 12.0}}
		_, frames := renderClip(t, e, job(t, "add_subtitles", "", args, files))
		if b := changed(frames[1], grey); !b.Empty() {
			t.Errorf("before its time there is something at %v", b)
		}
		one := changed(frames[4], grey)
		if one.Min.Y < 80 || one.Max.Y > 106 || one.Dx() < 50 || one.Min.X < 10 || abs(one.Min.X+one.Max.X-192) > 8 {
			t.Errorf("the subtitle is at %v", one)
		}
		if b := changed(frames[7], grey); !b.Empty() {
			t.Errorf("after its time there is something at %v", b)
		}
		if two := changed(frames[10], grey); two.Dy() < one.Dy()*3/2 {
			t.Errorf("two at once are %v high, one is %v", two.Dy(), one.Dy())
		}
		args["style"] = map[string]any{"fontSizePct": 12.0, "position": "top", "color": "#FF0000"}
		_, frames = renderClip(t, e, job(t, "add_subtitles", "", args, files))
		if b := changed(frames[4], grey); b.Max.Y > 40 {
			t.Errorf("on top it is at %v", b)
		}
	})
}

func abs(v int) int { return max(v, -v) }

func TestSubtitlesThatCannotBe(t *testing.T) {
	t.Parallel()
	files := map[string]string{"sourceVideoIndex": testClip{w: 96, h: 64, fps: 12, frames: 6, draw: plain(grey)}.encodeWith(t, film.BuiltIn)}
	for word, args := range map[string]map[string]any{
		"speech":      {"auto_transcribe": true},
		"cues or srt": {},
		"after that":  {"srt": "1\n00:01:00,000 --> 00:01:01,000\nlate"},
		"letters":     {"srt": "1\n00:00:00,000 --> 00:00:01,000\n你好"},
		"before it":   {"cues": []any{map[string]any{"startSeconds": 1.0, "endSeconds": 0.5, "text": "x"}}},
		"colour":      {"srt": "1\n00:00:00,000 --> 00:00:01,000\nx", "style": map[string]any{"color": "blue-ish"}},
	} {
		refused(t, t.Context(), job(t, "add_subtitles", "", args, files), word)
	}
}

// A thousand subtitles at the same time would take a thousand pictures.
func TestTooManySubtitlesAtOnce(t *testing.T) {
	t.Parallel()
	source := testClip{w: 64, h: 64, fps: 12, frames: 2, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	var cues []any
	for i := range 500 {
		cues = append(cues, map[string]any{"startSeconds": 0.0, "endSeconds": 1.0, "text": fmt.Sprint("cue ", i)})
	}
	k := job(t, "add_subtitles", "", map[string]any{"cues": cues}, map[string]string{"sourceVideoIndex": source})
	if _, err := (cpu.Renderer{Engine: film.BuiltIn}).Render(t.Context(), k); err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("it ended with %v", err)
	}
}
