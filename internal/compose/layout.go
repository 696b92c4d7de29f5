package compose

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/wire"
)

// layOut makes the plan of a draft with the default values of its inputs. It is nil
// for a draft with stages that are decided at the start, such as batches.
func layOut(document map[string]any) (*draft.Plan, catalog.Counts, error) {
	l := &layout{inputs: map[string]draft.Input{}, places: map[string]int{}, makers: map[string]string{}}
	for i, v := range draft.ListOf(document["inputs"]) {
		m, _ := v.(map[string]any)
		in := draft.Input(m)
		if !inputName.MatchString(in.Name()) {
			return nil, l.uploads, improve("inputs[%d].name is missing or not a name", i)
		}
		if in["multiple"] != nil {
			return nil, l.uploads, nil
		}
		l.inputs[in.Name()] = in
		if required, _ := in["required"].(bool); isMedia(in) && required {
			l.places[in.Name()] = l.uploads.Of(catalog.Kind(in.Kind()))
			l.uploads.Add(catalog.Kind(in.Kind()), 1)
		}
	}
	stages := draft.ListOf(document["stages"])
	if len(stages) == 0 {
		return nil, l.uploads, improve("stages must hold at least one stage")
	}
	for i, v := range stages {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, l.uploads, improve("stages[%d] must be an object", i)
		}
		stage := arguments(m)
		kind := stage.Text("type")
		if kind == "batch" || m["subStages"] != nil || m["condition"] != nil {
			return nil, l.uploads, nil
		}
		if kind != "" && kind != "fixed" {
			return nil, l.uploads, improve("stages[%d].type must be fixed or batch", i)
		}
		for _, name := range draft.TextsIn(m["produces"]) {
			l.makers[name] = stage.Text("id")
		}
		l.makers[stage.Text("id")] = stage.Text("id")
		step, err := l.step(stage)
		if err != nil {
			return nil, l.uploads, improve("stages[%d].%v", i, err)
		}
		l.plan.Steps = append(l.plan.Steps, step)
	}
	return &l.plan, l.uploads, nil
}

// layout builds a plan.
type layout struct {
	plan    draft.Plan
	inputs  map[string]draft.Input
	places  map[string]int    // of required media among the request's
	makers  map[string]string // stage by what it produces
	uploads catalog.Counts
}

var (
	wholeInput    = regexp.MustCompile(`^\$inputs\.([A-Za-z_][A-Za-z0-9_-]*)$`)
	wholeArtifact = regexp.MustCompile(`^\$artifacts\.([A-Za-z0-9_][A-Za-z0-9_.:-]*?)\.items(?:\[(\d+)\])?(?:\.url)?$`)
	insideInput   = regexp.MustCompile(`\$inputs\.([A-Za-z_][A-Za-z0-9_-]*)`)
)

// step is a stage with its values and bindings.
func (l *layout) step(stage arguments) (atelier.StepInput, error) {
	tool, args := draft.StageArguments(stage)
	s := atelier.StepInput{ID: stage.Text("id"), ToolName: tool, Arguments: map[string]any{}}
	for name, v := range args {
		value, err := l.value(&s, name, v)
		if err != nil {
			return s, fmt.Errorf("args.%s %w", name, err)
		}
		if value != nil {
			s.Arguments[name] = value
		}
	}
	slices.SortStableFunc(s.DependsOn, func(a, b atelier.Binding) int { return strings.Compare(a.TargetArgument, b.TargetArgument) }) // maps have no order
	for _, v := range draft.ListOf(stage["dependsOn"]) {
		if b, ok := v.(map[string]any); ok && b["required"] == nil {
			b["required"] = true
		}
	}
	text, err := wire.Marshal(draft.ListOf(stage["dependsOn"]))
	var bindings []atelier.Binding
	if err == nil {
		err = wire.Unmarshal(text, &bindings)
	}
	if err != nil {
		return s, fmt.Errorf("dependsOn must be a list of bindings")
	}
	s.DependsOn = append(s.DependsOn, bindings...)
	return s, nil
}

// value is the initial value of an argument. Media becomes a binding of the step,
// and the value is nil.
func (l *layout) value(s *atelier.StepInput, name string, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return l.text(s, name, v)
	case []any:
		var out []any
		for _, e := range v {
			value, err := l.value(s, name, e)
			if err != nil {
				return nil, err
			}
			if value != nil {
				out = append(out, value)
			}
		}
		if len(out) == 0 {
			return nil, nil
		}
		return out, nil
	}
	return v, nil
}

func (l *layout) text(s *atelier.StepInput, name, text string) (any, error) {
	if m := wholeArtifact.FindStringSubmatch(text); m != nil {
		from, ok := l.makers[m[1]]
		if !ok {
			return nil, fmt.Errorf("is bound to %q, which no stage before it produces", prose.Cut(m[1], 60))
		}
		index, _ := strconv.Atoi(m[2])
		s.DependsOn = append(s.DependsOn, newBinding(from, index, name, "artifact_url"))
		return nil, nil
	}
	if m := wholeInput.FindStringSubmatch(text); m != nil {
		in, ok := l.inputs[m[1]]
		if !ok {
			return nil, fmt.Errorf("is bound to the input %q, which there is not", prose.Cut(m[1], 60))
		}
		if !isMedia(in) {
			return sample(in), nil
		}
		if at, ok := l.places[m[1]]; ok {
			s.DependsOn = append(s.DependsOn, newBinding(atelier.InputMedia, at, name, in.Kind()+"_index"))
		}
		return nil, nil
	}
	var missing string
	out := insideInput.ReplaceAllStringFunc(text, func(ref string) string {
		in, ok := l.inputs[strings.TrimPrefix(ref, "$inputs.")]
		if !ok {
			missing = ref
			return ref
		}
		return strings.Join(draft.TextsIn(sample(in)), ", ")
	})
	if missing != "" {
		return nil, fmt.Errorf("is bound to %s, which there is not", prose.Cut(missing, 60))
	}
	return out, nil
}

func newBinding(from string, index int, target, transform string) atelier.Binding {
	return atelier.Binding{SourceStepID: from, SourceArtifactIndex: index, TargetArgument: target, Transform: transform, Required: true}
}
