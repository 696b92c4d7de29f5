package compose

import (
	"fmt"

	"github.com/atelier-project/atelier/internal/catalog"
)

// costed is a plan that the catalog accepts, and what it needs.
type costed struct {
	plan
	recipe  recipe
	answers []*catalog.Step
	units   int
}

// cost makes the steps of a recipe, and lets the catalog check and price them.
func (p *production) cost(r recipe) (costed, error) {
	steps := plan{Title: title(p.topic), Steps: r.steps()}
	answers, err := p.engine.check(steps, p.uploads)
	if err != nil {
		return costed{}, err
	}
	return costed{plan: steps, recipe: r, answers: answers, units: catalog.Capacity(answers)}, nil
}

// affordable returns the plan of the brief, or the next smaller one within the
// limit of capacity units, and whether it is within the limit.
func (p *production) affordable() (costed, bool, error) {
	full := p.recipe()
	c, err := p.cost(full)
	if err != nil && full.ratio != nil {
		shapeless := full
		shapeless.ratio = nil
		if again, e := p.cost(shapeless); e == nil {
			p.warn("A model of the plan does not make the shape %v, so it is left to the model.", full.ratio)
			full, c, err = shapeless, again, nil
		}
	}
	most := p.args.whole("max_estimated_capacity_units")
	if err != nil || most == 0 || c.units <= most {
		return c, err == nil, err
	}
	smallest := c
	for _, r := range full.smaller() {
		next, err := p.cost(r)
		if err != nil {
			continue
		}
		if next.units <= most {
			p.warn("The whole plan would need %d capacity units, and at most %d are allowed: %s.", c.units, most, full.without(r))
			return next, true, nil
		}
		if next.units < smallest.units {
			smallest = next
		}
	}
	p.warn("Even the smallest plan needs %d capacity units, and at most %d are allowed.", smallest.units, most)
	return smallest, false, nil
}

// smaller lists variants of the recipe, from large to small.
func (r recipe) smaller() (out []recipe) {
	if r.clip {
		s := r
		s.clip, s.each, s.moves = false, nil, nil
		out = append(out, s)
		r = s
	}
	if r.kind == "song" {
		s := r
		s.scenes = nil
		return append(out, s)
	}
	for _, still := range []bool{false, true} {
		for n := len(r.scenes); n > 0; n-- {
			s := r
			s.still = still && r.kind == "film"
			s.scenes = r.scenes[:n]
			if len(r.each) >= n {
				s.each, s.moves = r.each[:n], r.moves[:n]
			}
			if s.sound != "" && !still {
				out = append(out, s)
			}
			s.sound = ""
			out = append(out, s)
		}
		if r.kind != "film" {
			break
		}
	}
	return out
}

// without says what a smaller recipe leaves out.
func (r recipe) without(s recipe) string {
	var parts []string
	if len(s.scenes) < len(r.scenes) && len(s.scenes) > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d scenes are left", len(s.scenes), len(r.scenes)))
	}
	if len(s.scenes) == 0 {
		parts = append(parts, "the cover is left out")
	}
	if r.sound != "" && s.sound == "" {
		parts = append(parts, "the "+r.sound+" is left out")
	}
	if s.still && !r.still {
		parts = append(parts, "the scenes stay pictures")
	}
	if r.clip && !s.clip {
		parts = append(parts, "the clip is left out")
	}
	return listed(parts)
}

// workflowByRules runs compose_workflow by rules.
func (e *Engine) workflowByRules(a arguments) Result {
	p := e.produce(a)
	c, fits, err := p.affordable()
	if err != nil {
		return failure(planInvalid, "No plan for this brief passes the catalog: "+err.Error()+".", "change:brief")
	}
	return p.result(c.plan, c.answers, fits)
}

// result is a plan with its estimate.
func (p *production) result(out plan, answers []*catalog.Step, fits bool) Result {
	units, length := catalog.Capacity(answers), 0.0
	for _, a := range answers {
		if a.Outputs.Kind == catalog.Video && a.Tool.Name != "stitch_video" {
			length += a.Length.Seconds * float64(max(1, a.Outputs.Count))
		}
	}
	p.warnPremium(answers)
	r := success(summary(out, units), map[string]any{"plan": out, "estimated_capacity_units": units, "fits_budget": fits})
	r.Warnings = p.warnings
	r.Metadata = map[string]any{"step_count": len(out.Steps)}
	if length > 0 {
		r.Metadata["duration_seconds"] = seconds(length)
	}
	if p.uploads.Images > 0 {
		r.Metadata["required_media"] = []map[string]any{{"kind": "image", "count": p.uploads.Images}}
	}
	return r
}

// warnPremium warns of models that not every account can pay for.
func (p *production) warnPremium(answers []*catalog.Step) {
	var names []string
	for _, a := range answers {
		if a.Premium() {
			names = append(names, a.Model.Name)
		}
	}
	if len(names) > 0 {
		p.warn("Paid with Premium Spark: %s.", listed(unique(names)))
	}
}

// workflowFromModel is compose_workflow from the plan of a model.
func (e *Engine) workflowFromModel(a arguments, x answer) (Result, error) {
	p := e.produce(a)
	out, err := x.plan()
	if err != nil {
		return Result{}, err
	}
	out.Title = cut(orText(out.Title, title(p.topic)), 120)
	answers, err := e.check(out, p.uploads)
	if err != nil {
		return Result{}, err
	}
	units := catalog.Capacity(answers)
	if most := a.whole("max_estimated_capacity_units"); most > 0 && units > most {
		return Result{}, improve("the plan needs %d capacity units, and at most %d are allowed", units, most)
	}
	return p.result(out, answers, true), nil
}
