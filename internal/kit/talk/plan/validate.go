package plan

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
)

// FitArguments returns arguments that the catalog accepts, with notes about what was changed: a refused value is moved
// into the range of the model, or left out. The error is for the user.
func (p *Planner) FitArguments(t *Task, args map[string]any, f catalog.Facts) (map[string]any, []string, error) {
	args = maps.Clone(args)
	var notes []string
	for range len(args) + 4 {
		_, err := p.catalog.Step(t.Tool.Name, args, f)
		if err == nil {
			return args, notes, nil
		}
		var refused *atelier.Error
		if !errors.As(err, &refused) {
			return nil, nil, err
		}
		name := strings.TrimPrefix(refused.Field, "arguments.")
		if i := strings.IndexAny(name, ".["); i >= 0 {
			name = name[:i]
		}
		a, known := t.Tool.Argument(name)
		if !known || args[name] == nil || a.Required && name != t.Tool.Length.Argument {
			return nil, nil, errors.New(formatRefusal(refused))
		}
		if note, ok := p.fitArgument(t, args, name, f); ok {
			notes = append(notes, note)
			continue
		}
		delete(args, name)
		if name == "loras" {
			delete(args, "loraStrengths")
		}
		notes = append(notes, "I left out "+name+": "+formatRefusal(refused))
	}
	return nil, nil, fmt.Errorf("%s does not take these arguments", t.Tool.Name)
}

// formatRefusal formats the message of a refusal for the user.
func formatRefusal(e *atelier.Error) string {
	s := strings.TrimPrefix(e.Message, e.Field+" ")
	return strings.TrimPrefix(e.Field, "arguments.") + " " + strings.TrimSuffix(s, ".") + "."
}

// fitArgument moves one argument into the range of the model.
func (p *Planner) fitArgument(t *Task, args map[string]any, name string, f catalog.Facts) (string, bool) {
	v, isNumber := args[name].(float64)
	without := maps.Clone(args)
	delete(without, name)
	if name == "width" || name == "height" {
		delete(without, "width")
		delete(without, "height")
	}
	if a, ok := t.Tool.Argument(name); ok && a.Required {
		without[name] = SampleValue(a)
	}
	step, err := p.catalog.Step(t.Tool.Name, without, f)
	if err != nil || step.Model == nil || !isNumber {
		return "", false
	}
	model := step.Model
	switch {
	case name == t.Tool.Length.Argument && model.Duration != nil:
		to := min(max(v, model.Duration.Min), model.Duration.Max)
		if to == v {
			return "", false
		}
		args[name] = to
		return fmt.Sprintf("%s makes %s to %s seconds, so I asked for %s.", model.Name, phrase.FormatNumber(model.Duration.Min),
			phrase.FormatNumber(model.Duration.Max), phrase.FormatNumber(to)), true
	case (name == "width" || name == "height") && model.Size != nil:
		return fitSize(args, model)
	case name == "targetResolution" && model.Size != nil && len(model.Size.Resolutions) > 0:
		var list []float64
		for _, r := range model.Size.Resolutions {
			list = append(list, float64(r.Name))
		}
		to := slot.Nearest(list, v)
		if to == v {
			return "", false
		}
		args[name] = to
		return fmt.Sprintf("%s does not render %sp, so I asked for %sp.", model.Name, phrase.FormatNumber(v), phrase.FormatNumber(to)), true
	}
	return "", false
}

// fitSize scales a size into the range of a model and keeps its aspect ratio.
func fitSize(args map[string]any, model *catalog.Model) (string, bool) {
	w, _ := args["width"].(float64)
	h, _ := args["height"].(float64)
	s := model.Size
	if w <= 0 || h <= 0 || s.Max == 0 {
		return "", false
	}
	scale := min(1, float64(s.Max)/max(w, h))
	if s.MaxPixels > 0 {
		scale = min(scale, math.Sqrt(float64(s.MaxPixels)/(w*h)))
	}
	if grow := float64(s.Min) / min(w, h); grow > 1 {
		scale = max(scale, grow)
	}
	if s.MinPixels > 0 && w*h*scale*scale < float64(s.MinPixels) {
		scale = math.Sqrt(float64(s.MinPixels) / (w * h))
	}
	step := float64(max(1, s.Multiple))
	edge := func(v float64) float64 {
		v = float64(int(v*scale/step+0.5)) * step
		return min(max(v, float64(s.Min)), float64(s.Max))
	}
	nw, nh := edge(w), edge(h)
	if nw == w && nh == h {
		return "", false
	}
	args["width"], args["height"] = nw, nh
	return fmt.Sprintf("%s makes edges of %d to %d pixels, so I asked for %s by %s.", model.Name, s.Min, s.Max, phrase.FormatNumber(nw),
		phrase.FormatNumber(nh)), true
}
