package catalog_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

func TestRouting(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		tool  string
		args  string
		facts catalog.Facts
		want  string
	}{
		{"default", "generate_video", `{"prompt":"a"}`, none(),
			`{"selectedBy":"default","reasons":["ltx25 is the default video model","ltx25 from no media is LTX 2.5 Text to Video"],"alternatives":[{"modelId":"ltx23-22b-fp8_t2v_distilled","reason":"selector ltx23"},{"modelId":"wan_v2.2-14b-fp8_t2v_lightx2v","reason":"selector wan22"},{"modelId":"minimax-h3-fl2va-fp8_t2v","reason":"selector minimax-h3-t2v"}]}`},
		{"references", "generate_video", `{"prompt":"a","referenceImageIndices":[-1]}`, up(1, 0, 0),
			`{"selectedBy":"inputs","reasons":["references select the reference-to-video turbo H3 model"],"alternatives":[{"modelId":"ltx25-22b-int8_i2v_distilled","reason":"selector ltx25"},{"modelId":"ltx23-22b-fp8_i2v_distilled","reason":"selector ltx23"},{"modelId":"wan_v2.2-14b-fp8_i2v_lightx2v","reason":"selector wan22"}]}`},
		{"caller", "generate_image", `{"prompt":"a","model":"z-image"}`, none(),
			`{"selectedBy":"caller","reasons":["model is z-image"],"alternatives":[]}`},
		{"legacy", "generate_video", `{"prompt":"a","videoModel":"seedance2-fast"}`, none(),
			`{"selectedBy":"caller","reasons":["videoModel is seedance2-fast","seedance2-fast is retired and rendered by seedance2-mini"],"alternatives":[]}`},
		{"no model", "stitch_video", `{"videoIndices":[-1]}`, none(),
			`{"selectedBy":"","reasons":[],"alternatives":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := shared.Step(tt.tool, decode(t, tt.args), tt.facts)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(s.Routing)
			if string(got) != tt.want {
				t.Errorf("routing\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNormalizedArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		tool  string
		args  map[string]any
		facts catalog.Facts
		want  string
	}{
		{"image defaults", "generate_image", map[string]any{"prompt": "a", "negativePrompt": nil}, none(),
			`{"height":1024,"model":"z-turbo","numberOfVariations":1,"outputFormat":"png","prompt":"a","width":1024}`},
		{"numbers of every kind", "generate_image", map[string]any{"prompt": "a", "width": 512, "height": 768.0, "seed": int64(7), "guidance": 2.5}, none(),
			`{"guidance":2.5,"height":768,"model":"z-turbo","numberOfVariations":1,"outputFormat":"png","prompt":"a","seed":7,"width":512}`},
		{"alias", "generate_music", map[string]any{"prompt": "a", "loras": []string{"rim-light"}, "lora_strengths": []any{0.5}}, none(),
			`{"bpm":120,"duration":30,"keyscale":"C major","loraStrengths":[0.5],"loras":["rim-light"],"model":"music3","numberOfVariations":1,"prompt":"a","timesig":4}`},
		{"first upload", "remove_background", map[string]any{}, up(2, 0, 0), `{"applyMask":true,"sourceImageIndex":-1}`},
		{"newest result", "remove_background", map[string]any{}, gen(3, 0, 0), `{"applyMask":true,"sourceImageIndex":2}`},
		{"nothing known", "remove_background", map[string]any{}, none(), `{"applyMask":true}`},
		{"bound", "extend_video", map[string]any{"duration": 5}, bound("videoIndex"), `{"duration":5,"videoModel":"ltx25"}`},
		{"documented default", "extend_video", map[string]any{"duration": 5}, none(), `{"duration":5,"videoIndex":-1,"videoModel":"ltx25"}`},
		{"target of the source", "upscale_video", map[string]any{}, source("sourceVideoIndex", 640, 360, 3), `{"seed":0,"sourceVideoIndex":-1,"targetResolution":1080}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before, _ := json.Marshal(tt.args)
			s, err := shared.Step(tt.tool, tt.args, tt.facts)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(s.Arguments)
			if string(got) != tt.want {
				t.Errorf("arguments\n got %s\nwant %s", got, tt.want)
			}
			if after, _ := json.Marshal(tt.args); string(after) != string(before) {
				t.Errorf("the caller's arguments changed from %s to %s", before, after)
			}
			again, err := shared.Step(tt.tool, s.Arguments, tt.facts)
			if err != nil || !reflect.DeepEqual(again.Arguments, s.Arguments) || again.Cost != s.Cost {
				t.Errorf("normalizing twice gives %v, %v; want the same as once", again, err)
			}
		})
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	_, err := shared.Step("make_coffee", nil, none())
	if want := `toolName is "make_coffee", which is not a tool of this service`; err == nil || err.Error() != want || !atelier.HasCode(err, atelier.CodeInvalidRequest) {
		t.Errorf("unknown tool: %v, want %s", err, want)
	}
	_, err = shared.Step("upscale_image", nil, bound("prompt"))
	if want := "arguments.prompt is not an argument of upscale_image; it takes sourceImageIndex, scale, targetLongestEdge"; err == nil || err.Error() != want {
		t.Errorf("binding to an unknown argument: %v, want %s", err, want)
	}
}

func TestPlanCapacity(t *testing.T) {
	t.Parallel()
	var steps []*catalog.Step
	for _, call := range []struct {
		tool, args string
		facts      catalog.Facts
	}{
		{"generate_image", `{"prompt":"a","numberOfVariations":4}`, none()},
		{"animate_photo", `{"prompt":"a"}`, bound("sourceImageIndex")},
		{"generate_music", `{"prompt":"a"}`, none()},
		{"analyze_image", `{"query":"a"}`, bound("sourceImageIndex")},
	} {
		s, err := shared.Step(call.tool, decode(t, call.args), call.facts)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	if got := catalog.Capacity(steps); got != 4+8+3+0 {
		t.Errorf("Capacity = %d, want 15", got)
	}
	if got := shared.Weight("video.premium"); got != 8 {
		t.Errorf("Weight(video.premium) = %d, want 8", got)
	}
	if got := shared.Weight("unheard-of"); got != 1 {
		t.Errorf("Weight of an unknown class = %d, want 1", got)
	}
}
