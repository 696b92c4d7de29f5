package compose_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
)

func TestEnhance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args string
		has, lacks []string // in the prompt
	}{
		{"sentences", `{"prompt":"an old fisherman mending nets at dawn","target_output":"image_prompt","destination_model":"krea-2-turbo","aspect_ratio":"3:4"}`,
			[]string{"An old fisherman mending nets at dawn.", "3:4", "first light", "lens"}, []string{"score_9", "masterpiece"}},
		{"no polite opening", `{"prompt":"please create a picture of a red fox in a snowy forest, watercolour","target_output":"image_prompt","destination_model":"z-turbo"}`,
			[]string{"A red fox in a snowy forest, watercolour.", "paper"}, []string{"please", "mm lens", "picture of"}},
		{"what is said is not said again", `{"prompt":"close-up of a woman, backlit, 50mm lens","target_output":"image_prompt","destination_model":"qwen-2512"}`,
			[]string{"50mm lens"}, []string{"85mm", "key light", "chest up", "three-quarter"}},
		{"nothing that is refused", `{"prompt":"an empty street, no people, no shadows","target_output":"image_prompt","destination_model":"z-image"}`,
			[]string{"no people"}, []string{"figures", "shadows and"}},
		{"night stays night", `{"prompt":"a motorcycle at night","target_output":"image_prompt","destination_model":"z-image"}`, []string{"at night"}, []string{"sun", "daylight"}},
		{"tags", `{"prompt":"elven archer on a cliff, anime","target_output":"image_prompt","destination_model":"animagine-xl","constraints":{"mood":"hopeful"}}`,
			[]string{"elven archer on a cliff, anime, ", "clean lineart", "mood: hopeful"}, []string{". ", "lens"}},
		{"pony", `{"prompt":"a knight","target_output":"image_prompt","destination_model":"pony-v7"}`, []string{"score_9, score_8_up, score_7_up, a knight"}, nil},
		{"asked for tags", `{"prompt":"a knight","target_output":"image_prompt","destination_model":"flux","prompting_type":"sdxl"}`, []string{"a knight, fantasy art"}, []string{"score_9"}},
		{"video", `{"prompt":"waves crash against a lighthouse in a storm","target_output":"video_prompt","destination_model":"ltx25","duration_seconds":12}`,
			[]string{"Camera: ", "Sound: ", "First 4 seconds"}, []string{"lens at"}},
		{"video with its own camera", `{"prompt":"slow pan over a village, drone shot","target_output":"video_prompt","destination_model":"ltx25"}`, nil, []string{"Camera:"}},
		{"first frame", `{"prompt":"the dog runs","target_output":"video_prompt","destination_model":"wan22","assets":[{"label":"Biscuit","media_type":"image","role":"first_frame"}]}`,
			[]string{"Image 1 (Biscuit) is the first frame"}, []string{"Sound:"}},
		{"edit", `{"prompt":"remove the car behind the house","target_output":"edit_prompt","destination_model":"qwen"}`, []string{"Remove the car behind the house.", "Keep the main subject", "no trace left"}, nil},
		{"edit of a person", `{"prompt":"give her a red coat","target_output":"edit_prompt","destination_model":"krea-identity-edit"}`,
			[]string{"Give her a red coat.", "the face and identity", "the background"}, []string{"clothing"}},
		{"music", `{"prompt":"lo-fi beat for studying","target_output":"model_prompt","destination_model":"turbo"}`, []string{"Lo-fi beat for studying.", "78 BPM"}, []string{"lens"}},
		{"preserve", `{"prompt":"A  fox.\nIn snow.","target_output":"image_prompt","destination_model":"z-turbo","prompt_mode":"preserve","constraints":{"avoid":"text"}}`,
			[]string{"A  fox.\nIn snow.", "Without text."}, []string{"light"}},
		{"compress", `{"prompt":"masterpiece, best quality, very beautiful woman, 8k, really long red dress, standing on a balcony","target_output":"image_prompt","destination_model":"krea-2-turbo","prompt_mode":"compress"}`,
			[]string{"beautiful woman, long red dress, standing on a balcony"}, []string{"masterpiece", "8k", "really"}},
		{"a long wish is left alone", `{"prompt":"` + strings.Repeat("a quiet harbour with many small boats ", 8) + `","target_output":"image_prompt","destination_model":"z-turbo"}`, nil, []string{"lens"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := mustRun(t, "enhance_prompt", c.args)
			prompt, _ := m["prompt"].(string)
			for _, s := range c.has {
				if !strings.Contains(prompt, s) {
					t.Errorf("got %q, want %q in it", prompt, s)
				}
			}
			for _, s := range c.lacks {
				if strings.Contains(prompt, s) {
					t.Errorf("got %q, want no %q in it", prompt, s)
				}
			}
			if again := mustRun(t, "enhance_prompt", c.args); again["prompt"] != prompt {
				t.Errorf("got %q the second time, want %q", again["prompt"], prompt)
			}
			if r := run(t, "enhance_prompt", c.args); r.Message() != prompt {
				t.Errorf("message %q, want the prompt", r.Message())
			}
		})
	}
}

func TestNegativePrompt(t *testing.T) {
	t.Parallel()
	m := mustRun(t, "enhance_prompt", `{"prompt":"a shop with a sign that reads OPEN","target_output":"image_prompt","destination_model":"dreamshaper-xl","constraints":{"avoid":["rain, mud"]}}`)
	got, _ := m["negative_prompt"].(string)
	if strings.Contains(got, "text") || !strings.Contains(got, "rain") || !strings.Contains(got, "mud") {
		t.Errorf("got %q, want rain and mud kept out and text not", got)
	}
}

func TestValidatePrompt(t *testing.T) {
	t.Parallel()
	m := mustRun(t, "enhance_prompt", `{"prompt":"sunny street at midnight","target_output":"video_prompt","destination_model":"ltx25","prompt_mode":"validate","duration_seconds":40}`)
	if list, _ := m["issues"].([]any); m["prompt"] != "sunny street at midnight" || m["valid"] != false || len(list) != 3 {
		t.Errorf("got %v, want the prompt as it is and three issues", m)
	}
	m = mustRun(t, "enhance_prompt", `{"prompt":"A heron lifts off from a misty lake, its wings brushing the water as the camera follows.","target_output":"video_prompt","destination_model":"ltx25","prompt_mode":"validate"}`)
	if m["valid"] != true {
		t.Errorf("got %v, want it valid", m)
	}
}

// Its tool accepts a payload.
func TestPayload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, tool, model string }{
		{`{"prompt":"a corgi runs","target_output":"video_prompt","destination_model":"wan22","duration_seconds":5,"assets":[{"label":"Biscuit","role":"first_frame"}]`, "animate_photo", "wan22"},
		{`{"prompt":"a corgi runs","target_output":"video_prompt","destination_model":"ltx25","duration_seconds":90,"aspect_ratio":"16:9"`, "generate_video", "ltx25"},
		{`{"prompt":"a corgi","target_output":"image_prompt","destination_model":"z-turbo","aspect_ratio":"wide"`, "generate_image", "z-turbo"},
		{`{"prompt":"add a hat","target_output":"edit_prompt","destination_model":"qwen"`, "edit_image", "qwen"},
		{`{"prompt":"calm piano","target_output":"model_prompt","destination_model":"music3","duration_seconds":30`, "generate_music", "music3"},
		{`{"prompt":"a corgi","target_output":"image_prompt","destination_model":"unknown-model"`, "generate_image", ""},
	} {
		m := mustRun(t, "enhance_prompt", c.args+`,"prompt_mode":"payload"}`)
		p, _ := m["payload"].(map[string]any)
		args, _ := p["arguments"].(map[string]any)
		if p["tool"] != c.tool {
			t.Errorf("%s: tool %v, want %s", c.args, p["tool"], c.tool)
			continue
		}
		if _, err := enginetest.Catalog().Step(c.tool, args, catalog.Facts{}); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		if got, _ := args["model"].(string); c.model != "" && got != c.model && args["videoModel"] != c.model {
			t.Errorf("%s: arguments %v, want the model %s", c.args, args, c.model)
		}
	}
	m := mustRun(t, "enhance_prompt", `{"prompt":"a corgi","target_output":"image_prompt","destination_model":"unknown-model"}`)
	if m["warnings"] == nil {
		t.Error("a model that is not in the catalog: got no warning")
	}
}
