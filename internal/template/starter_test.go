package template_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

func starters(t testing.TB) []atelier.Template {
	t.Helper()
	list, err := template.Starters()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// sample is a value for an input that has no default.
func sample(in atelier.TemplateInput) any {
	switch in.Type {
	case atelier.InputImage:
		return "https://example.com/a.png"
	case atelier.InputVideo:
		return "https://example.com/a.mp4"
	case atelier.InputAudio:
		return "https://example.com/a.wav"
	}
	return "a red car"
}

// choices are the inputs to try a template with: the required ones, and with them
// each other value that it offers.
func choices(t atelier.Template) []map[string]any {
	least := func() map[string]any {
		out := map[string]any{}
		for _, in := range t.Inputs {
			if in.Required && in.Default == nil {
				out[in.Name] = sample(in)
			}
		}
		return out
	}
	out := []map[string]any{least()}
	with := func(name string, v any) {
		m := least()
		m[name] = v
		out = append(out, m)
	}
	for _, in := range t.Inputs {
		switch {
		case in.Type == atelier.InputBoolean:
			with(in.Name, true)
			with(in.Name, false)
		case in.Multiple != nil:
			for _, n := range []int{max(in.Multiple.Min, 1), in.Multiple.Max} {
				with(in.Name, slices.Repeat([]any{sample(in)}, n))
			}
		case !in.Required && in.Default == nil:
			with(in.Name, sample(in))
		case in.Schema["maximum"] != nil:
			with(in.Name, in.Schema["minimum"])
			with(in.Name, in.Schema["maximum"])
		}
		for _, o := range in.Options {
			with(in.Name, o.Value)
		}
	}
	return out
}

// The templates that come with the service are valid, have no field without effect,
// and compile with every value that they offer.
func TestStartersCompile(t *testing.T) {
	t.Parallel()
	list := starters(t)
	if len(list) < 10 {
		t.Errorf("there are %d starters, want at least 10", len(list))
	}
	env := newFixture(t, storetest.SQLite(t))
	for _, s := range list {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			text, err := wire.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if issues := env.Validate(fields(t, string(text))); len(issues) > 0 {
				t.Errorf("issues: %+v", issues)
			}
			if s.Visibility != atelier.VisibilityPublic || s.Author != (atelier.TemplateAuthor{}) || s.Graph == nil || s.Description == "" || len(s.Tags) == 0 {
				t.Errorf("visibility %s, author %v, graph %s, description %q, tags %q", s.Visibility, s.Author, s.Graph, s.Description, s.Tags)
			}
			if picture, err := fs.ReadFile(enginetest.Catalog().Gallery(), template.PictureOf(s.ID)); err != nil || len(picture) > 25_000 {
				t.Errorf("its picture has %d bytes, want at most 25,000: %v", len(picture), err)
			}
			for _, inputs := range choices(s) {
				c, err := env.Compile(t.Context(), s, template.Request{Inputs: inputs})
				if err != nil {
					t.Errorf("with %v: %v\n%v", inputs, err, details(err))
					continue
				}
				if err := planned(enginetest.Catalog(), c); err != nil {
					t.Errorf("with %v: %v", inputs, err)
				}
			}
		})
	}
}

// planned checks a plan against the catalog, step by step, as the workflow engine
// does.
func planned(c *catalog.Catalog, plan template.Compiled) error {
	var uploaded, generated catalog.Counts
	for _, m := range plan.Media {
		uploaded.Add(catalog.Kind(m.Kind), 1)
	}
	makes := map[string]catalog.Output{}
	for _, s := range plan.Steps {
		var bound []string
		for _, b := range s.DependsOn {
			from, ok := makes[b.SourceStepID]
			if !ok && b.SourceStepID != atelier.InputMedia {
				return fmt.Errorf("step %s takes from %s, which does not come before it", s.ID, b.SourceStepID)
			}
			if ok && b.SourceArtifactIndex >= from.Count {
				return fmt.Errorf("step %s takes number %d of %s, which makes %d", s.ID, b.SourceArtifactIndex, b.SourceStepID, from.Count)
			}
			bound = append(bound, b.TargetArgument)
		}
		answer, err := c.Step(s.ToolName, s.Arguments, catalog.Facts{Bound: bound, Uploaded: &uploaded, Generated: &generated})
		if err != nil {
			return fmt.Errorf("step %s: %w", s.ID, err)
		}
		makes[s.ID] = answer.Outputs
		generated.Add(answer.Outputs.Kind, answer.Outputs.Count)
	}
	return nil
}

// The workflow engine accepts every plan of every starter.
func TestStartersStart(t *testing.T) {
	t.Parallel()
	e := workflows(t)
	for _, s := range starters(t) {
		for _, inputs := range choices(s) {
			started, err := e.Start(t.Context(), ann, workflow.StartRequest{
				TemplateID: s.ID, Inputs: inputs, Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true, Approve: true,
			})
			if err != nil {
				t.Errorf("%s with %v: %v", s.ID, inputs, err)
				continue
			}
			w := started.Workflow
			if w.Status != atelier.StatusWaitingForUser || w.WaitingReason != atelier.WaitCostApproval || w.Template == nil || w.Template.ID != s.ID {
				t.Errorf("%s: status %s, waiting for %s, template %v", s.ID, w.Status, w.WaitingReason, w.Template)
			}
		}
	}
}

// workflows is the engine that templates are made for.
func workflows(t *testing.T) *workflow.Engine {
	t.Helper()
	env := enginetest.New(t, storetest.SQLite(t))
	env.AddAccount(ann, billing.Credits{})
	return env.NewWorkflows()
}
