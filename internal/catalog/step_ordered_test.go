package catalog_test

import (
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// What a result must have is known only where the caller has asked for it and results do
// not follow their source, or what the model makes.
func TestOrderedSizeAndLength(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	photo := catalog.Facts{Sources: map[string][]catalog.Source{"sourceImageIndex": {{Width: 700, Height: 500}}}}
	type args = map[string]any
	for _, tc := range []struct {
		tool  string
		args  args
		facts catalog.Facts
		want  catalog.Source
	}{
		{"generate_image", args{}, none(), catalog.Source{}},
		{"generate_image", args{"aspectRatio": "2:1"}, none(), catalog.Source{}},
		{"generate_image", args{"width": 512}, none(), catalog.Source{Width: 512, Height: 1024}},
		{"generate_image", args{"width": 2048, "height": 2048, "numberOfVariations": 16}, none(), catalog.Source{Width: 2048, Height: 2048}},
		{"edit_image", args{"sourceImageIndex": -1}, photo, catalog.Source{}},
		{"edit_image", args{"sourceImageIndex": -1, "width": 640, "height": 480}, photo, catalog.Source{Width: 640, Height: 480}},
		{"apply_style", args{"sourceImageIndex": -1, "scale": 2}, photo, catalog.Source{}},
		{"upscale_image", args{"sourceImageIndex": -1, "targetLongestEdge": 4096}, photo, catalog.Source{}},
		{"generate_video", args{}, none(), catalog.Source{}},
		{"generate_video", args{"duration": 8}, none(), catalog.Source{Seconds: 8}},
		{"generate_video", args{"width": 640}, none(), catalog.Source{}},
		{"generate_video", args{"width": 640, "height": 480, "targetResolution": 1080}, none(), catalog.Source{Width: 640, Height: 480}},
		{"generate_video", args{"targetResolution": 480, "aspectRatio": "1:1", "duration": 2}, none(), catalog.Source{Width: 480, Height: 480, Seconds: 2}},
		{"generate_video", args{"videoModel": "minimax-h3-t2v", "duration": 1}, none(), catalog.Source{Seconds: 5.167}},
		{"animate_photo", args{"sourceImageIndex": -1, "duration": 3}, photo, catalog.Source{Seconds: 3}},
		{"video_to_video", args{"videoSourceIndex": -1, "duration": 3, "targetResolution": 480}, none(), catalog.Source{}},
		{"upscale_video", args{"sourceVideoIndex": -1, "targetResolution": 1080}, none(), catalog.Source{}},
		{"extend_video", args{"videoIndex": -1, "duration": 4}, none(), catalog.Source{Seconds: 4}},
		{"dance_montage", args{"dance": "chanel", "sourceImageIndex": -1, "duration": 12}, photo, catalog.Source{Seconds: 12}},
		{"generate_music", args{"model": "turbo"}, none(), catalog.Source{}},
		{"generate_music", args{"model": "turbo", "duration": 60}, none(), catalog.Source{Seconds: 60}},
		{"generate_music", args{"model": "music3", "duration": 60}, none(), catalog.Source{}}, // a ceiling
	} {
		if tool, _ := c.Tool(tc.tool); tool.Arguments[0].Name == "prompt" || tc.tool == "extend_video" {
			tc.args["prompt"] = "a fox"
		}
		step, err := c.Step(tc.tool, tc.args, tc.facts)
		if err != nil || step.Ordered != tc.want {
			t.Errorf("%s %v: got %+v, %v, want %+v", tc.tool, tc.args, step, err, tc.want)
		}
	}

	// A tool that is added here must be rendered by TestResultsAreAsOrdered of internal/node.
	var ordered []string
	for _, tool := range c.Tools() {
		if tool.Produces != nil && len(tool.Produces.Ordered) > 0 {
			ordered = append(ordered, tool.Name)
		}
	}
	slices.Sort(ordered)
	if want := []string{"animate_photo", "dance_montage", "edit_image", "extend_video", "generate_image", "generate_music", "generate_video", "sound_to_video"}; !slices.Equal(ordered, want) {
		t.Errorf("the results of %q are compared with orders, want %q", ordered, want)
	}
}
