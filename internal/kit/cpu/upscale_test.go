package cpu_test

import (
	"context"
	"errors"
	"image"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/cpu"
)

func TestUpscaleImage(t *testing.T) {
	t.Parallel()
	img := scene(101, 67)
	for _, c := range []struct {
		args map[string]any
		w, h int
	}{
		{map[string]any{}, 200, 136},
		{map[string]any{"scale": 3.0}, 304, 200},
		{map[string]any{"scale": 4.0}, 408, 272},
		{map[string]any{"targetLongestEdge": 512.0, "scale": 2.0}, 512, 336},
	} {
		o, _ := shown(t, on(t, "upscale_image", "image/png", img, c.args))
		if o.Width != c.w || o.Height != c.h {
			t.Errorf("%v: %d by %d, want %d by %d", c.args, o.Width, o.Height, c.w, c.h)
		}
	}
}

func TestUpscaleOfAbsurdSizes(t *testing.T) {
	t.Parallel()
	wide := image.NewGray(image.Rect(0, 0, 5000, 16))
	refusal(t, on(t, "upscale_image", "image/png", wide, map[string]any{"scale": 4.0}))                // beyond any size
	refusal(t, on(t, "upscale_image", "image/png", wide, map[string]any{"targetLongestEdge": 9000.0})) // not a JPG
	o, _ := shown(t, on(t, "upscale_image", "image/jpeg", wide, map[string]any{"targetLongestEdge": 9000.0}))
	if o.Width != 9000 {
		t.Errorf("it is %d wide, want 9000", o.Width)
	}
}

// A picture that is made while it is written is still interrupted.
func TestUpscaleStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	k := on(t, "upscale_image", "image/jpeg", scene(400, 400), map[string]any{"targetLongestEdge": 8000.0})
	k.Report = func(p float64, _ string) {
		if p > 0 {
			cancel()
		}
	}
	if _, err := (cpu.Renderer{}).Render(ctx, k); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// A result with more pixels than the service takes is not rendered.
func TestUpscaleOfTooManyPixels(t *testing.T) {
	t.Parallel()
	refusal(t, on(t, "upscale_image", "image/png", image.NewGray(image.Rect(0, 0, 1800, 1200)), map[string]any{"scale": 4.0})) // 7200 by 4800
}
