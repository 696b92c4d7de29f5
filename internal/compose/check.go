package compose

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// transforms are those that the bindings of a plan may use, and the kind of media
// that each takes.
var transforms = map[string]catalog.Kind{
	"image_index": catalog.Image, "video_index": catalog.Video, "audio_index": catalog.Audio, "image_url": catalog.Image, "video_url": catalog.Video, "audio_url": catalog.Audio, "artifact_url": "",
}

// check checks a plan against the catalog step by step, as the workflow engine
// will, and returns the catalog's answer for each. The error names the step.
func (e *Engine) check(p draft.Plan, uploaded catalog.Counts) ([]*catalog.Step, error) {
	switch n := len(p.Steps); {
	case n == 0:
		return nil, improve("steps must hold at least one step")
	case n > atelier.MaxSteps:
		return nil, improve("steps must hold at most %d steps, not %d", atelier.MaxSteps, n)
	}
	var generated catalog.Counts
	made := map[string]*catalog.Step{}
	var answers []*catalog.Step
	for i, s := range p.Steps {
		if _, taken := made[s.ID]; taken || s.ID == "" || s.ID == atelier.InputMedia || len(s.ID) > 100 {
			return nil, improve("steps[%d].id must be unique", i)
		}
		tool, ok := e.catalog.Tool(s.ToolName)
		if !ok || !tool.Durable() {
			return nil, improve("steps[%d].toolName is %q, which cannot be a step", i, prose.Cut(s.ToolName, 60))
		}
		args, bound, sources, err := e.bind(tool, s, made, uploaded)
		if err != nil {
			return nil, improve("steps[%d].%v", i, err)
		}
		answer, err := e.catalog.Step(s.ToolName, args, catalog.Facts{Bound: bound, Uploaded: &uploaded, Generated: &generated, Sources: sources})
		if err != nil {
			return nil, improve("steps[%d].%v", i, err)
		}
		if len(answer.Loras.Personal) > 0 {
			return nil, improve("steps[%d].arguments.loras names %q, which is not in the catalog", i, answer.Loras.Personal[0].ID)
		}
		made[s.ID] = answer
		generated.Add(answer.Outputs.Kind, answer.Outputs.Count)
		answers = append(answers, answer)
	}
	return answers, nil
}

// bind checks the bindings of a step, all of which must come from steps before
// it. It returns the arguments that are not bound and the names of those that
// are.
func (e *Engine) bind(tool *catalog.Tool, s atelier.StepInput, made map[string]*catalog.Step, uploaded catalog.Counts) (map[string]any, []string, map[string][]catalog.Source, error) {
	args := maps.Clone(s.Arguments)
	var bound []string
	taken := map[string]bool{}
	sources := map[string][]catalog.Source{}
	for k, b := range s.DependsOn {
		kind, ok := transforms[b.Transform]
		a, takes := tool.Argument(b.TargetArgument)
		from := made[b.SourceStepID]
		count := 0
		if b.SourceStepID == atelier.InputMedia {
			count = uploaded.Of(kind)
		} else if from != nil {
			count = from.Outputs.Count
		}
		switch {
		case !ok:
			return nil, nil, nil, fmt.Errorf("dependsOn[%d].transform is %q; use image_index, video_index or audio_index", k, prose.Cut(b.Transform, 40))
		case !takes:
			return nil, nil, nil, fmt.Errorf("dependsOn[%d].targetArgument is %q, which %s does not take", k, prose.Cut(b.TargetArgument, 60), tool.Name)
		case from == nil && b.SourceStepID != atelier.InputMedia:
			return nil, nil, nil, fmt.Errorf("dependsOn[%d].sourceStepId is %q, which is no step before this one", k, prose.Cut(b.SourceStepID, 60))
		case from != nil && kind != "" && from.Outputs.Kind != kind:
			return nil, nil, nil, fmt.Errorf("dependsOn[%d].transform is %s, but the step %s makes %s", k, b.Transform, b.SourceStepID, from.Outputs.Kind)
		case b.SourceArtifactIndex < 0 || b.SourceArtifactIndex >= count:
			return nil, nil, nil, fmt.Errorf("dependsOn[%d].sourceArtifactIndex is %d, but %s has %d", k, b.SourceArtifactIndex, prose.Cut(b.SourceStepID, 60), count)
		case a.Media == "" || a.Media != "any" && kind != "" && a.Media != kind || strings.HasSuffix(b.Transform, "_index") && a.URL:
			return nil, nil, nil, fmt.Errorf("dependsOn[%d].transform is %s, which %s does not take", k, b.Transform, a.Name)
		case taken[a.Name] && !a.IsArray():
			return nil, nil, nil, fmt.Errorf("dependsOn[%d].targetArgument is %s, which another binding fills already", k, a.Name)
		}
		taken[a.Name] = true
		if from != nil {
			sources[a.Name] = append(sources[a.Name], from.Outputs.Source())
		}
		if !a.IsArray() {
			delete(args, b.TargetArgument)
			delete(args, a.Name)
		}
		bound = append(bound, a.Name)
	}
	return args, bound, sources, nil
}

// refusedField is the argument that a refusal of the catalog is about.
func refusedField(err error) string {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return ""
	}
	name := strings.TrimPrefix(e.Field, "arguments.")
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "[")
	return name
}
