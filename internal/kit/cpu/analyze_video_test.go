package cpu_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// An analysis tells cuts, colours, motion and loudness as they are.
func TestAnalyzeVideo(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		source := testClip{w: 160, h: 96, fps: 12, frames: 36, sound: hum(3, 300, func(at float64) float64 { return math.Floor(at/2) * 0.5 }), draw: func(img *image.RGBA, i int) {
			switch {
			case i < 12:
				plain(red)(img, i)
			case i < 24:
				plain(blue)(img, i)
			default:
				sliding(3)(img, i-24)
			}
		}}.encodeWith(t, e)
		k := job(t, "analyze_video", "", map[string]any{"query": "What is it?", "analysisType": "timeline"}, map[string]string{"sourceVideoIndex": source})
		k.Artifacts[0].ContentType = "application/json"
		out, err := cpu.Renderer{Engine: e}.Render(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(out[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Query, Summary, Limits string
			Facts                  struct {
				DurationSeconds, FPS float64
				Width, Height        int
				Sound                struct{ SilentShare float64 }
			}
			Shots []struct {
				StartSeconds, EndSeconds, Motion float64
				Camera                           string
				Palette                          []struct{ Name string }
			}
			Timeline []struct{ AtSeconds, Loudness float64 }
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if got.Query != "What is it?" || got.Facts.DurationSeconds != 3 || got.Facts.FPS != 12 || got.Facts.Width != 160 || got.Limits == "" {
			t.Errorf("facts: %+v", got)
		}
		if len(got.Shots) != 3 || got.Shots[1].StartSeconds != 1 || got.Shots[2].StartSeconds != 2 || got.Shots[2].EndSeconds != 3 {
			t.Fatalf("shots: %+v", got.Shots)
		}
		if got.Shots[0].Palette[0].Name != "red" || got.Shots[1].Palette[0].Name != "blue" || got.Shots[2].Motion < 2*got.Shots[0].Motion+0.005 || got.Shots[2].Camera != "pans left" {
			t.Errorf("shots: %+v", got.Shots)
		}
		if l := got.Timeline; len(l) != 6 || l[0].Loudness > 0.01 || l[4].Loudness < 0.1 {
			t.Errorf("timeline: %+v", l)
		}
		if !strings.Contains(got.Summary, "3 shots") || math.Abs(got.Facts.Sound.SilentShare-0.667) > 0.2 {
			t.Errorf("summary: %s", got.Summary)
		}
	})
	source := testClip{w: 32, h: 32, fps: 10, frames: 2, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	k := job(t, "analyze_video", "", map[string]any{"query": "Read it", "analysisType": "ocr"}, map[string]string{"sourceVideoIndex": source})
	refused(t, t.Context(), k, "cannot read writing")
}
