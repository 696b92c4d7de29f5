package cpu_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

func converted(t *testing.T, source string, args map[string]any, files map[string]string) []*image.RGBA {
	t.Helper()
	if files == nil {
		files = map[string]string{}
	}
	files["videoSourceIndex"] = source
	args["generateAudio"] = false
	_, frames := renderClip(t, film.BuiltIn, job(t, "video_to_video", "", args, files))
	return frames
}

// Edges stay as ink, and what lies between takes on the colours of the prompt.
func TestVideoToVideoCanny(t *testing.T) {
	t.Parallel()
	source := testClip{w: 96, h: 64, fps: 12, frames: 2, draw: func(img *image.RGBA, _ int) {
		plain(color.RGBA{210, 210, 210, 255})(img, 0)
		for y := 16; y < 48; y++ {
			for x := 32; x < 64; x++ {
				img.SetRGBA(x, y, color.RGBA{90, 90, 90, 255})
			}
		}
	}}.encodeWith(t, film.BuiltIn)
	frames := converted(t, source, map[string]any{"controlMode": "canny", "prompt": "a golden desert"}, nil)
	edge, wall, box := mean(frames[1], image.Rect(31, 20, 33, 44)), mean(frames[1], image.Rect(4, 20, 20, 44)), mean(frames[1], image.Rect(44, 26, 52, 38))
	if edge[0] > box[0]-20 || edge[0] > wall[0]-60 {
		t.Errorf("the edge is %v between %v and %v", edge, wall, box)
	}
	if wall[0] < wall[2]+10 && box[0] < box[2]+10 {
		t.Errorf("nothing is golden: %v and %v", wall, box)
	}
	relief := converted(t, source, map[string]any{"controlMode": "depth", "prompt": "a golden desert"}, nil)
	if d := differ(relief[1], frames[1]); d < 5 {
		t.Errorf("a relief is not ink: %.1f", d)
	}
}

// Noise is less afterwards and the picture is the same.
func TestVideoToVideoDetailer(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		seed := uint32(1)
		source := testClip{w: 96, h: 64, fps: 12, frames: 10, draw: func(img *image.RGBA, _ int) {
			for i := 0; i < len(img.Pix); i += 4 {
				seed = seed*1664525 + 1013904223
				v := uint8(120 + int(seed>>28) - 8)
				img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = v, v, v, 255
			}
		}}.encodeWith(t, e)
		_, frames := renderClip(t, e, job(t, "video_to_video", "", map[string]any{"controlMode": "detailer", "prompt": "clean", "generateAudio": false}, map[string]string{"videoSourceIndex": source}))
		if before, after := spread(framesOf(t, e, source)[9]), spread(frames[9]); after > 0.75*before {
			t.Errorf("the noise was %.2f and is %.2f", before, after)
		}
	})
}

// spread returns how far the pixels of a grey picture are from their mean.
func spread(img *image.RGBA) float64 {
	m := mean(img, img.Rect)[0]
	sum := 0.0
	for i := 0; i < len(img.Pix); i += 4 {
		d := float64(img.Pix[i]) - m
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(img.Pix)/4))
}

// A wider picture has the clip at its place, unchanged, and its colours around.
func TestVideoToVideoOutpaint(t *testing.T) {
	t.Parallel()
	source := testClip{w: 64, h: 64, fps: 12, frames: 2, draw: plain(green)}.encodeWith(t, film.BuiltIn)
	for position, inside := range map[string]image.Rectangle{"center": image.Rect(28, 8, 80, 56), "left": image.Rect(4, 8, 60, 56), "right": image.Rect(54, 8, 108, 56)} {
		frames := converted(t, source, map[string]any{"controlMode": "outpaint", "prompt": "wider", "outpaintAspectRatio": "16:9", "outpaintPosition": position}, nil)
		b := frames[0].Rect
		if b.Dx() != 112 || b.Dy() != 64 {
			t.Fatalf("it is %v", b)
		}
		if !near(frames[1], inside, green, 10) || !near(frames[1], b, green, 16) {
			t.Errorf("%s: inside %v, all %v", position, mean(frames[1], inside), mean(frames[1], b))
		}
	}
	refused(t, t.Context(), job(t, "video_to_video", "", map[string]any{"controlMode": "outpaint", "prompt": "x", "outpaintAspectRatio": "1:1"}, map[string]string{"videoSourceIndex": source}), "already")
}

// What a mask selects is filled from around, or painted.
func TestVideoToVideoInpaint(t *testing.T) {
	t.Parallel()
	hole := image.Rect(36, 20, 60, 44)
	source := testClip{w: 96, h: 64, fps: 12, frames: 3, draw: func(img *image.RGBA, _ int) {
		plain(blue)(img, 0)
		for y := hole.Min.Y + 2; y < hole.Max.Y-2; y++ {
			for x := hole.Min.X + 2; x < hole.Max.X-2; x++ {
				img.SetRGBA(x, y, red)
			}
		}
	}}.encodeWith(t, film.BuiltIn)
	mask := still(t, 96, 64, func(x, y int) color.Color {
		if image.Pt(x, y).In(hole) {
			return color.White
		}
		return color.Black
	})
	files := map[string]string{"maskImageIndex": mask}
	frames := converted(t, source, map[string]any{"controlMode": "inpaint", "prompt": "remove it"}, files)
	if !near(frames[2], hole, blue, 14) {
		t.Errorf("the hole is %v, want %v", mean(frames[2], hole), blue)
	}
	frames = converted(t, source, map[string]any{"controlMode": "inpaint", "prompt": "a yellow flower"}, files)
	if near(frames[2], hole, blue, 20) || near(frames[2], hole, red, 20) || !near(frames[2], image.Rect(0, 0, 30, 64), blue, 10) {
		t.Errorf("the flower is %v, and around it is %v", mean(frames[2], hole), mean(frames[2], image.Rect(0, 0, 30, 64)))
	}
	files["maskImageIndex"] = still(t, 8, 8, func(int, int) color.Color { return color.Black })
	refused(t, t.Context(), job(t, "video_to_video", "", map[string]any{"controlMode": "inpaint", "prompt": "x"}, map[string]string{"videoSourceIndex": source, "maskImageIndex": files["maskImageIndex"]}), "selects nothing")
}

// A clip is repainted as the prompt says; without words for it, it says so.
func TestVideoToVideoRestyle(t *testing.T) {
	t.Parallel()
	source := testClip{w: 96, h: 64, fps: 12, frames: 4, draw: sliding(2), sound: hum(0.33, 300, always)}.encodeWith(t, film.BuiltIn)
	was := framesOf(t, film.BuiltIn, source)
	night := converted(t, source, map[string]any{"prompt": "at night", "duration": 0.25}, nil)
	if len(night) != 3 || mean(night[2], night[2].Rect)[0] > 0.6*mean(was[2], was[2].Rect)[0] {
		t.Errorf("%d frames, from %v to %v", len(night), mean(was[2], was[2].Rect), mean(night[2], night[2].Rect))
	}
	oil := converted(t, source, map[string]any{"prompt": "oil painting"}, nil)
	if d := differ(was[2], oil[2]); d < 2 {
		t.Errorf("oil changes it by %.1f", d)
	}
	out, _ := renderClip(t, film.BuiltIn, job(t, "video_to_video", "", map[string]any{"prompt": "comic"}, map[string]string{"videoSourceIndex": source}))
	if readSound(t, film.BuiltIn, out.Path) == nil {
		t.Error("the sound is lost")
	}
	files := map[string]string{"videoSourceIndex": source}
	refused(t, t.Context(), job(t, "video_to_video", "", map[string]any{"prompt": "hm"}, files), "Name a style")
	for _, mode := range []string{"pose", "animate-move", "animate-replace"} {
		refused(t, t.Context(), job(t, "video_to_video", "", map[string]any{"prompt": "x", "controlMode": mode}, files), "connect a worker")
	}
}
