package chat_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The families are those of the specification; creative-agent adds workflow
// control, the asset manifest and the planners.
func TestFamilies(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t), text("1"), text("2"), text("3"), text("4"))
	offered := func(n int, family string, own ...string) (names []string) {
		q := env.ask("hi")
		q.Family = family
		for _, name := range own {
			q.Tools = append(q.Tools, llm.Tool{Type: "function", Function: llm.Function{Name: name}})
		}
		env.complete(q)
		for _, tool := range env.model.request(n).Tools {
			names = append(names, tool.Function.Name)
			var schema map[string]any
			if err := json.Unmarshal(tool.Function.Parameters, &schema); len(tool.Function.Parameters) > 0 && (err != nil || schema["type"] != "object") {
				t.Errorf("the schema of %s is not an object: %s", tool.Function.Name, tool.Function.Parameters)
			}
		}
		return names
	}
	tools, agent := offered(0, catalog.CreativeTools), offered(1, catalog.CreativeAgent)
	basic := strings.Fields(`generate_image generate_video generate_music generate_speech edit_image apply_style restore_photo upscale_image image_to_3d
		remove_background segment_image upscale_video refine_result animate_photo change_angle video_to_video stitch_video orbit_video dance_montage sound_to_video
		extend_video replace_video_segment overlay_video add_subtitles analyze_image analyze_video extract_metadata enhance_prompt compose_script compose_lyrics compose_instrumental`)
	more := strings.Fields(`ask_clarifying_question finalize_response create_asset_manifest inspect_asset label_asset map_assets_for_model validate_asset_references
		compose_workflow compose_workflow_template start_workflow get_workflow list_workflows cancel_workflow resume_workflow reseed_workflow`)
	same(t, "creative-tools", tools, basic)
	same(t, "creative-agent", agent, append(basic, more...))
	same(t, "none", offered(2, "", "weather"), []string{"weather"})
	mixed := offered(3, catalog.CreativeTools, "weather", "generate_image")
	if len(mixed) != len(basic)+1 || mixed[0] != "weather" {
		t.Errorf("with two tools of the caller's: %v", mixed)
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Who runs a call: the service what it may, the caller the rest.
func TestWhoRuns(t *testing.T) {
	t.Parallel()
	const enhance, picture = `{"prompt":"a fox","target_output":"image_prompt","destination_model":"krea-2-turbo"}`, `{"prompt":"a fox"}`
	key, token := atelier.CredentialAPIKey, atelier.CredentialSessionToken
	for _, c := range []struct {
		name    string
		by      atelier.CredentialKind
		stream  bool
		execute bool
		calls   []string
		run     []string
		raw     []string
	}{
		{"key: media", key, false, true, []string{"generate_image", picture}, []string{"generate_image"}, nil},
		{"key: media in a stream", key, true, true, []string{"generate_image", picture}, []string{"generate_image"}, nil},
		{"key: writing in a stream", key, true, true, []string{"enhance_prompt", enhance}, []string{"enhance_prompt"}, nil},
		{"key: no execution", key, false, false, []string{"generate_image", picture, "enhance_prompt", enhance}, nil, []string{"generate_image", "enhance_prompt"}},
		{"key: no execution in a stream", key, true, false, []string{"generate_image", picture}, nil, []string{"generate_image"}},
		{"key: the caller's own", key, false, true, []string{"weather", `{}`}, nil, []string{"weather"}},
		{"key: the caller's own beside media", key, true, true, []string{"weather", `{}`, "generate_image", picture}, []string{"generate_image"}, []string{"weather"}},
		{"key: unknown", key, false, true, []string{"fly", `{}`}, []string{"fly"}, nil},
		{"token: media", token, false, true, []string{"generate_image", picture}, nil, []string{"generate_image"}},
		{"token: writing", token, false, true, []string{"enhance_prompt", enhance}, []string{"enhance_prompt"}, nil},
		{"token: writing in a stream", token, true, true, []string{"enhance_prompt", enhance}, nil, []string{"enhance_prompt"}},
		{"token: both", token, false, true, []string{"generate_image", picture, "enhance_prompt", enhance}, []string{"enhance_prompt"}, []string{"generate_image"}},
		{"token: no execution", token, false, false, []string{"enhance_prompt", enhance}, nil, []string{"enhance_prompt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			says := []llm.Delta{call(c.calls...)}
			if slices.Contains(c.run, "enhance_prompt") {
				says = append(says, text(`{"prompt":"A red fox"}`))
			}
			env := newFixture(t, storetest.SQLite(t), append(says, text("There."))...)
			env.runWorker()
			q := env.ask("go")
			q.Caller.Credential, q.Stream, q.Execute = c.by, c.stream, c.execute
			q.Tools = []llm.Tool{{Type: "function", Function: llm.Function{Name: "weather"}}}
			done, events := env.complete(q)
			var run, raw, streamed []string
			for _, r := range done.Results {
				run = append(run, r["tool"].(string))
			}
			for _, r := range done.ToolCalls {
				raw = append(raw, r.Function.Name)
			}
			for _, ev := range events {
				for _, d := range ev.ToolCalls {
					streamed = append(streamed, d.Name)
				}
			}
			finish := "stop"
			if c.raw != nil {
				finish = "tool_calls"
			}
			if !slices.Equal(run, c.run) || !slices.Equal(raw, c.raw) || !slices.Equal(streamed, c.raw) || done.FinishReason != finish {
				t.Errorf("ran %v, handed over %v (told %v), finished with %s; want %v, %v and %s", run, raw, streamed, done.FinishReason, c.run, c.raw, finish)
			}
		})
	}
}

// A tool can be demanded by name when the model may call it.
func TestDemandedTool(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t), text("1"), text("2"))
	for name, want := range map[string]bool{"weather": true, "generate_image": true, "list_workflows": false, "fly": false} {
		q := env.ask("hi")
		q.Tools = []llm.Tool{{Type: "function", Function: llm.Function{Name: "weather"}}}
		q.ToolChoice.Function = name
		_, err := env.e.Complete(t.Context(), &q, func(chat.Event) error { return nil })
		var e *atelier.Error
		if refused := errors.As(err, &e) && e.Field == "tool_choice.function.name"; refused == want || want && err != nil {
			t.Errorf("demand %s: got %v, want it accepted: %v", name, err, want)
		}
	}
}
