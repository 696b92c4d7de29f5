package template

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// check reports what is wrong with the stages of a template together, as far as it can
// be known without inputs.
func (o *outline) check() {
	certain := 0
	for _, s := range o.stages {
		if !s.batch && s.tool != nil && len(s.when) == 0 {
			certain++
		}
		for _, name := range s.produces {
			o.checkMakers(s, name)
		}
		for _, part := range []*stage{s, s.toolStage()} {
			for _, name := range slices.Concat(part.requires, part.accepts) {
				if o.makers[name] == nil {
					o.issues.fail("unknown_artifact", part.at, "names the artifact %q, which no stage produces.", shorten(name, 64))
				}
			}
		}
		for _, c := range s.when {
			o.checkCondition(c, nil)
		}
		if s.batch {
			o.checkOver(s)
		}
		if s.item != nil {
			for _, c := range s.item.when {
				o.checkCondition(c, s)
			}
		}
		o.checkWork(s)
	}
	if certain > atelier.MaxSteps {
		o.issues.fail("too_many_steps", "stages", "make %d steps, but a workflow has at most %d.", certain, atelier.MaxSteps)
	}
	if o.issues.failed() {
		return
	}
	if _, stuck := o.sortStages(o.stages); stuck != nil {
		o.issues.fail("circular_stages", stuck.at, "depends on itself.")
	}
}

// checkMakers refuses two stages that produce the same, unless conditions
// choose between them.
func (o *outline) checkMakers(s *stage, name string) {
	makers := o.makers[name]
	chosen := func(s *stage) bool {
		return slices.ContainsFunc(s.when, func(c condition) bool { return c.kind == "expr" })
	}
	if len(makers) > 1 && makers[0] != s && (!chosen(s) || !chosen(makers[0])) {
		o.issues.fail("duplicate_artifact", s.at+".produces", "names %q, which the stage %q produces too; only conditions on inputs can choose between the two.", name, makers[0].id)
	}
}

// checkCondition checks the paths of a condition. Only conditions of a batch's
// items may refer to the item.
func (o *outline) checkCondition(c condition, batch *stage) {
	switch {
	case c.kind == "expr":
		for _, path := range c.decides.paths {
			o.checkPath(c, path, batch)
		}
	case batch != nil && c.kind != "always":
		o.issues.cannot("unsupported_condition", c.at, "is %s, but an item of a batch can only be chosen by an expression.", c.kind)
	case c.stage != "" && o.byID[c.stage] == nil && c.kind != "always":
		o.issues.fail("unknown_stage", c.at+".stageId", "is %q, which is no stage of this template.", shorten(c.stage, 64))
	case c.artifact != "" && o.makers[c.artifact] == nil && c.kind == "if_artifact_exists":
		o.issues.fail("unknown_artifact", c.at+".artifactName", "is %q, which no stage produces.", shorten(c.artifact, 64))
	case c.kind == "if_error_in" && !o.issues.compiling:
		o.issues.warn("unsupported_condition", c.at, "is if_error_in: a stage cannot be started by the failure of another. The template can be saved, but not started while that stage runs.")
	}
}

func (o *outline) checkPath(c condition, path string, batch *stage) {
	root, rest, _ := strings.Cut(path, ".")
	name, more, _ := strings.Cut(rest, ".")
	at := c.at + ".expression"
	switch root {
	case "inputs":
		if _, ok := o.inputs[name]; !ok || more != "" && more != "length" {
			o.issues.fail("unknown_input", at, "reads %s, which is not an input of this template.", shorten(path, 64))
		}
	case "item":
		if batch == nil || more != "" || !batch.hasField(name) {
			o.issues.fail("item_outside_batch", at, "reads %s, which does not exist.", shorten(path, 64))
		}
	case "artifacts", "stages":
		o.issues.cannot("unsupported_condition", at, "reads %s, but conditions are evaluated before any stage runs: they can read only inputs.", shorten(path, 64))
	default:
		o.issues.fail("unknown_input", at, "reads %s; write inputs.<name>.", shorten(path, 64))
	}
}

// hasField reports whether the items of a batch have a field.
func (s *stage) hasField(name string) bool {
	return slices.Contains([]string{"", "index", "value", "url"}, name) || name == s.itemName
}

// checkOver checks what a batch iterates over.
func (o *outline) checkOver(s *stage) {
	at := s.at + ".overBinding"
	ref, ok := whole(parse(s.over, o.exists))
	in, there := o.inputs[ref.name]
	switch {
	case s.over == "" || !ok || ref.root == "item" || ref.byItem:
		o.issues.fail("batch_not_array", at, "must be a binding to a list, such as $inputs.<name> or $artifacts.<name>.items.")
	case ref.root == "inputs" && !there:
		o.issues.fail("unknown_input", at, "is %s, which is no input of this template.", ref)
	case ref.root == "inputs" && (in.Multiple == nil || ref.number != all):
		o.issues.fail("batch_not_array", at, "is %s, which is one value and not a list.", ref)
	case ref.root == "artifacts" && o.makers[ref.name] == nil:
		o.issues.fail("unknown_artifact", at, "is %s, which no stage produces.", ref)
	case ref.root == "artifacts" && ref.number != all:
		o.issues.fail("batch_not_array", at, "is %s, which is one artifact and not a list.", ref)
	}
}

// mistyped is a text that was perhaps meant to be a binding.
var mistyped = regexp.MustCompile(`^\$[A-Za-z_]+\.[A-Za-z_][A-Za-z0-9_.\[\]-]*$`)

// checkWork checks the tool of a stage and its arguments.
func (o *outline) checkWork(s *stage) {
	d := s.toolStage()
	var batch *stage
	if s.batch {
		batch = s
	}
	references(any(d.args), d.argsAt, o.exists, func(at string, parts []part) {
		for _, p := range parts {
			if p.ref != nil {
				o.checkReference(*p.ref, at, len(parts) == 1, batch)
			}
		}
	})
	texts(any(d.args), d.argsAt, func(at, s string) {
		if parts := parse(s, o.exists); mistyped.MatchString(s) && len(parts) == 1 && parts[0].ref == nil {
			o.issues.warn("unknown_binding", at, "looks like a binding, but is plain text; a binding begins with $inputs., $artifacts. or $item.")
		}
	})
	if d.tool == nil {
		return
	}
	for _, name := range sortedKeys(d.args) {
		if _, ok := d.tool.Argument(name); ok {
			continue
		}
		why, ok := d.tool.Refused[name]
		if !ok {
			why = "is not an argument of " + d.tool.Name + "."
		}
		o.issues.fail("unknown_argument", d.argsAt+"."+shorten(name, 64), "%s", why)
	}
	for _, b := range d.bindings {
		o.checkBinding(s, d.tool, b)
	}
	if !o.issues.compiling { // then the catalog checks every step anyway
		o.checkTypes(d)
		o.checkArguments(d)
	}
}

func (o *outline) checkReference(r reference, at string, alone bool, batch *stage) {
	in, there := o.inputs[r.name]
	switch {
	case r.byItem && batch == nil, r.root == "item" && batch == nil:
		o.issues.fail("item_outside_batch", at, "reads the item of a batch, but this stage is not a batch.")
	case r.root == "item" && !batch.hasField(r.name):
		o.issues.fail("unknown_item_field", at, "is $item.%s, but an item has index, value and url.", shorten(r.name, 64))
	case r.root == "inputs" && !there:
		o.issues.fail("unknown_input", at, "is bound to the input %q, which this template does not have.", shorten(r.name, 64))
	case r.root == "inputs" && (r.byItem || r.number != all) && in.Multiple == nil:
		o.issues.fail("batch_not_array", at, "selects one of several values of the input %q, which has only one.", r.name)
	case r.root == "artifacts" && o.makers[r.name] == nil:
		o.issues.fail("unknown_artifact", at, "is bound to the artifact %q, which no stage produces.", shorten(r.name, 64))
	case r.root == "artifacts" && !alone:
		o.issues.fail("artifact_in_text", at, "has the artifact %q inside a longer text, but the artifact does not exist yet: bind it alone.", r.name)
	}
}

func (o *outline) checkBinding(s *stage, tool *catalog.Tool, b binding) {
	from, _ := o.source(b.SourceStepID)
	switch {
	case b.SourceStepID == atelier.InputMedia:
	case from == nil:
		o.issues.fail("unknown_stage", b.at+".sourceStepId", "is %q, which is no stage of this template.", shorten(b.SourceStepID, 64))
	case from == s:
		o.issues.fail("circular_stages", b.at+".sourceStepId", "is the stage itself.")
	}
	if _, ok := tool.Argument(b.TargetArgument); !ok {
		o.issues.fail("unknown_argument", b.at+".targetArgument", "is %q, which %s does not take.", shorten(b.TargetArgument, 64), tool.Name)
	}
	if _, ok := transforms[b.Transform]; !ok {
		o.issues.fail("invalid_value", b.at+".transform", "is %q, which is not a transform of this service.", shorten(b.Transform, 64))
	}
}

// checkArguments lets the catalog check the arguments that are plain values. Bound arguments
// count as given; where their values could decide what is allowed, nothing is
// checked.
func (o *outline) checkArguments(s *stage) {
	facts := catalog.Facts{}
	args := map[string]any{}
	for name, v := range s.args {
		bound := false
		references(v, "", o.exists, func(string, []part) { bound = true })
		a, ok := s.tool.Argument(name)
		switch {
		case !ok:
			return // it was reported
		case !bound:
			args[name] = v
		case a.Media == "" && (a.Type != "string" || a.Enum != nil || a.Name == s.tool.Models.Argument):
			return
		default:
			facts.Bound = append(facts.Bound, a.Name)
		}
	}
	for _, b := range s.bindings {
		if a, ok := s.tool.Argument(b.TargetArgument); ok {
			delete(args, b.TargetArgument)
			facts.Bound = append(facts.Bound, a.Name)
		}
	}
	_, err := o.catalog.Step(s.tool.Name, args, facts)
	o.reportRefusal(s, err)
}

// reportRefusal adds an issue for what the catalog refuses about a stage.
func (o *outline) reportRefusal(s *stage, err error) {
	var e *atelier.Error
	switch {
	case err == nil:
	case errors.As(err, &e):
		field := strings.TrimPrefix(e.Field, "arguments")
		o.issues.fail("invalid_argument", s.argsAt+field, "%s.", strings.TrimSuffix(strings.TrimPrefix(e.Message, e.Field+" "), "."))
	default:
		o.issues.fail("invalid_argument", s.argsAt, "cannot be checked now.")
	}
}
