package template_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// seeds are templates and inputs to begin with.
func seeds(f *testing.F) {
	for _, s := range starters(f) {
		text, err := wire.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		for i, inputs := range choices(s) {
			if given, err := json.Marshal(inputs); err == nil && i < 2 {
				f.Add(string(text), string(given))
			}
		}
	}
	for _, stages := range []string{
		picture, batch(`"overBinding":"$inputs.scenes","produces":["p"]`), `{"id":"g","subStages":[{"id":"g","subStages":[]}]}`,
		`{"id":"a","tool":"generate_image","args":{"prompt":"$$inputs.who $inputs.who[9] $item $artifacts.a.items[$item.index].url"}}`,
		`{"id":"a","tool":"stitch_video","args":{"videoIndices":["$inputs.film",["$inputs.film"],null,{"x":"$inputs.who"},-1e300]}}`,
		`{"id":"a","tool":"overlay_video","args":{"overlays":[{"kind":"image","sourceImageIndex":"$inputs.more"}],"sourceVideoIndex":"$inputs.scenes"}}`,
		`{"id":"a","tool":"generate_image","condition":{"type":"expr","expression":"!(inputs.who=='')||-1.5==inputs.count"},"args":{"prompt":"p","numberOfVariations":"$inputs.count"}}`,
		`{"id":"v","tool":"generate_image","args":{"prompt":"p","numberOfVariations":16},"produces":["v"]},{"id":"b","type":"batch","overBinding":"$artifacts.v","produces":["b"],"itemStage":{"tool":"generate_video","args":{"prompt":"p","referenceImageIndices":["$artifacts.v.items","$item"]}}}`,
		`{"id":"a","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"$input_media","sourceArtifactIndex":1000,"targetArgument":"mask_image_url","transform":"asset_ref","required":false},{"sourceStepId":"a/main","targetArgument":"x","transform":""}]}`,
	} {
		f.Add(asked(stages), `{"who":"x","film":"https://x/f","photo":{"url":"https://x/p"},"more":["https://x/1"],"scenes":["a","b"],"count":3}`)
	}
	f.Add(`{"name":"n","inputs":[{"name":"a","type":"text","default":[1],"multiple":{}}],"stages":[{},[],null]}`, `{"a":[[],{}]}`)
}

// Compiling any template with any inputs ends in a plan that the workflow engine
// accepts, or in issues.
func FuzzCompile(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text, given string) {
		var inputs map[string]any
		parsed, err := template.Open([]byte(text))
		if err != nil || json.Unmarshal([]byte(given), &inputs) != nil {
			t.Skip()
		}
		c, err := template.Compile(t.Context(), enginetest.Catalog(), parsed, template.Request{Inputs: inputs})
		var e *atelier.Error
		switch {
		case err == nil:
		case !errors.As(err, &e) || e.Code.Number != atelier.CodeTemplateCompile.Number || len(details(err)) == 0 || len(details(err)) > 50:
			t.Fatalf("got %v, want the issues of a template", err)
		default:
			return
		}
		if n := len(c.Steps); n == 0 || n > atelier.MaxSteps {
			t.Fatalf("a plan of %d steps", n)
		}
		if len(c.Media) > 64 {
			t.Fatalf("a plan with %d media", len(c.Media))
		}
		plan, err := json.Marshal(c.Steps)
		if err != nil || len(plan) > 8<<20 {
			t.Fatalf("a plan of %d bytes, %v", len(plan), err)
		}
		seen := map[string]bool{}
		for _, s := range c.Steps {
			if seen[s.ID] || s.ID == "" {
				t.Fatalf("two steps are called %q", s.ID)
			}
			seen[s.ID] = true
		}
		if err := planned(enginetest.Catalog(), c); err != nil {
			t.Fatalf("the plan does not hold: %v", err)
		}
	})
}

// Any text sent as a template is either refused with issues that name their paths,
// or read back as it was sent.
func FuzzValidate(f *testing.F) {
	seeds(f)
	e := template.New(nil, enginetest.Catalog(), template.Options{})
	f.Fuzz(func(t *testing.T, text, _ string) {
		var sent template.Fields
		if wire.Unmarshal([]byte(text), &sent) != nil {
			t.Skip()
		}
		issues := e.Validate(sent)
		if len(issues) > 100 {
			t.Fatalf("%d issues", len(issues))
		}
		for _, i := range issues {
			if i.Code == "" || i.Message == "" || (i.Severity != "error" && i.Severity != "warning") || len(i.Message) > 10_000 {
				t.Fatalf("an issue %+v", i)
			}
			if i.Severity == "error" {
				return
			}
		}
		parsed, err := template.Open([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		written, err := wire.Marshal(parsed)
		if err != nil {
			t.Fatalf("what is valid cannot be written: %v", err)
		}
		again, err := template.Open(written)
		if err != nil || string(again.Metadata) != string(parsed.Metadata) && !strings.ContainsAny(string(parsed.Metadata), " \t\r\n") || len(again.Stages) != len(parsed.Stages) || again.Name != parsed.Name {
			t.Fatalf("%s\nbecame\n%s, %v", text, written, err)
		}
	})
}
