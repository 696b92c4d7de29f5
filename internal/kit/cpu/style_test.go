package cpu_test

import (
	"image"
	"image/color"
	"math"
	"os"
	"strings"
	"testing"
)

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// apart returns the mean difference of two pictures of one size, in steps of 255.
func apart(a, b image.Image) float64 {
	var sum float64
	r := a.Bounds()
	for y := range r.Dy() {
		for x := range r.Dx() {
			p, q := at(a, r.Min.X+x, r.Min.Y+y), at(b, b.Bounds().Min.X+x, b.Bounds().Min.Y+y)
			sum += math.Abs(float64(p.R)-float64(q.R)) + math.Abs(float64(p.G)-float64(q.G)) + math.Abs(float64(p.B)-float64(q.B))
		}
	}
	return sum / float64(3*r.Dx()*r.Dy())
}

func TestApplyStyle(t *testing.T) {
	t.Parallel()
	img := scene(96, 72)
	for _, prompt := range []string{"watercolour", "in the style of an oil painting", "8 bit pixel art", "gloomy and dark", "in shades of purple"} {
		_, out := shown(t, on(t, "apply_style", "image/png", img, map[string]any{"prompt": prompt}))
		if d := apart(img, out); d < 2 {
			t.Errorf("%q changed the picture by %.1f", prompt, d)
		}
	}
	if o, _ := shown(t, on(t, "apply_style", "image/png", img, map[string]any{"prompt": "pencil sketch", "scale": 2.0, "aspectRatio": "1:1"})); o.Width != 144 || o.Height != 144 {
		t.Errorf("it is %d by %d, want 144 by 144", o.Width, o.Height)
	}
	for _, prompt := range []string{"blorp", "isometric", "make it photorealistic"} {
		if said := refusal(t, on(t, "apply_style", "image/png", img, map[string]any{"prompt": prompt})); !strings.Contains(said, "watercolor") {
			t.Errorf("%q: %s", prompt, said)
		}
	}
	refusal(t, on(t, "apply_style", "image/png", image.NewGray(image.Rect(0, 0, 4000, 16)), map[string]any{"prompt": "ink", "scale": 4.0}))
}

func TestChangeAngle(t *testing.T) {
	t.Parallel()
	img := scene(96, 72)
	o, out := shown(t, on(t, "change_angle", "image/png", img, map[string]any{"description": "from the left, 20 degrees"}))
	if view, _ := o.Metadata["view"].(map[string]any); view["yaw"] != -20.0 {
		t.Errorf("the view is %v", o.Metadata["view"])
	}
	if d := apart(img, out); d < 3 {
		t.Errorf("the view changed by %.1f", d)
	}
	weak, _ := shown(t, on(t, "change_angle", "image/png", img, map[string]any{"description": "from above", "loraStrength": 0.3}))
	strong, _ := shown(t, on(t, "change_angle", "image/png", img, map[string]any{"description": "from above", "loraStrength": 1.8}))
	if a, b := weak.Metadata["view"].(map[string]any)["pitch"].(float64), strong.Metadata["view"].(map[string]any)["pitch"].(float64); a >= b {
		t.Errorf("a weak turn of %v, a strong one of %v", a, b)
	}
	for _, d := range []string{"from behind", "purple"} {
		if said := refusal(t, on(t, "change_angle", "image/png", img, map[string]any{"description": d})); !strings.Contains(said, "from above") {
			t.Errorf("%q: %s", d, said)
		}
	}
}

func TestRestorePhoto(t *testing.T) {
	t.Parallel()
	img := scene(120, 90)
	for x := range 120 { // with all tones from black to white
		for y := range 20 {
			v := uint8(x * 255 / 119)
			img.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	faded := image.NewNRGBA(img.Rect)
	for i, v := range img.Pix {
		if faded.Pix[i] = v/2 + 60; i%4 == 3 {
			faded.Pix[i] = 255
		}
	}
	for _, quality := range []string{"fast", "hq"} {
		o, out := shown(t, on(t, "restore_photo", "image/png", faded, map[string]any{"prompt": "bring the contrast back", "quality": quality}))
		if before, after := apart(img, faded), apart(img, out); after >= before {
			t.Errorf("%s: from %.1f away to %.1f", quality, before, after)
		}
		if o.Metadata["damage"] == nil {
			t.Errorf("the damage is not told: %v", o.Metadata)
		}
	}
	grey, _ := shown(t, on(t, "restore_photo", "image/png", faded, map[string]any{"prompt": "colorize it", "scale": 2.0}))
	if said, _ := grey.Metadata["colour"].(string); !strings.Contains(said, "tint") || grey.Width != 240 {
		t.Errorf("colours: %q, width %d", said, grey.Width)
	}
}
