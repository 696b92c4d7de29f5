package compose_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

// asks has a call of each tool, a valid answer, and invalid ones.
var asks = []struct {
	tool, args, good string
	key              string // of the output
	has              string // in the message
	bad              map[string]string
}{
	{
		"enhance_prompt", `{"prompt":"a fox","target_output":"image_prompt","destination_model":"z-turbo","assets":[{"label":"Rex","role":"identity"}]}`,
		`{"prompt":"A fox called Rex in deep snow."}`, "prompt", "A fox called Rex in deep snow.",
		map[string]string{`{"prompt":""}`: "prompt", `{"prompt":"A fox."}`: "Rex", `{"text":"A fox"}`: "prompt is required", `{"prompt":"  "}`: "prompt must not be empty", `{"prompt":7,"notes":null,"mood":"x"}`: "mood is not asked for; prompt must be of the type string", `not json`: "JSON"},
	},
	{
		"compose_script", `{"brief":"a bakery","scene_count":2,"duration_seconds":10}`,
		`{"title":"Bread","scenes":[{"seconds":2,"visual":"Dough rises.","camera":"close-up"},{"seconds":6,"visual":"The oven opens.","camera":"wide"}]}`, "script", "Dough rises.",
		map[string]string{`{"title":"Bread","scenes":[{"seconds":2,"visual":"Dough rises.","camera":"x"}]}`: "exactly 2", `{"title":"x","scenes":[{"seconds":"2"}]}`: "scenes[0].seconds"},
	},
	{
		"compose_lyrics", `{"prompt":"桜","language":"Japanese"}`,
		`{"lyrics":"[verse]\n桜の花が風に舞う夜\n[chorus]\n桜 桜 空へ","language":"Japanese","bpm":84,"keyscale":"A minor","timesig":4,"duration":120}`, "lyrics", "[verse]",
		map[string]string{`{"lyrics":"no tags at all in these words","bpm":84,"keyscale":"A minor","timesig":4,"duration":120}`: "section tags", `{"lyrics":"[verse]\nsome words to be sung","bpm":84,"keyscale":"A","timesig":5,"duration":120}`: "timesig", `{"lyrics":"[verse]\nsome words to be sung","bpm":84,"keyscale":"happy","timesig":4,"duration":120}`: "keyscale must be a key"},
	},
	{
		"compose_instrumental", `{"prompt":"rain","duration_seconds":60}`,
		`{"sections":[{"name":"Intro","bars":4,"dynamics":"soft","instruments":["piano"],"description":"Drops."},{"name":"Flow","bars":12,"dynamics":"full","instruments":["piano","cello"],"description":"It pours."}],"bpm":80,"keyscale":"D minor","timesig":4,"duration":60}`,
		"structure", "[intro] 0:00-0:15, 4 bars", map[string]string{`{"sections":[],"bpm":80,"keyscale":"D minor","timesig":4,"duration":60}`: "sections", `{"sections":[{"name":"Intro","bars":4,"dynamics":"soft","instruments":["piano"],"description":"Drops."}],"bpm":80,"keyscale":"rain","timesig":4,"duration":60}`: "keyscale must be a key"},
	},
	{
		"compose_workflow", `{"brief":"a fox","max_estimated_capacity_units":10}`,
		`{"title":"Fox","steps":[{"id":"a","toolName":"generate_image","arguments":{"prompt":"a fox"}},{"id":"b","toolName":"animate_photo","arguments":{"prompt":"it runs","duration":5},"dependsOn":[{"sourceStepId":"a","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}]}`,
		"plan", "Fox: 2 steps", map[string]string{
			`{"title":"Fox","steps":[{"id":"a","toolName":"paint","arguments":{}}]}`:                                                                                                                                                                                                                "cannot be a step",
			`{"title":"Fox","steps":[{"id":"a","toolName":"generate_image","arguments":{}}]}`:                                                                                                                                                                                                       "prompt is required",
			`{"title":"Fox","steps":[{"id":"a","toolName":"generate_video","arguments":{"prompt":"x"}},{"id":"b","toolName":"generate_video","arguments":{"prompt":"x"}}]}`:                                                                                                                         "at most 10",
			`{"title":"Fox","steps":[{"id":"a","toolName":"animate_photo","arguments":{"prompt":"x"},"dependsOn":[{"sourceStepId":"z","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}]}`:                                                                   "no step before",
			`{"title":"Fox","steps":[{"id":"a","toolName":"animate_photo","arguments":{"prompt":"x"},"dependsOn":[{"sourceStepId":"$input_media","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}]}`:                                                        "sourceArtifactIndex",
			`{"title":"Fox","steps":[{"id":"a","toolName":"animate_photo","arguments":{"prompt":"x","sourceImageIndex":0}}]}`:                                                                                                                                                                       "steps[0]",
			`{"title":"Fox","steps":[{"id":"a","toolName":"enhance_prompt","arguments":{"prompt":"x","target_output":"image_prompt","destination_model":"z"}}]}`:                                                                                                                                    "cannot be a step",
			`{"title":"Fox","steps":[{"id":"a","toolName":"generate_image","arguments":{"prompt":"x"}},{"id":"a","toolName":"generate_image","arguments":{"prompt":"x"}}]}`:                                                                                                                         "steps[1].id",
			`{"title":"Fox","steps":[{"id":"a","toolName":"generate_music","arguments":{"prompt":"x"}},{"id":"b","toolName":"animate_photo","arguments":{"prompt":"x"},"dependsOn":[{"sourceStepId":"a","sourceArtifactIndex":0,"targetArgument":"sourceImageIndex","transform":"image_index"}]}]}`: "makes audio",
		},
	},
	{
		"compose_workflow_template", `{"name":"Fox","brief":"a fox"}`,
		`{"inputs":[{"name":"animal","type":"text","default":"fox"}],"stages":[{"id":"a","tool":"generate_image","args":{"prompt":"a $inputs.animal"}}]}`, "template_draft", "Fox: 1 step",
		map[string]string{`{"inputs":[],"stages":[{"id":"a","tool":"generate_image","args":{"prompt":"a $inputs.animal"}}]}`: "$inputs.animal", `{"inputs":[{"name":"1","type":"text"}],"stages":[{"id":"a","tool":"generate_image","args":{"prompt":"a"}}]}`: "inputs[0].name"},
	},
}

// A valid answer of a model is used, and the request has the tool's schema.
func TestModelComposes(t *testing.T) {
	t.Parallel()
	for _, c := range asks {
		s := &scriptedModel{says: []string{"<think>Hm.</think>```json\n" + c.good + "\n```"}}
		r, err := engine().Run(t.Context(), writer(s), checked(t, c.tool, c.args))
		if err != nil || !r.OK || len(r.Warnings) > 0 {
			t.Errorf("%s: %v %+v", c.tool, err, r)
			continue
		}
		if !strings.Contains(r.Message(), c.has) || wired(t, r)[c.key] == nil {
			t.Errorf("%s: got %q and %v, want %q and %s", c.tool, r.Message(), wired(t, r), c.has, c.key)
		}
		if r.Usage.PromptTokens != 100 || r.Usage.CompletionTokens != 20 {
			t.Errorf("%s: usage %+v, want that of one answer", c.tool, r.Usage)
		}
		var format struct {
			Type   string `json:"type"`
			Schema struct {
				Name   string         `json:"name"`
				Schema map[string]any `json:"schema"`
			} `json:"json_schema"`
		}
		if err := json.Unmarshal(s.asked[0].Params["response_format"], &format); err != nil || format.Type != "json_schema" || format.Schema.Name != c.tool || format.Schema.Schema["type"] != "object" {
			t.Errorf("%s: response_format %s, %v", c.tool, s.asked[0].Params["response_format"], err)
		}
	}
}

// The model gets the mistakes of its answer once; after a second invalid answer the
// rules compose, where they can.
func TestModelRepairs(t *testing.T) {
	t.Parallel()
	for _, c := range asks {
		for bad, why := range c.bad {
			s := &scriptedModel{says: []string{bad, c.good}}
			r, err := engine().Run(t.Context(), writer(s), checked(t, c.tool, c.args))
			if err != nil || !r.OK || r.Metadata["repaired"] != true || r.Usage.PromptTokens != 200 {
				t.Errorf("%s after %s: %v %+v", c.tool, bad, err, r)
				continue
			}
			last := s.asked[1].Messages
			if sent := last[len(last)-1].Text(); len(s.asked) != 2 || !strings.Contains(sent, why) {
				t.Errorf("%s after %s: sent %q, want %q in it", c.tool, bad, sent, why)
			}
			s = &scriptedModel{says: []string{bad, bad}}
			r, err = engine().Run(t.Context(), writer(s), checked(t, c.tool, c.args))
			switch {
			case err != nil || len(s.asked) != 2 || r.Usage.CompletionTokens != 40:
				t.Errorf("%s, twice %s: %v, asked %d times, usage %+v", c.tool, bad, err, len(s.asked), r.Usage)
			case c.tool == "compose_lyrics": // the rules cannot write Japanese
				if r.OK || r.ErrorType != "MODEL_UNAVAILABLE" || !r.Retryable {
					t.Errorf("%s: got %+v, want MODEL_UNAVAILABLE", c.tool, r)
				}
			case !r.OK || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[len(r.Warnings)-1], "Composed by rules"):
				t.Errorf("%s, twice %s: got %+v, want the rules' with a warning", c.tool, bad, r)
			}
		}
	}
}

// When a model does not answer, the rules compose, and its error is shown to
// callers only if it is meant for them.
func TestModelFails(t *testing.T) {
	t.Parallel()
	enhance := checked(t, "enhance_prompt", `{"prompt":"a fox","target_output":"image_prompt","destination_model":"z-turbo"}`)
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("dial tcp 10.0.0.7: secret"), "it did not answer"},
		{atelier.Errorf(atelier.CodeUnavailable, "The language model is busy."), "The language model is busy."},
	} {
		r, err := engine().Run(t.Context(), writer(&scriptedModel{err: c.err}), enhance)
		if err != nil || !r.OK || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], c.want) || strings.Contains(r.Warnings[0], "secret") {
			t.Errorf("%v: got %v %+v", c.err, err, r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine().Run(ctx, writer(&scriptedModel{}), enhance); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	s := &scriptedModel{}
	w := llm.Model{ID: llm.BuiltinID, Completer: s}
	if r, err := engine().Run(t.Context(), w, enhance); err != nil || !r.OK || len(s.asked) > 0 {
		t.Errorf("the built-in model: %v %+v, asked %d times; want the rules", err, r, len(s.asked))
	}
}

// Frames are sent only to a model with vision.
func TestFramesAreShown(t *testing.T) {
	t.Parallel()
	pixel := "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	script := checked(t, "compose_script", `{"brief":"a bakery","first_frame_data_url":"`+pixel+`","scene_count":2,"duration_seconds":10}`)
	for _, sees := range []bool{true, false} {
		s := &scriptedModel{says: []string{asks[1].good}}
		w := writer(s)
		w.Vision = sees
		if r, err := engine().Run(t.Context(), w, script); err != nil || !r.OK {
			t.Fatalf("%v %+v", err, r)
		}
		images := 0
		for _, p := range s.asked[0].Messages[1].Content {
			if p.Type == "image_url" {
				images++
			}
		}
		if text := s.asked[0].Messages[1].Text(); (images == 1) != sees || strings.Contains(text, "base64") {
			t.Errorf("sees %v: %d images, text %q", sees, images, text)
		}
	}
}

// A model that the caller cannot pay for is not replaced by the rules: the caller
// gets the error. When only the correction cannot be paid, the rules compose.
func TestUnpaid(t *testing.T) {
	t.Parallel()
	enhance := checked(t, "enhance_prompt", `{"prompt":"a fox","target_output":"image_prompt","destination_model":"krea-2-turbo"}`)
	broke := atelier.Errorf(atelier.CodeInsufficientBalance, "The balance is too low.")
	r, err := engine().Run(t.Context(), writer(&scriptedModel{err: broke}), enhance)
	if !atelier.HasCode(err, atelier.CodeInsufficientBalance) {
		t.Errorf("got %+v, %v, want the refusal", r, err)
	}
	once := &scriptedModel{says: []string{"no"}}
	r, err = engine().Run(t.Context(), writer(&purse{once, broke}), enhance)
	if err != nil || !r.OK || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[len(r.Warnings)-1], "The balance is too low.") || len(once.asked) != 1 {
		t.Errorf("got %+v, %v, want what the rules make", r, err)
	}
}

// purse is a model that can be paid for one answer.
type purse struct {
	*scriptedModel
	empty error
}

func (p *purse) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	if len(p.asked) > 0 {
		return p.empty
	}
	return p.scriptedModel.Complete(ctx, q, emit)
}
