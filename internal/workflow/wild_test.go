package workflow_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Plans of any tools with any arguments and any bindings, most of them
// nonsense: each is refused with the field that is wrong, or it runs to an end.
//
//atelier:norace
func TestWildPlans(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), full, withOptions(func(o *workflow.Options) { o.ActiveLimit = 1 << 30 }))
	owner, ran := f.owner(), 0
	for seed := range uint64(3000 / thin()) {
		r := rand.New(rand.NewPCG(seed, 3))
		q := with(plan(), []string{"image", "video", "audio", "model"}[:r.IntN(5)]...)
		for i := range 1 + r.IntN(4) {
			q.Steps = append(q.Steps, wildStep(r, i))
		}
		s, err := f.e.Start(t.Context(), owner, q)
		if err != nil {
			var refusal *atelier.Error
			if !errors.As(err, &refusal) || refusal.Field == "" && refusal.Code != atelier.CodePremiumRequired {
				t.Errorf("seed %d: got %v, want a refusal of a field", seed, err)
			}
			continue
		}
		ran++
		for j := f.next(); j != nil; j = f.next() {
			if err := f.complete(j); err != nil && !atelier.HasCode(err, atelier.CodeInvalidRequest) {
				t.Errorf("seed %d: %s: %v", seed, j.Owner.Part, err)
			}
			if err := f.worker.Fail(j, atelier.FailError); err != nil && !atelier.HasCode(err, atelier.CodeJobLost) {
				t.Errorf("seed %d: %s: %v", seed, j.Owner.Part, err)
			}
		}
		if _, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(s.Workflow.WorkflowID), ""); err != nil { // what waits for a node
			t.Errorf("seed %d: cancel: %v", seed, err)
		}
		newMoves().replay(t, f, f.get(s.Workflow.WorkflowID))
	}
	if ran < 60/thin() {
		t.Errorf("only %d of the plans were accepted", ran)
	}
	f.Audit()
}

// next is the next job for a worker, or none.
func (f *fixture) next() *atelier.Job {
	if f.queued() == 0 {
		return nil
	}
	return f.claim()
}

func wildStep(r *rand.Rand, i int) atelier.StepInput {
	tools := enginetest.Catalog().Tools()
	tool := tools[r.IntN(len(tools))]
	s := step(name(i), tool.Name, args{})
	for _, a := range tool.Arguments {
		switch {
		case a.Required && r.IntN(10) > 0, r.IntN(8) == 0:
			s.Arguments[a.Name] = wildValue(r, a)
		}
	}
	transforms := []string{"image_index", "video_index", "audio_index", "image_url", "video_url", "audio_url", "artifact_url",
		"artifact_data_uri", "asset_ref", "subtitle_cues", "subtitle_srt", "overlay_items"}
	for range r.IntN(3) {
		b := from(name(r.IntN(5)), r.IntN(4)-1, transforms[r.IntN(len(transforms))], "prompt")
		if r.IntN(3) == 0 {
			b.SourceStepID = atelier.InputMedia
		}
		if n := len(tool.Arguments); n > 0 {
			b.TargetArgument = tool.Arguments[r.IntN(n)].Name
		}
		b.Required = r.IntN(2) == 0
		b.MediaType = []string{"", "image", "video"}[r.IntN(3)]
		s.DependsOn = append(s.DependsOn, b)
	}
	return s
}

// wildValue is a value that fits an argument, or nearly.
func wildValue(r *rand.Rand, a *catalog.Argument) any {
	switch {
	case r.IntN(12) == 0:
		return []any{nil, "", 1e300, -1e300, -1.5, true, []any{}, args{}, []any{nil, "x"}, "http://127.0.0.1:1/x"}[r.IntN(10)]
	case len(a.Enum) > 0:
		return a.Enum[r.IntN(len(a.Enum))]
	case a.URL:
		return "http://127.0.0.1:1/x"
	}
	switch a.Type {
	case "string":
		return fmt.Sprint("text ", r.IntN(10))
	case "boolean":
		return r.IntN(2) == 0
	case "array":
		var list []any
		for range 1 + r.IntN(3) {
			item := catalog.Argument{Type: "integer"}
			if a.Items != nil {
				item = *a.Items
			}
			list = append(list, wildValue(r, &item))
		}
		return list
	case "object":
		object := args{}
		for _, f := range a.Fields {
			if f.Required || r.IntN(2) == 0 {
				object[f.Name] = wildValue(r, f)
			}
		}
		return object
	}
	if a.Min != nil && a.Max != nil {
		return *a.Min + float64(r.IntN(int(*a.Max-*a.Min)+1))
	}
	return float64(r.IntN(8) - 3)
}
