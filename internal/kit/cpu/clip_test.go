package cpu_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/worktest"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
)

// engines returns those that this machine has.
func engines() []film.Engine {
	if film.Available() {
		return []film.Engine{film.BuiltIn, film.FFmpeg}
	}
	return []film.Engine{film.BuiltIn}
}

// onEngines runs a test with each of them.
func onEngines(t *testing.T, do func(t *testing.T, e film.Engine)) {
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			do(t, e)
		})
	}
}

// testClip is a clip for tests.
type testClip struct {
	w, h, fps, den, frames int
	sound                  *film.Sound
	draw                   func(img *image.RGBA, i int)
}

// encodeWith writes it with an engine and returns its path.
func (f testClip) encodeWith(t *testing.T, e film.Engine) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clip.mp4")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	img := image.NewRGBA(image.Rect(0, 0, f.w, f.h))
	_, err = film.Write(t.Context(), out, film.Options{Width: f.w, Height: f.h, FPS: f.fps, Den: f.den, Frames: f.frames, Sound: f.sound, Engine: e},
		func(i int) (image.Image, error) { f.draw(img, i); return img, nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// plain fills a picture with a colour.
func plain(c color.RGBA) func(*image.RGBA, int) {
	return func(img *image.RGBA, _ int) {
		for i := 0; i < len(img.Pix); i += 4 {
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = c.R, c.G, c.B, 255
		}
	}
}

var red, green, blue, grey = color.RGBA{200, 40, 40, 255}, color.RGBA{40, 170, 60, 255}, color.RGBA{50, 60, 210, 255}, color.RGBA{120, 120, 120, 255}

// hum returns a tone that is loud in some seconds only.
func hum(seconds, hz float64, loud func(at float64) float64) *film.Sound {
	s := &film.Sound{Rate: 48000, Channels: 2}
	for i := range int(seconds * 48000) {
		at := float64(i) / 48000
		v := int16(20000 * loud(at) * math.Sin(2*math.Pi*hz*at))
		s.Samples = append(s.Samples, v, v)
	}
	return s
}

func always(float64) float64 { return 0.5 }

// still writes a picture.
func still(t *testing.T, w, h int, at func(x, y int) color.Color) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, at(x, y))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "still.png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// figure returns a picture with a body that stands out from an even wall.
func figure(t *testing.T) string {
	return still(t, 96, 128, func(x, y int) color.Color {
		dx, dy := float64(x-48)/22, float64(y-44)/22
		body := y > 50 && y < 116 && math.Abs(float64(x-48)) < 14+8*math.Sin(float64(y)/9)
		if dx*dx+dy*dy < 1 || body {
			return color.NRGBA{200, uint8(60 + y), 50, 255}
		}
		return color.NRGBA{uint8(120 + y/6), 170, 200, 255}
	})
}

// job returns a render with one artifact.
func job(t *testing.T, tool, model string, args map[string]any, files map[string]string) worker.Task {
	t.Helper()
	k := task(t, tool, model, "video/mp4", args)
	k.Files = files
	return k
}

// renderClip renders a job on an engine and opens the first result.
func renderClip(t *testing.T, e film.Engine, k worker.Task) (worker.Output, []*image.RGBA) {
	t.Helper()
	out, err := cpu.Renderer{Engine: e}.Render(t.Context(), k)
	if err != nil {
		t.Fatalf("%s: %v", k.ToolName, err)
	}
	if len(out) != len(k.Artifacts) {
		t.Fatalf("%s: %d outputs for %d artifacts", k.ToolName, len(out), len(k.Artifacts))
	}
	return out[0], framesOf(t, e, out[0].Path)
}

func framesOf(t *testing.T, e film.Engine, path string) []*image.RGBA {
	t.Helper()
	var all []*image.RGBA
	for img, err := range film.Frames(t.Context(), path, e) {
		if err != nil {
			t.Fatal(err)
		}
		keep := image.NewRGBA(img.Rect)
		copy(keep.Pix, img.Pix)
		all = append(all, keep)
	}
	return all
}

// readSound returns the sound of a clip, nil for none.
func readSound(t *testing.T, e film.Engine, path string) *sound.Clip {
	t.Helper()
	s, err := film.ReadSound(t.Context(), path, e, 60)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		return nil
	}
	return &sound.Clip{Rate: s.Rate, Channels: s.Channels, PCM: s.Samples}
}

// described is a clip without its samples.
func described(c *sound.Clip) string {
	if c == nil {
		return "nothing"
	}
	return fmt.Sprintf("%v of %d channels at %d Hz, %.1f LUFS", c.Duration(), c.Channels, c.Rate, c.LUFS())
}

// refused renders what cannot be made and wants a failure that says a word.
func refused(t *testing.T, ctx context.Context, k worker.Task, word string) {
	t.Helper()
	refusedBy(t, cpu.Renderer{}, ctx, k, word)
}

func refusedBy(t *testing.T, r cpu.Renderer, ctx context.Context, k worker.Task, word string) {
	t.Helper()
	out, err := r.Render(ctx, k)
	if err == nil {
		t.Errorf("%s %v made %d files", k.ToolName, k.Arguments, len(out))
		return
	}
	if !strings.Contains(err.Error(), word) {
		t.Errorf("%s failed with %q, which does not say %q", k.ToolName, err, word)
	}
}

// near reports whether a part of a picture has about a colour.
func near(img *image.RGBA, b image.Rectangle, c color.RGBA, off float64) bool {
	m := mean(img, b)
	return math.Abs(m[0]-float64(c.R)) < off && math.Abs(m[1]-float64(c.G)) < off && math.Abs(m[2]-float64(c.B)) < off
}

func mean(img *image.RGBA, b image.Rectangle) (sum [3]float64) {
	n := 0.0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			p := img.Pix[img.PixOffset(x, y):]
			for c := range 3 {
				sum[c] += float64(p[c])
			}
			n++
		}
	}
	for c := range 3 {
		sum[c] /= n
	}
	return sum
}

// differ returns the mean difference of two pictures.
func differ(a, b *image.RGBA) float64 {
	sum := 0.0
	for i := range a.Pix {
		sum += math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
	}
	return sum / float64(len(a.Pix)) * 4 / 3
}

// A job that asks for the last frame as well gets it: it is what the clip ends
// with.
func TestLastFrame(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		k := job(t, "generate_video", "", map[string]any{"prompt": "a boat on the sea", "duration": 0.25, "width": 96.0, "height": 64.0, "generateAudio": false}, nil)
		k.Artifacts = []apitype.AssignmentArtifact{{ID: "a", ContentType: "video/mp4"}, {ID: "b", ContentType: "video/quicktime"}, {ID: "a-lastFrame", ContentType: "image/png"}, {ID: "b-lastFrame", ContentType: "image/png"}}
		out, err := cpu.Renderer{Engine: e}.Render(t.Context(), k)
		if err != nil || len(out) != 4 {
			t.Fatalf("%d outputs, %v", len(out), err)
		}
		for i := 0; i < 4; i += 2 {
			f, err := os.Open(out[i+1].Path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			img, err := png.Decode(f)
			if err != nil {
				t.Fatal(err)
			}
			last := framesOf(t, e, out[i].Path)
			whole := image.NewRGBA(img.Bounds())
			for y := range 64 {
				for x := range 96 {
					whole.Set(x, y, img.At(x, y))
				}
			}
			if out[i+1].ID != out[i].ID+"-lastFrame" || differ(whole, last[len(last)-1]) > 6 {
				t.Errorf("%s is not the last frame of %s: they differ by %.1f", out[i+1].ID, out[i].ID, differ(whole, last[len(last)-1]))
			}
		}
		if out[0].Seed == out[2].Seed {
			t.Error("two variations have one seed")
		}
	})
}

// Every tool that reads a clip says plainly when it gets none, or something else.
func TestToolsThatReadAClip(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("not a clip"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, argument := range map[string]string{
		"video_to_video": "videoSourceIndex", "extend_video": "videoIndex", "replace_video_segment": "videoIndex", "stitch_video": "videoIndices",
		"upscale_video": "sourceVideoIndex", "overlay_video": "sourceVideoIndex", "add_subtitles": "sourceVideoIndex", "analyze_video": "sourceVideoIndex",
	} {
		args := map[string]any{
			"prompt": "oil painting", "duration": 2.0, "startSeconds": 0.0, "endSeconds": 1.0, "srt": "1\n00:00:00,000 --> 00:00:01,000\nx", "query": "?",
			"overlays": []any{map[string]any{"kind": "text", "text": "x"}},
		}
		k := job(t, tool, "", args, nil)
		if tool == "analyze_video" {
			k.Artifacts[0].ContentType = "application/json"
		}
		refused(t, t.Context(), k, "needs")
		k.Files = map[string]string{argument: text}
		for _, e := range engines() {
			refusedBy(t, cpu.Renderer{Engine: e}, t.Context(), k, "read")
		}
	}
}

// A render that is cancelled ends, and leaves nothing running.
func TestCancelStopsEveryTool(t *testing.T) {
	t.Parallel()
	source := testClip{w: 96, h: 64, fps: 24, frames: 12, draw: plain(red)}.encodeWith(t, film.BuiltIn)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, argument := range map[string]string{"video_to_video": "videoSourceIndex", "extend_video": "videoIndex", "stitch_video": "videoIndices", "upscale_video": "sourceVideoIndex", "analyze_video": "sourceVideoIndex"} {
		k := job(t, tool, "", map[string]any{"prompt": "oil painting", "duration": 2.0, "query": "?"}, map[string]string{argument: source})
		if tool == "analyze_video" {
			k.Artifacts[0].ContentType = "application/json"
		}
		if _, err := (cpu.Renderer{Engine: film.BuiltIn}).Render(ctx, k); err == nil {
			t.Errorf("%s went on to the end", tool)
		}
	}
}

// The same job makes the same file, whatever the number of processors did.
func TestSameJobSameClip(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	source := testClip{w: 96, h: 64, fps: 12, frames: 8, draw: sliding(2), sound: hum(0.66, 300, always)}.encodeWith(t, film.BuiltIn)
	music := wav(t, hum(1, 330, always))
	for _, k := range []worker.Task{
		job(t, "extend_video", "", map[string]any{"duration": 0.5, "prompt": "snow falls"}, map[string]string{"videoIndex": source}),
		job(t, "video_to_video", "", map[string]any{"controlMode": "canny", "prompt": "a forest"}, map[string]string{"videoSourceIndex": source}),
		job(t, "sound_to_video", "", map[string]any{"prompt": "sparks", "duration": 0.5, "width": 64.0, "height": 48.0}, map[string]string{"audioSourceIndex": music, "sourceImageIndex": figure(t)}),
		job(t, "stitch_video", "", map[string]any{"transition": map[string]any{"type": "dissolve", "durationSeconds": 0.3}}, map[string]string{"videoIndices": source, "videoIndices#1": source}),
	} {
		var first []byte
		for range 2 {
			out, err := cpu.Renderer{Engine: film.BuiltIn}.Render(t.Context(), k)
			if err != nil {
				t.Fatalf("%s: %v", k.ToolName, err)
			}
			data, err := os.ReadFile(out[0].Path)
			if err != nil {
				t.Fatal(err)
			}
			if first != nil && !bytes.Equal(first, data) {
				t.Errorf("%s: the same job made another file", k.ToolName)
			}
			first = data
		}
	}
}
