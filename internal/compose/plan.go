package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// workflowByRules runs compose_workflow by rules.
func (e *Engine) workflowByRules(a arguments) Result {
	d := e.rules.WriteWorkflow(a, e.check)
	if d.Refusal != nil {
		return refusal(d.Refusal)
	}
	return planResult(d)
}

// workflowFromModel is compose_workflow from the plan of a model.
func (e *Engine) workflowFromModel(a arguments, x answer) (Result, error) {
	out, err := x.plan()
	if err != nil {
		return Result{}, err
	}
	d := e.rules.WriteWorkflow(a, e.check)
	out.Title = prose.Cut(cmp.Or(out.Title, d.Title), 120)
	answers, err := e.check(out, d.Uploads)
	if err != nil {
		return Result{}, err
	}
	units := catalog.Capacity(answers)
	if most := a.Whole("max_estimated_capacity_units"); most > 0 && units > most {
		return Result{}, improve("the plan needs %d capacity units, and at most %d are allowed", units, most)
	}
	return planResult(draft.Workflow{Plan: out, Answers: answers, Fits: true, Uploads: d.Uploads}), nil
}

// planResult is a plan with its estimate.
func planResult(d draft.Workflow) Result {
	units, length := catalog.Capacity(d.Answers), 0.0
	for _, a := range d.Answers {
		if a.Outputs.Kind == catalog.Video && a.Tool.Name != "stitch_video" {
			length += a.Length.Seconds * float64(max(1, a.Outputs.Count))
		}
	}
	r := success(summary(d.Plan, units), map[string]any{"plan": d.Plan, "estimated_capacity_units": units, "fits_budget": d.Fits})
	r.Warnings = append(d.Warnings, premiumWarning(d.Answers)...)
	r.Metadata = map[string]any{"step_count": len(d.Plan.Steps)}
	if length > 0 {
		r.Metadata["duration_seconds"] = draft.Tenths(length)
	}
	if d.Uploads.Images > 0 {
		r.Metadata["required_media"] = []map[string]any{{"kind": "image", "count": d.Uploads.Images}}
	}
	return r
}

// premiumWarning names the models that not every account can pay for.
func premiumWarning(answers []*catalog.Step) []string {
	var names []string
	for _, a := range answers {
		if a.Premium() && !slices.Contains(names, a.Model.Name) {
			names = append(names, a.Model.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Paid with Premium Spark: %s.", prose.List(names))}
}

// summary says in a line what a plan does.
func summary(p draft.Plan, units int) string {
	counts := map[string]int{}
	for _, s := range p.Steps {
		counts[s.ToolName]++
	}
	var parts []string
	for _, t := range []struct{ tool, one, many string }{
		{"generate_image", "image", "images"}, {"edit_image", "edit", "edits"}, {"animate_photo", "animation", "animations"}, {"generate_video", "clip", "clips"}, {"generate_music", "piece of music", "pieces of music"},
		{"generate_speech", "voice-over", "voice-overs"}, {"sound_to_video", "clip to the music", "clips to the music"}, {"stitch_video", "final cut", "final cuts"},
	} {
		switch n := counts[t.tool]; {
		case n == 1:
			parts = append(parts, "1 "+t.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, t.many))
		}
		delete(counts, t.tool)
	}
	for tool, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(tool, "_", " ")))
	}
	steps := "steps"
	if len(p.Steps) == 1 {
		steps = "step"
	}
	return fmt.Sprintf("%s: %d %s (%s), %d capacity units.", p.Title, len(p.Steps), steps, prose.List(parts), units)
}
