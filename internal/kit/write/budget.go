package write

import (
	"fmt"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// costed is a plan that the catalog accepts, and what it needs.
type costed struct {
	plan    draft.Plan
	recipe  recipe
	answers []*catalog.Step
	units   int
}

// cost makes the steps of a recipe, and lets the catalog check and price them.
func (p *production) cost(r recipe) (costed, error) {
	steps := draft.Plan{Title: title(p.topic), Steps: r.steps()}
	answers, err := p.check(steps, p.uploads)
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
	most := p.args.Whole("max_estimated_capacity_units")
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
	return prose.List(parts)
}

// WriteWorkflow drafts the plan of a brief. check accepts or refuses a plan.
func (rules *Rules) WriteWorkflow(a draft.Arguments, check draft.Check) draft.Workflow {
	p := rules.produce(a, check)
	out := draft.Workflow{Title: title(p.topic), Uploads: p.uploads}
	c, fits, err := p.affordable()
	if err != nil {
		out.Refusal = &draft.Refusal{Kind: draft.PlanInvalid, Reason: "No plan for this brief passes the catalog: " + err.Error() + ".", Next: "change:brief"}
		return out
	}
	out.Plan, out.Answers, out.Fits, out.Warnings = c.plan, c.answers, fits, p.warnings
	return out
}
