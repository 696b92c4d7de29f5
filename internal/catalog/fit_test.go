package catalog_test

import (
	"fmt"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// A source gives a result its shape, within the limits of the model.
func TestSizeOfASource(t *testing.T) {
	t.Parallel()
	type sources = map[string][]catalog.Source
	of := func(argument string, sizes ...[2]int) sources {
		list := make([]catalog.Source, len(sizes))
		for i, s := range sizes {
			list[i] = catalog.Source{Width: s[0], Height: s[1]}
		}
		return sources{argument: list}
	}
	const image = "sourceImageIndex"
	for _, tc := range []struct {
		tool    string
		args    map[string]any
		sources sources
		want    string
	}{
		{"generate_image", nil, of(image, [2]int{768, 512}), "768x512 1.6"},
		{"generate_image", nil, of(image, [2]int{0, 0}), "1024x1024 1.6 provisional"},
		{"generate_image", nil, nil, "1024x1024 1.6"},
		{"generate_image", nil, of(image, [2]int{770, 515}), "768x512 1.6"},
		{"generate_image", nil, of(image, [2]int{4000, 3000}), "2048x1536 4.8"},
		{"generate_image", nil, of(image, [2]int{64, 48}), "336x256 1.6"},
		{"generate_image", nil, of(image, [2]int{20000, 10}), "2048x256 1.6"},
		{"generate_image", nil, of(image, [2]int{100_000, 100_000}), "2048x2048 6.4"},
		{"generate_image", map[string]any{"width": 512}, of(image, [2]int{768, 512}), "512x1024 1.6"},
		{"generate_image", map[string]any{"aspectRatio": "1:1"}, of(image, [2]int{768, 512}), "1024x1024 1.6"},
		{"generate_image", map[string]any{"aspectRatio": "1:1"}, of(image, [2]int{0, 0}), "1024x1024 1.6"},
		{"generate_image", map[string]any{"model": "gpt-image-2"}, of(image, [2]int{768, 512}), "992x672 12"},
		{"generate_image", map[string]any{"model": "gpt-image-2"}, of(image, [2]int{4000, 500}), "1504x512 12"},
		{"edit_image", nil, of(image, [2]int{768, 512}), "768x512 2.08"},
		{"edit_image", nil, of(image, [2]int{2048, 1024}), "2048x1024 4.16"},
		{"edit_image", nil, of(image, [2]int{0, 0}), "0x0 2.08 provisional"},
		{"edit_image", nil, of("mask_image_url", [2]int{768, 512}), "0x0 2.08 provisional"},
		{"restore_photo", map[string]any{"scale": 2}, of(image, [2]int{1024, 1024}), "2048x2048 4.16"},
		{"restore_photo", map[string]any{"scale": 2}, of(image, [2]int{0, 0}), "0x0 4.16 provisional"},
		{"animate_photo", nil, of(image, [2]int{768, 512}), "1072x720 15"},
		{"animate_photo", nil, of(image, [2]int{512, 768}), "720x1072 15"},
		{"animate_photo", nil, of(image, [2]int{0, 0}), "1280x720 15"},
		{"animate_photo", nil, of(image, [2]int{4000, 500}), "2688x336 15"},
		{"animate_photo", map[string]any{"aspectRatio": "1:1"}, of(image, [2]int{768, 512}), "720x720 15"},
		{"animate_photo", nil, of("sourceImageIndices", [2]int{768, 512}, [2]int{1536, 1024}), "1072x720 30"},
		{"animate_photo", nil, of("sourceImageIndices", [2]int{768, 512}, [2]int{512, 768}), "0x0 30"},
		{"animate_photo", nil, of("sourceImageIndices", [2]int{768, 512}, [2]int{0, 0}), "0x0 30"},
		{"generate_video", nil, of("referenceImageIndices", [2]int{0, 0}, [2]int{768, 512}, [2]int{512, 768}), "1152x768 31"},
		{"upscale_video", nil, of("sourceVideoIndex", [2]int{640, 360}), "1920x1080 7.2 provisional"},
	} {
		args := map[string]any{"prompt": "x"}
		if tc.tool == "upscale_video" {
			args = map[string]any{}
		}
		for k, v := range tc.args {
			args[k] = v
		}
		facts := catalog.Facts{Sources: tc.sources}
		for argument, list := range tc.sources {
			for range list {
				facts.Bound = append(facts.Bound, argument)
			}
		}
		s, err := shared.Step(tc.tool, args, facts)
		if err != nil {
			t.Errorf("%s %v of %v: %v", tc.tool, tc.args, tc.sources, err)
			continue
		}
		got := fmt.Sprintf("%dx%d %s", s.Outputs.Width, s.Outputs.Height, spark(s))
		if s.Provisional {
			got += " provisional"
		}
		if got != tc.want {
			t.Errorf("%s %v of %v: got %s, want %s", tc.tool, tc.args, tc.sources, got, tc.want)
		}
	}
}

func spark(s *catalog.Step) string { return fmt.Sprintf("%g", float64(s.Cost.Spark)/1e6) }

// Whatever a source is, the model accepts the size that follows from it.
func TestEveryFittedSizeIsAccepted(t *testing.T) {
	t.Parallel()
	for _, m := range shared.Models() {
		if m.Size == nil || m.MediaType != "image" {
			continue
		}
		for w := 1.0; w < 120_000; w = w*1.9 + 7 {
			for h := 1.0; h < 120_000; h = h*2.1 + 5 {
				a, b := m.Size.Fit(w, h)
				args := map[string]any{"prompt": "x", "model": m.ID, "width": float64(a), "height": float64(b)}
				if _, err := shared.Step("generate_image", args, catalog.Facts{}); err != nil {
					if _, other := shared.Step("edit_image", args, catalog.Facts{}); other != nil {
						t.Fatalf("%s: %vx%v becomes %dx%d: %v; %v", m.ID, w, h, a, b, err, other)
					}
				}
			}
		}
	}
}
