package cpu_test

import (
	"image"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// The camera goes around: the subject is seen from the front first, narrower from
// the side, and the front is not seen from behind.
func TestOrbit(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	args := map[string]any{"angles": []any{"back view"}, "width": 96.0, "height": 96.0, "dialogue": "Hello."}
	out, frames := renderClip(t, film.BuiltIn, job(t, "orbit_video", "", args, map[string]string{"sourceImageIndex": figure(t)}))
	if len(frames) != 72 || out.DurationSeconds != 3 {
		t.Fatalf("%d frames, %v s", len(frames), out.DurationSeconds)
	}
	// The figure is red, and nothing else is.
	wide := func(img *image.RGBA) (n int) {
		for x := range 96 {
			p := img.Pix[img.PixOffset(x, 52):]
			if int(p[0]) > int(p[2])+50 {
				n++
			}
		}
		return n
	}
	front, side, back := wide(frames[0]), wide(frames[32]), wide(frames[71])
	if front < 10 || side >= front || side == 0 || back < front*2/3 {
		t.Errorf("it is %d pixels wide from the front, %d from the side, %d from behind", front, side, back)
	}
	c := readSound(t, film.BuiltIn, out.Path)
	if l := c.Loudness(10); max(l[3], l[4], l[5]) < 0.01 || l[29] > 0.01 {
		t.Errorf("levels by tenths of seconds: %v; want speech at the beginning", l)
	}
}

func TestOrbitsThatCannotBe(t *testing.T) {
	t.Parallel()
	files := map[string]string{"sourceImageIndex": figure(t)}
	for word, args := range map[string]map[string]any{
		"view":      {"angles": []any{"from the moon"}},
		"elevation": {"elevation": "underground"},
		"distance":  {"distance": "next door"},
		"no view 4": {"dialogue": "Hello.", "dialogueSegment": 4.0, "angles": []any{"back view"}},
		"2 lines":   {"dialogues": []any{"a", "b"}, "angles": []any{"back view"}},
		"are left":  {"dialogue": "This is a very long speech that cannot possibly be said within three short seconds, however fast one speaks it.", "angles": []any{"back view"}},
	} {
		args["width"], args["height"] = 64.0, 64.0
		refused(t, t.Context(), job(t, "orbit_video", "", args, files), word)
	}
	refused(t, t.Context(), job(t, "orbit_video", "", nil, nil), "picture")
}
