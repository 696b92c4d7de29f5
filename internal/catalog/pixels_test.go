package catalog_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// No argument of a tool and no size of a model allows a picture that the service
// would refuse when it is rendered.
func TestEverySizeIsAllowed(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range c.Tools() {
		if tool.Produces == nil || tool.Produces.Kind != catalog.Image {
			continue
		}
		for _, a := range tool.Arguments {
			// The longest edge must be possible for some picture: the narrowest has
			// edges of 8.
			if a.Unit == "pixels" && a.Max != nil && *a.Max*8 > atelier.MaxPixels {
				t.Errorf("%s: %s reaches to %g, which no picture can have", tool.Name, a.Name, *a.Max)
			}
		}
		for _, m := range c.Models() {
			if m.Size == nil || m.MediaType != "image" {
				continue
			}
			args := map[string]any{"prompt": "x", "model": m.ID, "width": float64(m.Size.Max), "height": float64(m.Size.Max)}
			s, err := c.Step(tool.Name, args, catalog.Facts{})
			if err == nil && s.Outputs.Width*s.Outputs.Height > atelier.MaxPixels {
				t.Errorf("%s: %s makes %d by %d pixels", tool.Name, m.ID, s.Outputs.Width, s.Outputs.Height)
			}
		}
	}
}

// A result that is known to be too large is refused before it is rendered.
func TestResultsWithTooManyPixels(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		tool, argument string
		value          float64
		w, h           int
		refused        bool
	}{
		{"upscale_image", "targetLongestEdge", 15360, 1024, 576, true},
		{"upscale_image", "targetLongestEdge", 7680, 1024, 1024, true},
		{"upscale_image", "targetLongestEdge", 15360, 2048, 288, false},
		{"upscale_image", "targetLongestEdge", 7680, 1920, 1080, false},
		{"upscale_image", "targetLongestEdge", 15360, 0, 0, false}, // the size of the source is unknown
		{"upscale_image", "scale", 4, 2048, 2048, true},
		{"upscale_image", "scale", 2, 2048, 2048, false},
		{"restore_photo", "scale", 4, 2048, 2048, true},
		{"restore_photo", "scale", 1, 2048, 2048, false},
	} {
		args := map[string]any{"sourceImageIndex": 0.0, tc.argument: tc.value}
		if tc.tool == "restore_photo" {
			args["prompt"] = "repair it"
		}
		facts := catalog.Facts{Sources: map[string][]catalog.Source{"sourceImageIndex": {{Width: tc.w, Height: tc.h}}}}
		_, err := c.Step(tc.tool, args, facts)
		switch {
		case !tc.refused && err != nil:
			t.Errorf("%+v: refused: %v", tc, err)
		case tc.refused && (err == nil || !strings.HasPrefix(err.Error(), "arguments."+tc.argument+" would make a picture of") || !strings.Contains(err.Error(), "33177600")):
			t.Errorf("%+v: got %v", tc, err)
		}
	}
}
