package compose_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// Briefs as people write them, and how many steps their plans have.
var briefs = []struct {
	args  string
	steps int
	tools string // of the plan, in order, without repeats
}{
	{`{"brief":"A short film about a fox exploring a snowy city at night","duration_seconds":20,"include_audio":true,"aspect_ratio":"16:9"}`, 10, "generate_image animate_photo generate_music stitch_video"},
	{`{"brief":"A set of product shots for a ceramic teapot","style":"Scandinavian, muted colours","aspect_ratio":"4:3"}`, 4, "generate_image"},
	{`{"brief":"A love song about paper lanterns with cover art and a music video","destination_models":{"music":"turbo"}}`, 3, "generate_music generate_image sound_to_video"},
	{`{"brief":"An instrumental jazz track for a rainy evening"}`, 2, "generate_music generate_image"},
	{`{"brief":"trailer for a mystery in Venice","scene_count":8,"include_audio":true}`, 11, "generate_image animate_photo generate_music stitch_video"},
	{`{"brief":"a montage of city life","scene_count":12,"include_audio":true}`, 12, "generate_video generate_music stitch_video"},
	{`{"brief":"one clip of a whale","scene_count":1,"duration_seconds":6}`, 2, "generate_image animate_photo"},
	{`{"brief":"A lighthouse keeper finds a message in a bottle. She rows out into the fog. At dawn the boat comes back empty.","include_audio":true,"style":"painterly 35mm film"}`, 8, "generate_image animate_photo generate_music stitch_video"},
	{`{"brief":"A narrated documentary film about bees. Bees leave the hive. They dance to show the way.","include_audio":true}`, 8, "generate_image animate_photo generate_speech stitch_video"},
	{`{"brief":"five portraits of old sailors","destination_models":{"image":"dreamshaper-xl"},"aspect_ratio":"3:4"}`, 5, "generate_image"},
	{`{"brief":"an ad for running shoes","destination_models":{"video":"minimax-h3-t2v-turbo","image":"krea-2-turbo"},"duration_seconds":16,"aspect_ratio":"9:16"}`, 4, "generate_video stitch_video"},
	{`{"brief":"a reel of a dancer","destination_models":{"video":"minimax-h3-i2v-turbo"},"duration_seconds":12,"aspect_ratio":"9:16"}`, 5, "generate_image animate_photo stitch_video"},
	{`{"brief":"a film of the sea","duration_seconds":120}`, 12, ""},
	{`{"brief":"a film of the sea","duration_seconds":1}`, 2, ""},
	{`{"brief":"a logo for a bakery"}`, 1, "generate_image"},
	{`{"brief":"a film in 21:9 of the desert","aspect_ratio":"21:9","scene_count":2}`, 5, ""},
	{`{"brief":"turn my photo into a watercolour and bring it to life"}`, 2, "edit_image animate_photo"},
	{`{"brief":"!!!"}`, 7, ""},
	{`{"brief":"火山"}`, 7, ""},
}

// Every plan starts as it is, and its estimate is the engine's own.
func TestPlansStart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, b := range briefs {
		m := mustRun(t, "compose_workflow", b.args)
		title, steps := planOf(t, m)
		var media []atelier.MediaReference
		if strings.Contains(b.args, "my photo") {
			media = picture
		}
		units, err := f.start(t, title, steps, media)
		if err != nil {
			t.Errorf("%s: %v", b.args, err)
			continue
		}
		if got := m["estimated_capacity_units"]; got != float64(units) || m["fits_budget"] != true {
			t.Errorf("%s: estimated %v, fits %v; want %d and true", b.args, got, m["fits_budget"], units)
		}
		if got := inTurn(steps); b.tools != "" && got != b.tools {
			t.Errorf("%s: tools %s, want %s", b.args, got, b.tools)
		}
		if len(steps) != b.steps && b.steps != 12 || len(steps) > 12 {
			t.Errorf("%s: %d steps, want %d", b.args, len(steps), b.steps)
		}
	}
}

func inTurn(steps []atelier.StepInput) string {
	var out []string
	for _, s := range steps {
		if len(out) == 0 || out[len(out)-1] != s.ToolName {
			out = append(out, s.ToolName)
		}
	}
	return strings.Join(out, " ")
}

// A plan for a small budget gets smaller until it fits, with a warning.
func TestPlansFitBudgets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for most := 1; most <= 60; most += 3 {
		args := fmt.Sprintf(`{"brief":"trailer for a mystery in Venice","scene_count":4,"include_audio":true,"max_estimated_capacity_units":%d}`, most)
		m := mustRun(t, "compose_workflow", args)
		title, steps := planOf(t, m)
		units, err := f.start(t, title, steps, nil)
		if err != nil {
			t.Errorf("at most %d: %v", most, err)
		}
		if got := m["estimated_capacity_units"]; got != float64(units) || units > most || m["fits_budget"] != true {
			t.Errorf("at most %d: estimated %v, really %d, fits %v", most, got, units, m["fits_budget"])
		}
		if most < 40 && m["warnings"] == nil {
			t.Errorf("at most %d: got no warning that something is left out", most)
		}
	}
	m := mustRun(t, "compose_workflow", `{"brief":"a song about rain","max_estimated_capacity_units":1}`)
	if m["fits_budget"] != false || m["warnings"] == nil {
		t.Errorf("a song for 1 unit: fits %v, warnings %v; want false and a warning", m["fits_budget"], m["warnings"])
	}
}

func TestPlansHonourArguments(t *testing.T) {
	t.Parallel()
	_, steps := planOf(t, mustRun(t, "compose_workflow", `{"brief":"a film about a corgi","scene_count":3,"duration_seconds":13,"aspect_ratio":"9:16","destination_models":{"image":"krea-2-turbo","video":"wan22","music":"sft"},"include_audio":true}`))
	sum := 0.0
	for _, s := range steps {
		a := s.Arguments
		switch s.ToolName {
		case "generate_image":
			if a["model"] != "krea-2-turbo" || a["aspectRatio"] != "9:16" || !strings.Contains(a["prompt"].(string), "corgi") {
				t.Errorf("image: %v", a)
			}
		case "animate_photo":
			if a["videoModel"] != "wan22" || a["aspectRatio"] != "9:16" {
				t.Errorf("clip: %v", a)
			}
			sum += a["duration"].(float64)
		case "generate_music":
			if a["model"] != "sft" {
				t.Errorf("music: %v", a)
			}
		}
	}
	if sum < 12.99 || sum > 13.01 {
		t.Errorf("clips last %v seconds, want 13", sum)
	}
	m := mustRun(t, "compose_workflow", `{"brief":"a film about a corgi","destination_models":{"image":"nope","video":"z-turbo"}}`)
	if list, _ := m["warnings"].([]any); len(list) != 2 {
		t.Errorf("warnings %v, want one for each model that cannot be used", m["warnings"])
	}
}

// Every draft is saved, compiles with its own inputs and starts; so does the
// plan beside it.
func TestDraftsStart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var all []string
	for _, b := range briefs {
		all = append(all, strings.Replace(b.args, `{"brief"`, `{"name":"A draft","brief"`, 1))
	}
	all = append(all,
		`{"name":"Season film","brief":"a film about a fox","inputs":[{"name":"season","type":"text","required":true},{"name":"soundtrack","type":"audio","required":true},{"name":"seconds","type":"number","default":4}]}`,
		`{"name":"Make-over","brief":"a portrait in a new style","inputs":[{"name":"selfie","type":"image","required":true,"description":"You."},{"name":"era","type":"select","options":["1920s","1980s"],"required":true}]}`,
		`{"name":"Public","brief":"a set of images of cakes","visibility":"public","category":"other","description":"Cakes."}`,
		`{"name":"Tricky","brief":"a film about $inputs.nothing and $artifacts.x.items[0].url"}`,
	)
	for _, args := range all {
		m := mustRun(t, "compose_workflow_template", args)
		draft := m["template_draft"].(map[string]any)
		text, err := wire.Marshal(draft)
		if err != nil {
			t.Fatal(err)
		}
		var fields template.Fields
		if err := wire.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		saved, err := f.templates.Create(t.Context(), ann, fields)
		if err != nil {
			t.Errorf("%s: %v\n%v", args, err, issues(err))
			continue
		}
		inputs := map[string]any{}
		var media []atelier.MediaReference
		for _, in := range saved.Template.Inputs {
			if in.Default != nil || !in.Required {
				continue
			}
			switch in.Type {
			case atelier.InputImage:
				inputs[in.Name] = picture[0].URL
				media = append(media, picture[0])
			case atelier.InputAudio:
				inputs[in.Name] = "https://example.com/a.wav"
				media = append(media, atelier.MediaReference{Kind: "audio", URL: "https://example.com/a.wav"})
			case atelier.InputSelect:
				inputs[in.Name] = in.Options[0].Value
			default:
				inputs[in.Name] = "winter"
			}
		}
		c, err := f.templates.Compile(t.Context(), saved.Template, template.Request{Inputs: inputs})
		if err != nil {
			t.Errorf("%s: compile: %v\n%v", args, err, issues(err))
			continue
		}
		compiled, err := f.start(t, c.Title, c.Steps, c.Media)
		if err != nil {
			t.Errorf("%s: start the template: %v", args, err)
		}
		title, steps := planOf(t, m)
		units, err := f.start(t, title, steps, media)
		if err != nil {
			t.Errorf("%s: start the plan: %v", args, err)
		}
		if m["estimated_capacity_units"] != float64(units) || compiled != units {
			t.Errorf("%s: estimated %v, plan %d, template %d", args, m["estimated_capacity_units"], units, compiled)
		}
		if draft["name"] == "" || draft["visibility"] != "private" {
			t.Errorf("%s: name %v, visibility %v", args, draft["name"], draft["visibility"])
		}
	}
}

func issues(err error) any {
	var e *atelier.Error
	if errors.As(err, &e) {
		return e.Details
	}
	return nil
}

// An existing template is changed where the arguments say so, and kept where
// they do not.
func TestRevision(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	starters, err := template.Starters()
	if err != nil {
		t.Fatal(err)
	}
	for _, starter := range starters {
		text, err := wire.Marshal(map[string]any{
			"name": "Mine", "brief": "the same, but as a watercolour and with music", "existing_template": starter, "style": "loose watercolour", "include_audio": true, "duration_seconds": 20,
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := engine().Run(t.Context(), llm.Model{}, checked(t, "compose_workflow_template", string(text)))
		if err != nil || !r.OK {
			t.Errorf("%s: %v %s", starter.ID, err, r.Reason)
			continue
		}
		m := wired(t, r)
		if got := m["metadata"].(map[string]any)["revises"]; got != starter.ID {
			t.Errorf("%s: revises %v", starter.ID, got)
		}
		draft := m["template_draft"].(map[string]any)
		again, err := wire.Marshal(draft)
		if err != nil {
			t.Fatal(err)
		}
		var fields template.Fields
		if err := wire.Unmarshal(again, &fields); err != nil {
			t.Fatal(err)
		}
		if _, err := f.templates.Create(context.WithoutCancel(t.Context()), ann, fields); err != nil {
			t.Errorf("%s: %v\n%v", starter.ID, err, issues(err))
		}
	}
	r := run(t, "compose_workflow_template", `{"name":"x","brief":"y","existing_template":{"name":"x"}}`)
	if r.OK || r.ErrorType != "USER_INPUT_INCOMPLETE" {
		t.Errorf("a template without stages: got %+v, want USER_INPUT_INCOMPLETE", r)
	}
	r = run(t, "compose_workflow_template", `{"name":"x","brief":"y","existing_template":{"stages":[{"id":"a","tool":"no_tool","args":{}}]}}`)
	if r.OK || r.ErrorType != "WORKFLOW_VALIDATION_FAILED" {
		t.Errorf("an unknown tool: got %+v, want WORKFLOW_VALIDATION_FAILED", r)
	}
}
