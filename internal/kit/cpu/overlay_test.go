package cpu_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// changed returns where a frame differs from a plain colour.
func changed(img *image.RGBA, c color.RGBA) image.Rectangle {
	var b image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			p := img.Pix[img.PixOffset(x, y):]
			d := 0
			for k, v := range []uint8{c.R, c.G, c.B} {
				d = max(d, int(p[k])-int(v), int(v)-int(p[k]))
			}
			if d > 40 {
				b = b.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return b
}

// Texts and pictures lie where and when they shall, and the sound stays as it is.
func TestOverlays(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		tone := hum(1, 300, always)
		clip := testClip{w: 160, h: 96, fps: 12, frames: 12, draw: plain(grey), sound: tone}.encodeWith(t, e)
		logo := still(t, 20, 10, func(int, int) color.Color { return red })
		args := map[string]any{"overlays": []any{
			map[string]any{"kind": "text", "text": "Hi", "position": "bottom-left", "startSeconds": 0.5, "endSeconds": 0.75},
			map[string]any{"kind": "image", "position": "top-right", "offsetX": -6.0, "offsetY": 2.0, "endSeconds": 0.5, "styling": map[string]any{"width": 40.0}},
		}}
		out, frames := renderClip(t, e, job(t, "overlay_video", "", args, map[string]string{"sourceVideoIndex": clip, "overlays[1].sourceImageIndex": logo}))
		if len(frames) != 12 || out.Width != 160 {
			t.Fatalf("%d frames, %d wide", len(frames), out.Width)
		}
		if b := changed(frames[2], grey); b.Min.X < 106 || b.Max.X > 152 || b.Min.Y < 4 || b.Max.Y > 29 || b.Dx() < 36 {
			t.Errorf("the picture is at %v", b)
		}
		if b := changed(frames[7], grey); b.Max.X > 60 || b.Min.Y < 70 || b.Empty() {
			t.Errorf("the text is at %v", b)
		}
		if b := changed(frames[10], grey); !b.Empty() {
			t.Errorf("something is left at %v", b)
		}
		if c := readSound(t, e, out.Path); e == film.BuiltIn && !slices.Equal(c.PCM, tone.Samples) {
			t.Error("the sound has changed")
		}
	})
}

func TestOverlaysThatCannotBe(t *testing.T) {
	t.Parallel()
	files := map[string]string{"sourceVideoIndex": testClip{w: 96, h: 64, fps: 12, frames: 6, draw: plain(grey)}.encodeWith(t, film.BuiltIn)}
	for word, o := range map[string]map[string]any{
		"neither":  {"kind": "sound"},
		"missing":  {"kind": "image"},
		"letters":  {"kind": "text", "text": "你好"},
		"begins":   {"kind": "text", "text": "late", "startSeconds": 3.0},
		"glitter":  {"kind": "text", "text": "x", "styling": map[string]any{"glitter": true}},
		"color ca": {"kind": "text", "text": "x", "styling": map[string]any{"color": "reddish"}},
		"pixels":   {"kind": "text", "text": "x", "styling": map[string]any{"fontSize": 5000.0}},
	} {
		refused(t, t.Context(), job(t, "overlay_video", "", map[string]any{"overlays": []any{o}}, files), word)
	}
	refused(t, t.Context(), job(t, "overlay_video", "", nil, files), "something")
}
