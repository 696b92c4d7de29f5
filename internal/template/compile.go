package template

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// Request is what a template is started with.
type Request struct {
	Inputs map[string]any           // decoded JSON by the names of inputs
	Media  []atelier.MediaReference // the request's own, before those of the inputs

	// AssetURL finds a saved upload of the caller. When it is nil, none can be
	// used. An *atelier.Error of it is the caller's mistake.
	AssetURL func(ctx context.Context, id string) (url, kind string, err error)
}

// Compiled is a template with its inputs, as the workflow engine takes it. Later
// changes of the template do not change it.
type Compiled struct {
	ID       string
	Version  string
	Title    string
	Steps    []atelier.StepInput
	Media    []atelier.MediaReference
	Warnings []atelier.Issue
}

const (
	maxMedia = 64      // of a workflow, as inline starts have it
	maxPlan  = 1 << 20 // bytes of text that a template may grow to
)

// Compile turns a template into steps. The details of the error list everything
// that is wrong, as compileErrors.
func Compile(ctx context.Context, c *catalog.Catalog, t atelier.Template, q Request) (Compiled, error) {
	is := &issues{compiling: true}
	k := &compiler{
		outline: outlineOf(c, t, is), values: map[string]any{}, media: slices.Clone(q.Media),
		omitted: map[*stage]bool{}, invalid: map[*stage]bool{}, artifacts: map[*stage][]plannedArtifact{}, budget: maxPlan,
	}
	k.check()
	if err := k.readInputs(ctx, t, q); err != nil {
		return Compiled{}, err
	}
	if !is.failed() {
		k.choose()
	}
	if !is.failed() {
		k.build()
	}
	if is.failed() {
		return Compiled{}, is.uncompiled()
	}
	return Compiled{ID: t.ID, Version: t.Version, Title: t.Name, Steps: k.steps, Media: k.media, Warnings: is.warnings}, nil
}

// compiler turns a template into a plan.
type compiler struct {
	*outline
	values   map[string]any // of the inputs that have one
	media    []atelier.MediaReference
	uploaded catalog.Counts

	omitted   map[*stage]bool // left out by their conditions
	invalid   map[*stage]bool // that have a mistake
	artifacts map[*stage][]plannedArtifact

	steps   []atelier.StepInput
	outputs []catalog.Output // of each step
	budget  int
}

// plannedArtifact is an artifact that a step will make.
type plannedArtifact struct {
	step     int
	artifact int
	from     *stage
	item     int // of its batch
}

// readInputs reads the values of the inputs.
func (k *compiler) readInputs(ctx context.Context, t atelier.Template, q Request) error {
	for _, name := range sortedKeys(q.Inputs) {
		if _, ok := k.inputs[name]; !ok {
			k.issues.fail("unknown_input", "inputs."+shorten(name, 64), "is not an input of this template; it has %s.", listed(t.Inputs))
		}
	}
	for _, m := range k.media {
		k.uploaded.Add(catalog.Kind(m.Kind), 1)
	}
	for _, in := range t.Inputs {
		v := valueReader{at: "inputs." + in.Name, code: "invalid_input_type", issues: k.issues, ctx: ctx, asset: q.AssetURL, add: k.add}
		given := q.Inputs[in.Name]
		switch {
		case !catalog.Empty(given) && in.Internal:
			k.issues.fail("internal_input", v.at, "cannot be set: the template sets it.")
			continue
		case catalog.Empty(given):
			given = in.Default
		}
		switch {
		case !catalog.Empty(given):
			if value := v.value(in, given); value != nil {
				k.values[in.Name] = value
			}
		case in.Required:
			k.issues.fail("missing_required_input", v.at, "is required.")
		}
		if v.err != nil {
			return fmt.Errorf("template: input %s: %w", in.Name, v.err)
		}
	}
	return nil
}

func listed(inputs []atelier.TemplateInput) string {
	var names []string
	for _, in := range inputs {
		if !in.Internal {
			names = append(names, in.Name)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// add adds the file of an input to the workflow's media.
func (k *compiler) add(kind, url, input string) medium {
	if len(k.media) >= maxMedia {
		k.issues.fail("too_many_media", "inputs."+input, "brings more than %d pieces of media in all.", maxMedia)
		return medium{kind: kind, url: url}
	}
	k.media = append(k.media, atelier.MediaReference{Kind: kind, URL: url, Original: map[string]any{
		"kind": kind, "url": url, "source": "template_input", "prompt_label": input,
	}})
	k.uploaded.Add(catalog.Kind(kind), 1)
	return medium{kind, url, len(k.media) - 1}
}

// nth counts the media of a medium's kind up to it, from 1; or all media.
func (k *compiler) nth(m medium, any bool) int {
	n := 0
	for _, r := range k.media[:min(m.place+1, len(k.media))] {
		if any || r.Kind == m.kind {
			n++
		}
	}
	return n
}

// choose leaves out the stages whose conditions do not hold. A stage that is left
// out has neither succeeded nor failed, and its artifacts do not exist.
func (k *compiler) choose() {
	leaves := func(c condition) bool {
		switch c.kind {
		case "expr":
			return !c.decides.holds(k.valueAt)
		case "if_success_of", "if_error_in":
			return k.omitted[k.byID[c.stage]]
		case "if_artifact_exists":
			return k.maker(c.artifact) == nil
		}
		return false
	}
	for again := true; again; {
		again = false
		for _, s := range k.stages {
			if !k.omitted[s] && slices.ContainsFunc(s.when, leaves) {
				k.omitted[s], again = true, true
			}
		}
	}
	for _, s := range k.stages {
		for _, c := range s.when {
			if c.kind == "if_error_in" && !k.omitted[s] {
				k.issues.fail("unsupported_condition", c.at, "is if_error_in: a stage cannot be started by the failure of another. Use onError of the stage %q instead.", shorten(c.stage, 64))
			}
		}
	}
}

// valueAt returns the value at a path of an expression.
func (k *compiler) valueAt(path string) any {
	parts := strings.Split(path, ".")
	if len(parts) < 2 || parts[0] != "inputs" {
		return nil
	}
	v := k.values[parts[1]]
	if len(parts) == 3 && parts[2] == "length" {
		return length(v)
	}
	return v
}

func length(v any) any {
	switch v := v.(type) {
	case nil:
		return 0.0
	case []any:
		return float64(len(v))
	case string:
		return float64(len([]rune(v)))
	}
	return nil
}

// maker is the stage that makes an artifact, of those that are not left out.
func (k *compiler) maker(name string) *stage {
	for _, s := range k.makers[name] {
		if !k.omitted[s] {
			return s
		}
	}
	return nil
}

// build makes the steps of the stages that remain.
func (k *compiler) build() {
	var left []*stage
	for _, s := range k.stages {
		if !k.omitted[s] && s.hasTool() {
			left = append(left, s)
		}
	}
	for _, name := range sortedKeys(k.makers) {
		first := k.maker(name)
		for _, s := range k.makers[name] {
			if s != first && !k.omitted[s] {
				k.issues.fail("duplicate_artifact", s.at, "produces %q, which the stage %q also produces with these inputs.", name, first.id)
			}
		}
	}
	order, stuck := k.sortStages(left)
	if stuck != nil {
		k.issues.fail("circular_stages", stuck.at, "depends on itself.")
		return
	}
	for _, s := range order {
		if s.batch {
			k.expandBatch(s)
		} else {
			k.step(&stepBuilder{compiler: k, stage: s, owner: s, id: s.id + "/main", item: all})
		}
	}
	if len(k.steps) == 0 && !k.issues.failed() {
		k.issues.fail("no_steps", "stages", "have no steps with these inputs.")
	}
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
