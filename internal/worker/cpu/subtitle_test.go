package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/worker/cpu"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Subtitles are seen in their time, at their place, in their size.
func TestSubtitles(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		files := map[string]string{"sourceVideoIndex": footage{w: 192, h: 108, fps: 12, frames: 12, draw: plain(grey)}.shootOn(t, e)}
		args := map[string]any{"cues": []any{
			map[string]any{"startSeconds": 0.25, "endSeconds": 0.5, "text": "Good evening"},
			map[string]any{"startSeconds": 0.75, "endSeconds": 1.0, "text": "one"}, map[string]any{"startSeconds": 0.75, "endSeconds": 1.0, "text": "two"},
		}, "style": map[string]any{"fontSizePct": 12.0}}
		_, frames := made(t, e, job(t, "add_subtitles", "", args, files))
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
		_, frames = made(t, e, job(t, "add_subtitles", "", args, files))
		if b := changed(frames[4], grey); b.Max.Y > 40 {
			t.Errorf("on top it is at %v", b)
		}
	})
}

func abs(v int) int { return max(v, -v) }

func TestSubtitlesThatCannotBe(t *testing.T) {
	t.Parallel()
	files := map[string]string{"sourceVideoIndex": footage{w: 96, h: 64, fps: 12, frames: 6, draw: plain(grey)}.shootOn(t, film.Own)}
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

// SRT as people write it is read, and what is wrong with it is told by line.
func TestParseSRT(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"1\n00:00:01,000 --> 00:00:02,000\nHello": 1,
		"\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\nthere\r\n\r\n\r\n2\r\n0:00:03.5 --> 0:00:04.25\r\n<i>x</i>": 2,
		"00:00:01,000 --> 00:00:02,000 X1:10 X2:20\nno number\n":                                                          1,
	} {
		if n, err := cpu.ParseSRT(text); n != want || err != nil {
			t.Errorf("%q: %d subtitles, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{
		"", "\n\n", "1", "1\nHello", "1\n00:00:02,000 --> 00:00:01,000\nx", "1\n00:00:01,000 --> 00:00:02,000\n\n", "1\n00:99:01,000 --> 00:00:02,000\nx",
		"1\n00:00:01,000 -> 00:00:02,000\nx", "1\n00:00:01,000 --> 00:00:02,000\n<b></b>",
	} {
		if n, err := cpu.ParseSRT(text); err == nil {
			t.Errorf("%q gave %d subtitles", text, n)
		}
	}
}

func FuzzParseSRT(f *testing.F) {
	f.Add("1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\n<b>x</b>{\\an8}")
	f.Fuzz(func(t *testing.T, s string) {
		worktest.Limit(t, len(s), worktest.Bound{Base: 1 << 20, PerByte: 300}, func() {
			if n, err := cpu.ParseSRT(s); (err == nil) != (n > 0) {
				t.Errorf("%d subtitles and %v", n, err)
			}
		})
	})
}

// A thousand subtitles at the same time would take a thousand pictures.
func TestTooManySubtitlesAtOnce(t *testing.T) {
	t.Parallel()
	source := footage{w: 64, h: 64, fps: 12, frames: 2, draw: plain(red)}.shootOn(t, film.Own)
	var cues []any
	for i := range 500 {
		cues = append(cues, map[string]any{"startSeconds": 0.0, "endSeconds": 1.0, "text": fmt.Sprint("cue ", i)})
	}
	k := job(t, "add_subtitles", "", map[string]any{"cues": cues}, map[string]string{"sourceVideoIndex": source})
	if _, err := (cpu.Renderer{}).Render(cpu.WithEngine(t.Context(), film.Own), k); err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("it ended with %v", err)
	}
}
