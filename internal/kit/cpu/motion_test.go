package cpu_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// stripes returns a picture with something to see everywhere.
func stripes(t *testing.T, a, b color.RGBA) string {
	return still(t, 96, 64, func(x, y int) color.Color {
		if (x/8+y/8)%2 == 0 {
			return a
		}
		return b
	})
}

func photoArgs(more map[string]any) map[string]any {
	args := map[string]any{"prompt": "the camera drifts", "duration": 0.5, "width": 96.0, "height": 64.0, "generateAudio": false}
	for k, v := range more {
		args[k] = v
	}
	return args
}

// A photo is the first frame of its clip, or the last, or the way to another.
func TestAnimateFollowsItsRole(t *testing.T) {
	t.Parallel()
	first, end := stripes(t, red, grey), stripes(t, blue, green)
	_, a := renderClip(t, film.BuiltIn, job(t, "animate_photo", "", photoArgs(nil), map[string]string{"sourceImageIndex": first}))
	_, b := renderClip(t, film.BuiltIn, job(t, "animate_photo", "", photoArgs(map[string]any{"frameRole": "end"}), map[string]string{"sourceImageIndex": first}))
	_, c := renderClip(t, film.BuiltIn, job(t, "animate_photo", "", photoArgs(map[string]any{"frameRole": "both"}), map[string]string{"sourceImageIndex": first, "endImageIndex": end}))
	last := len(a) - 1
	if d := differ(a[0], b[last]); d > 8 {
		t.Errorf("the first frame of start and the last of end differ by %.1f", d)
	}
	if d := differ(a[0], a[last]); d < 10 {
		t.Errorf("nothing moves: %.1f", d)
	}
	if d := differ(a[0], c[0]); d > 8 {
		t.Errorf("both does not begin with the picture: %.1f", d)
	}
	if !near(c[last], c[last].Rect, color.RGBA{45, 115, 135, 255}, 12) {
		t.Errorf("both ends with %v", mean(c[last], c[last].Rect))
	}
	refused(t, t.Context(), job(t, "animate_photo", "", photoArgs(map[string]any{"frameRole": "both"}), map[string]string{"sourceImageIndex": first}), "end image")
}

// Several pictures and prompts make a clip each.
func TestAnimateFansOut(t *testing.T) {
	t.Parallel()
	k := job(t, "animate_photo", "", photoArgs(map[string]any{"prompts": []any{"zoom in", "pan left"}}), map[string]string{"sourceImageIndices": stripes(t, red, grey), "sourceImageIndices#1": stripes(t, blue, green)})
	k.Artifacts = append(k.Artifacts, apitype.AssignmentArtifact{ID: "a1", ContentType: "video/mp4"})
	out, err := cpu.Renderer{Engine: film.BuiltIn}.Render(t.Context(), k)
	if err != nil || len(out) != 2 {
		t.Fatalf("%d clips, %v", len(out), err)
	}
	for i, want := range []struct {
		camera string
		mean   color.RGBA
	}{{"zoom in", color.RGBA{160, 80, 80, 255}}, {"pan left", color.RGBA{45, 115, 135, 255}}} {
		frames := framesOf(t, film.BuiltIn, out[i].Path)
		if out[i].Metadata["camera"] != want.camera || !near(frames[0], frames[0].Rect, want.mean, 14) {
			t.Errorf("clip %d: %v, %v; want %v", i, out[i].Metadata["camera"], mean(frames[0], frames[0].Rect), want)
		}
	}
}

// What a prompt says happens: snow is white, nightfall is dark, a still camera
// stands still.
func TestPromptsHaveEffects(t *testing.T) {
	t.Parallel()
	source := map[string]string{"sourceImageIndex": still(t, 96, 64, func(x, y int) color.Color { return color.RGBA{90, uint8(100 + x/4), 110, 255} })}
	clip := func(prompt string) []*image.RGBA {
		_, frames := renderClip(t, film.BuiltIn, job(t, "animate_photo", "", photoArgs(map[string]any{"prompt": prompt}), source))
		return frames
	}
	calm, snow, night := clip("static camera"), clip("static camera, snow falls"), clip("static camera, night falls")
	last := len(calm) - 1
	if d := differ(calm[0], calm[last]); d > 3 {
		t.Errorf("a static camera moves: %.1f", d)
	}
	if a, b := mean(calm[last], calm[last].Rect), mean(snow[last], snow[last].Rect); b[0] < a[0]+1 {
		t.Errorf("snow does not lighten: %v and %v", a, b)
	}
	if a, b := mean(night[0], night[0].Rect), mean(night[last], night[last].Rect); b[0] > 0.6*a[0] {
		t.Errorf("night does not fall: %v and %v", a, b)
	}
}

// A camera that comes closer keeps the subject in the frame.
func TestTheZoomFindsTheSubject(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 160, 160))
	for i := range 160 * 160 {
		x, y := i%160, i/160
		c := color.NRGBA{90, 160, 90, 255}
		if (image.Point{x, y}).In(image.Rect(112, 20, 150, 58)) {
			c = color.NRGBA{220, 30, 30, 255}
		}
		img.SetNRGBA(x, y, c)
	}
	k := job(t, "animate_photo", "", map[string]any{"prompt": "zoom in", "duration": 1.0, "targetResolution": 160.0, "generateAudio": false},
		map[string]string{"sourceImageIndex": file(t, pngOf(t, img))})
	_, frames := renderClip(t, film.BuiltIn, k)
	last := frames[len(frames)-1]
	red := 0
	for i := 0; i < len(last.Pix); i += 4 {
		if last.Pix[i] > 150 && last.Pix[i+1] < 100 {
			red++
		}
	}
	// All of it is seen, more than half as large again.
	if share, before := float64(red)/float64(len(last.Pix)/4), 38.0*38/160/160; share < 1.6*before {
		t.Errorf("the subject has %.3f of the last frame, want more than %.3f", share, 1.6*before)
	}
}
