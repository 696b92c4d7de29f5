package template

import (
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// stepBuilder builds one step.
type stepBuilder struct {
	*compiler
	stage *stage // with the tool and its arguments
	owner *stage // the stage it belongs to: the same, or the batch
	id    string
	item  int // its number in the batch, or all
	value any // the item of the batch

	args     map[string]any
	bindings []atelier.Binding
	bound    []string // the arguments they fill
	filled   map[string]bool
	sources  map[string][]catalog.Source
	taken    map[*stage]bool // the stages whose results it requires
	broken   bool
}

func (w *stepBuilder) fail(code, at, format string, args ...any) {
	w.broken = true
	w.issues.fail(code, at, format, args...)
}

// step builds a step and adds it to the plan.
func (k *compiler) step(w *stepBuilder) {
	defer func() { k.invalid[w.owner] = k.invalid[w.owner] || w.broken }()
	if len(k.steps) >= atelier.MaxSteps {
		w.fail("too_many_steps", "stages", "make more than %d steps with these inputs.", atelier.MaxSteps)
		return
	}
	w.args, w.filled, w.sources, w.taken = map[string]any{}, map[string]bool{}, map[string][]catalog.Source{}, map[*stage]bool{}
	for _, name := range sortedKeys(w.stage.args) {
		w.fillArgument(name, w.stage.args[name])
	}
	for _, b := range w.stage.bindings {
		w.addDependency(b)
	}
	if w.broken {
		return
	}
	if w.checkDependencies(); w.broken {
		return
	}
	w.checkCatalog()
}

// checkCatalog lets the catalog check the step, as the workflow engine will.
func (w *stepBuilder) checkCatalog() {
	k := w.compiler
	var before catalog.Counts
	for _, o := range k.outputs {
		before.Add(o.Kind, o.Count)
	}
	answer, err := k.catalog.Step(w.stage.tool.Name, w.args, catalog.Facts{
		Bound: w.bound, Uploaded: &k.uploaded, Generated: &before, Sources: w.sources,
	})
	if err != nil {
		w.broken = true
		k.reportRefusal(w.stage, err)
		return
	}
	n := len(k.steps)
	k.steps = append(k.steps, atelier.StepInput{ID: w.id, ToolName: w.stage.tool.Name, Arguments: w.args, DependsOn: w.bindings})
	k.outputs = append(k.outputs, answer.Outputs)
	for i := range answer.Outputs.Count {
		k.artifacts[w.owner] = append(k.artifacts[w.owner], plannedArtifact{step: n, artifact: i, from: w.owner, item: w.item})
	}
}

// checkDependencies checks that the step takes a result of every stage that its conditions
// name: the workflow engine has no other way to wait for a stage.
func (w *stepBuilder) checkDependencies() {
	for _, c := range w.owner.when {
		switch from := w.compiler.maker(c.artifact); {
		case c.kind == "if_success_of" && !w.taken[w.byID[c.stage]]:
			w.fail("unsupported_condition", c.at, "waits for the stage %q, but takes nothing from it; a stage can wait only for a stage whose artifact it takes.", shorten(c.stage, 64))
		case c.kind == "if_artifact_exists" && !w.taken[from]:
			w.fail("unsupported_condition", c.at, "waits for the artifact %q, but does not take it; a stage can wait only for artifacts that it takes.", shorten(c.artifact, 64))
		}
	}
	for _, name := range slices.Concat(w.owner.requires, w.stage.requires) {
		if !w.taken[w.compiler.maker(name)] {
			w.fail("artifact_not_used", w.owner.at, "requires the artifact %q, but binds it to no argument; a stage can wait only for artifacts that it takes.", shorten(name, 64))
		}
	}
}

// requires reports whether the step requires the results of a stage.
func (w *stepBuilder) requires(from *stage) bool {
	if w.requiresByCondition(from) {
		return true
	}
	for _, required := range slices.Concat(w.owner.requires, w.stage.requires) {
		if w.compiler.maker(required) == from {
			return true
		}
	}
	return !w.owner.canRunWithout(from)
}

// bind fills an argument with an artifact.
func (w *stepBuilder) bind(a *catalog.Argument, m plannedArtifact, at string) {
	kind := w.outputs[m.step].Kind
	transform, ok := fitting(a, kind)
	if !ok {
		w.fail("artifact_kind", at, "takes no %s, which is what the stage %q makes.", kind, m.from.id)
		return
	}
	w.addBinding(a, m, at, atelier.Binding{Transform: transform, Required: w.requires(m.from) || w.isRequired(a)})
}

// isRequired reports whether the tool requires an argument. Then what fills it is
// required too, whatever its stage says.
func (w *stepBuilder) isRequired(a *catalog.Argument) bool {
	if a.IsArray() {
		return false // others may fill it
	}
	return a.Required || slices.ContainsFunc(w.stage.tool.Needs, func(n catalog.Need) bool {
		return n.Argument == a.Name && !slices.ContainsFunc(n.Unless, func(other string) bool { return w.stage.args[other] != nil })
	})
}

// addBinding adds a binding from an artifact of another stage.
func (w *stepBuilder) addBinding(a *catalog.Argument, m plannedArtifact, at string, b atelier.Binding) {
	b.SourceStepID, b.SourceArtifactIndex, b.TargetArgument = w.steps[m.step].ID, m.artifact, a.Name
	if !w.fill(a, b, at) {
		return
	}
	o := w.outputs[m.step]
	w.sources[a.Name] = append(w.sources[a.Name], o.Source())
	if b.Required {
		w.taken[m.from] = true
	}
}

// fill adds a binding, unless its argument is full.
func (w *stepBuilder) fill(a *catalog.Argument, b atelier.Binding, at string) bool {
	if len(w.bindings) == maxBindings {
		w.fail("too_many_bindings", w.stage.at, "takes more than %d artifacts.", maxBindings)
		return false
	}
	if transforms[b.Transform].single(a) {
		if w.filled[a.Name] {
			w.fail("argument_bound_twice", at, "is bound to %s, which another binding fills already.", a.Name)
			return false
		}
		w.filled[a.Name] = true
		for name := range w.args { // the binding wins, under every name of the argument
			if other, ok := w.stage.tool.Argument(name); ok && other.Name == a.Name {
				delete(w.args, name)
			}
		}
	}
	w.bindings = append(w.bindings, b)
	w.bound = append(w.bound, a.Name)
	return true
}

// addDependency adds an entry of dependsOn.
func (w *stepBuilder) addDependency(b binding) {
	a, _ := w.stage.tool.Argument(b.TargetArgument)
	if b.SourceStepID == atelier.InputMedia {
		w.bindUpload(a, b)
		return
	}
	from, item := w.source(b.SourceStepID)
	if w.omitted[from] {
		if b.hasRequired && b.Required || !b.hasRequired && !w.owner.canRunWithout(from) {
			w.fail("artifact_missing", b.at, "takes from the stage %q, which is left out with these inputs.", from.id)
		}
		return
	}
	if w.invalid[from] {
		w.broken = true
		return
	}
	var list []plannedArtifact
	for _, m := range w.artifacts[from] {
		if item == all || m.item == item {
			list = append(list, m)
		}
	}
	if b.SourceArtifactIndex >= len(list) {
		w.fail("artifact_out_of_range", b.at+".sourceArtifactIndex", "is %d, but the stage %q makes %d.", b.SourceArtifactIndex, from.id, len(list))
		return
	}
	m := list[b.SourceArtifactIndex]
	kind := w.outputs[m.step].Kind
	if b.MediaType != "" && b.MediaType != string(kind) {
		w.fail("artifact_kind", b.at+".mediaType", "is %s, but the stage %q makes %s.", b.MediaType, from.id, kind)
		return
	}
	if err := transforms[b.Transform].fits(b.Transform, a, kind); err != nil {
		w.fail("artifact_kind", b.at+".transform", "%v.", err)
		return
	}
	handed := b.Binding
	if handed.Required = w.requires(from) || w.isRequired(a); b.hasRequired {
		handed.Required = b.Required || w.requiresByCondition(from)
	}
	w.addBinding(a, m, b.at, handed)
}

// requiresByCondition reports whether the stage itself, and not only a default, requires the
// results of another.
func (w *stepBuilder) requiresByCondition(from *stage) bool {
	return slices.ContainsFunc(w.owner.when, func(c condition) bool {
		return c.kind == "if_success_of" && w.byID[c.stage] == from || c.kind == "if_artifact_exists" && w.compiler.maker(c.artifact) == from
	})
}

// bindUpload adds an entry of dependsOn that takes the request's media.
func (w *stepBuilder) bindUpload(a *catalog.Argument, b binding) {
	t := transforms[b.Transform]
	kind := t.kind
	if kind == "" {
		kind = catalog.Kind(b.MediaType)
	}
	n := b.SourceArtifactIndex
	for _, m := range w.media {
		if kind != "" && m.Kind != string(kind) {
			continue
		}
		if n > 0 {
			n--
			continue
		}
		if err := t.fits(b.Transform, a, catalog.Kind(m.Kind)); err != nil {
			w.fail("artifact_kind", b.at+".transform", "%v.", err)
			return
		}
		w.fill(a, b.Binding, b.at)
		return
	}
	if b.Required {
		w.fail("artifact_out_of_range", b.at+".sourceArtifactIndex", "is %d, but there are fewer media references.", b.SourceArtifactIndex)
	}
}
