package cpu_test

import (
	"image"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/worktest"
)

// agreement returns how much of two areas together they have in common.
func agreement(b image.Rectangle, got, want func(x, y int) bool) float64 {
	both, either := 0, 0
	for y := range b.Dy() {
		for x := range b.Dx() {
			p, q := got(x, y), want(x, y)
			if p && q {
				both++
			}
			if p || q {
				either++
			}
		}
	}
	return float64(both) / float64(max(either, 1))
}

func TestRemoveBackground(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 96, 72))
	for y := range 72 {
		for x := range 96 {
			c := scene(1, 1).NRGBAAt(0, 0)
			c.R, c.G, c.B = uint8(90+x/3), uint8(150-y/4), uint8(190-x/4)
			if inDisc(x, y, 96, 72) {
				c.R, c.G, c.B = uint8(210-y/5), 60, 30
			}
			img.SetNRGBA(x, y, c)
		}
	}
	disc := func(x, y int) bool { return inDisc(x, y, 96, 72) }
	o, out := shown(t, on(t, "remove_background", "image/png", img, map[string]any{}))
	if got := agreement(img.Rect, func(x, y int) bool { return at(out, x, y).A >= 128 }, disc); got < 0.9 {
		t.Errorf("the cutout agrees by %.3f: %v", got, o.Metadata)
	}
	k := task(t, "remove_background", "", "image/png", map[string]any{"applyMask": false})
	k.Files["source_image_url"] = file(t, pngOf(t, img))
	_, mask := shown(t, k)
	if got := agreement(img.Rect, func(x, y int) bool { return at(mask, x, y).R >= 128 }, disc); got < 0.9 {
		t.Errorf("the mask agrees by %.3f", got)
	}
	even := image.NewGray(image.Rect(0, 0, 64, 64))
	if said := refusal(t, on(t, "remove_background", "image/png", even, map[string]any{})); !strings.Contains(said, "stands out") {
		t.Errorf("an even picture: %s", said)
	}
}

func TestSegmentImage(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	const w, h = 96, 72
	img := scene(w, h)
	disc := func(x, y int) bool { return inDisc(x, y, w, h) }
	tile := func(x, y int) bool { return x > w/16 && x < w*4/16 && y > h*11/16 && y < h*15/16 }
	spot := func(x, y float64, label string) any { return map[string]any{"x": x, "y": y, "label": label} }
	frame := func(x0, y0, x1, y1 float64, label string) any {
		return map[string]any{"x0": x0, "y0": y0, "x1": x1, "y1": y1, "label": label}
	}
	for name, c := range map[string]struct {
		args map[string]any
		want func(x, y int) bool
	}{
		"a colour":       {map[string]any{"text": "the red ball"}, disc},
		"two colours":    {map[string]any{"text": "red and blue"}, func(x, y int) bool { return disc(x, y) || tile(x, y) }},
		"a point":        {map[string]any{"points": []any{spot(0.5, 0.5, "positive")}}, disc},
		"points":         {map[string]any{"points": []any{spot(0.15, 0.8, "positive"), spot(0.5, 0.5, "negative")}, "multimask": false}, tile},
		"a box":          {map[string]any{"boxes": []any{frame(0.2, 0.1, 0.8, 0.9, "positive")}}, disc},
		"boxes":          {map[string]any{"boxes": []any{frame(0.25, 0.15, 0.75, 0.85, "positive"), frame(0, 0.6, 0.3, 1, "positive")}}, func(x, y int) bool { return disc(x, y) || tile(x, y) }},
		"a negative box": {map[string]any{"text": "red", "boxes": []any{frame(0, 0, 0.5, 1, "negative")}}, func(x, y int) bool { return disc(x, y) && x >= w/2 }},
		"text in a box":  {map[string]any{"text": "red and blue", "boxes": []any{frame(0, 0.6, 0.3, 1, "positive")}}, tile},
		"one of two":     {map[string]any{"text": "the largest object"}, disc},
	} {
		o, out := shown(t, on(t, "segment_image", "image/png", img, c.args))
		if got := agreement(img.Rect, func(x, y int) bool { return at(out, x, y).R >= 128 }, c.want); got < 0.85 {
			t.Errorf("%s: agrees by %.3f: %v", name, got, o.Metadata)
		}
		if o.Metadata["width"] != w || o.Metadata["coverage"] == 0.0 || o.Metadata["scores"] == nil || o.Metadata["box"] == nil {
			t.Errorf("%s: %v", name, o.Metadata)
		}
	}
	o, out := shown(t, on(t, "segment_image", "image/png", img, map[string]any{"text": "red and blue", "maxInstances": 1.0, "applyMask": true}))
	if o.Metadata["detected"] != 2 || o.Metadata["returned"] != 1 || at(out, 2, 2).A != 0 {
		t.Errorf("one instance: %v, corner %v", o.Metadata, at(out, 2, 2))
	}
}

func TestSelectionsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	img := scene(96, 72)
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"text": "the dog's collar"}, "colour"},
		{map[string]any{"text": "green grass"}, "green grass"},
		{map[string]any{"boxes": []any{map[string]any{"x0": 0.05, "y0": 0.1, "x1": 0.25, "y1": 0.3}}, "threshold": 0.9}, "differs from"},
		{map[string]any{}, "points"},
		{map[string]any{"points": []any{map[string]any{"x": 0.5, "y": 0.5, "label": "negative"}}}, "point"},
		{map[string]any{"text": "red", "boxes": []any{map[string]any{"x0": 0.9, "y0": 0.9, "x1": 1.0, "y1": 1.0}}}, "boxes"},
		{map[string]any{"text": "red", "boxes": []any{map[string]any{"x0": 0.0, "y0": 0.0, "x1": 1.0, "y1": 1.0, "label": "negative"}}}, "nothing"},
	} {
		if said := refusal(t, on(t, "segment_image", "image/png", img, c.args)); !strings.Contains(strings.ToLower(said), c.want) {
			t.Errorf("%v: %s", c.args, said)
		}
	}
}
