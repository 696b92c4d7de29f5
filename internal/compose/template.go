package compose

import (
	"cmp"
	"fmt"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// templateByRules runs compose_workflow_template by rules: it drafts a template from
// the brief, or changes an existing one by it.
func (e *Engine) templateByRules(a arguments) Result {
	asked, bad := readInputs(a.List("inputs"))
	if bad != nil {
		return *bad
	}
	d := e.rules.WriteTemplate(a, asked, e.check)
	if d.Refusal != nil {
		return refusal(d.Refusal)
	}
	r, err := e.finishTemplate(a, d)
	switch {
	case err != nil && len(a.Object("existing_template")) > 0:
		return failure(draft.PlanInvalid, "arguments.existing_template, as changed, does not pass the catalog: "+err.Error()+".", "correct:existing_template")
	case err != nil:
		return failure(draft.PlanInvalid, "The draft does not pass the catalog: "+err.Error()+".", "change:brief")
	}
	return r
}

// templateFromModel is compose_workflow_template from the draft of a model.
func (e *Engine) templateFromModel(a arguments, x answer) (Result, error) {
	document := map[string]any{}
	for _, name := range []string{"description", "category", "inputs", "stages", "tags"} {
		if v := x[name]; v != nil {
			document[name] = v
		}
	}
	if existing := a.Object("existing_template"); len(existing) > 0 {
		for name, v := range existing {
			if _, described := document[name]; !described {
				document[name] = v
			}
		}
	}
	list := draft.ListOf(document["inputs"])
	if len(list) > draft.MaxInputs {
		return Result{}, improve("inputs must have at most %d items", draft.MaxInputs)
	}
	if _, bad := readInputs(list); bad != nil {
		return Result{}, improve("%s", bad.Reason)
	}
	category := e.rules.WriteTemplate(a, nil, e.check).Category
	return e.finishTemplate(a, draft.Template{Document: document, Fits: true, Category: category})
}

// finishTemplate completes a draft, plans it with its own defaults and checks it.
func (e *Engine) finishTemplate(a arguments, d draft.Template) (Result, error) {
	document, warnings := d.Document, d.Warnings
	document["name"] = a.Text("name")
	if s := a.Text("description"); s != "" || document["description"] == nil {
		document["description"] = cmp.Or(s, prose.Sentence(prose.Cut(a.Text("brief"), 400)))
	}
	if s := a.Text("category"); s != "" || document["category"] == nil {
		document["category"] = cmp.Or(s, d.Category)
	}
	if document["brief"] == nil {
		document["brief"] = prose.Cut(a.Text("brief"), 2000)
	}
	if a.Text("visibility") == "public" {
		warnings = append(warnings, "Only operators publish templates, so the draft is private.")
	}
	document["visibility"] = "private"
	revises, _ := document["id"].(string)
	for _, name := range []string{"id", "version", "author", "createdAt", "updatedAt"} {
		delete(document, name) // the service sets them
	}
	plan, uploads, err := layOut(document)
	if err != nil {
		return Result{}, err
	}
	result := map[string]any{"template_draft": document}
	text := fmt.Sprintf("%s: a template draft", a.Text("name"))
	if plan != nil {
		plan.Title = a.Text("name")
		answers, err := e.check(*plan, uploads)
		if err != nil {
			return Result{}, err
		}
		warnings = append(warnings, premiumWarning(answers)...)
		units, fits := catalog.Capacity(answers), d.Fits
		if most := a.Whole("max_estimated_capacity_units"); most > 0 {
			fits = units <= most
		}
		document["estimatedCapacityUnits"] = map[string]any{"min": float64(units), "max": float64(units)}
		result["plan"], result["estimated_capacity_units"], result["fits_budget"] = *plan, units, fits
		text = summary(*plan, units)
	} else {
		warnings = append(warnings, "The stages depend on what is asked for at the start, so no plan is laid out: save the draft and start it.")
	}
	r := success(text, result)
	r.Warnings = warnings
	r.Metadata = map[string]any{"input_count": len(draft.ListOf(document["inputs"])), "stage_count": len(draft.ListOf(document["stages"]))}
	if revises != "" {
		r.Metadata["revises"] = revises
	}
	return r, nil
}
