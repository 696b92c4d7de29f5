package comfyui

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// order is a job together with the graph that renders it.
type order struct {
	task    worker.Task
	mapping *mapping
	model   mappingModel
}

// orders finds the graphs for a job: those that serve its model and tool and accept
// all its inputs, an operator's first.
func (l *Library) orders(t worker.Task) ([]*order, error) {
	var out []*order
	var why []string
	for _, m := range l.mappings {
		x, ok := m.serves(t.ModelID, t.ToolName)
		if !ok {
			continue
		}
		o := &order{t, m, x}
		if err := o.check(); err == nil {
			out = append(out, o)
		} else {
			why = append(why, err.Error())
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(why) > 0:
		return nil, worker.Failf("%s cannot be rendered with %s here: %s.", t.ToolName, t.ModelID, worker.Shorten(strings.Join(slices.Compact(why), "; "), 400))
	}
	return nil, worker.Failf("This worker has no graph that renders %s with %s.", t.ToolName, t.ModelID)
}

// check returns why a graph cannot render a job. All mistakes of a job are found
// here, before anything is rendered.
func (o *order) check() error {
	if err := o.checkValues(); err != nil {
		return err
	}
	used := map[string]bool{}
	for i := range max(1, len(o.task.Artifacts)) {
		for _, name := range slices.Sorted(maps.Keys(o.mapping.Inputs)) {
			in := o.mapping.Inputs[name]
			from, err := o.fileFor(name, in, i)
			if err != nil {
				return err
			}
			if from == "" && in.Required {
				return fmt.Errorf("the graph %s needs the input %s", o.mapping.name, orName(in.From, name)[0])
			}
			if from != "" && !in.takes(filetype.DetectFile(o.task.Files[from])) {
				return fmt.Errorf("the input %s must be of the kind %s, not %s", from, in.Kind, orUnknown(filetype.DetectFile(o.task.Files[from])))
			}
			used[from] = true
		}
		if _, err := o.values(i); err != nil {
			return err
		}
		if _, _, err := o.size(i); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.task.Files)) {
		if !used[name] {
			return fmt.Errorf("the graph %s has no place for the input %s", o.mapping.name, name)
		}
	}
	if len(o.task.Loras) > 0 && len(o.mapping.Loras) == 0 {
		return fmt.Errorf("the graph %s loads no LoRAs", o.mapping.name)
	}
	for _, slot := range o.task.Artifacts {
		if _, err := o.output(slot); err != nil {
			return err
		}
	}
	return nil
}

// takes reports whether a node that loads files of a kind can load this one. Nodes
// that load sound also take clips.
func (in fileInput) takes(contentType string) bool {
	kind := filetype.Kind(contentType)
	return contentType == "" || kind == in.Kind || kind == "video" && in.Kind == "audio"
}

// checkValues refuses values of arguments that the graph does not support.
func (o *order) checkValues() error {
	for _, name := range slices.Sorted(maps.Keys(o.mapping.Only)) {
		v, given := o.task.Arguments[name]
		if !given || v == nil || v == "" {
			continue
		}
		able := o.mapping.Only[name]
		if len(able) == 0 {
			return fmt.Errorf("the graph %s does not take %s", o.mapping.name, name)
		}
		if !slices.ContainsFunc(able, func(x any) bool { return formatValue(x) == formatValue(v) }) {
			var list []string
			for _, x := range able {
				list = append(list, formatValue(x))
			}
			return fmt.Errorf("the graph %s takes %s only as %s", o.mapping.name, name, listed(list))
		}
	}
	return nil
}

// fileFor returns the name of the job's file that goes into an input, for one artifact;
// empty without such a file.
func (o *order) fileFor(name string, in fileInput, artifact int) (string, error) {
	if in.Each != "" {
		n := 0
		for o.task.Files[numbered(in.Each, n)] != "" {
			n++
		}
		switch {
		case n == 1:
			return in.Each, nil
		case n > 1 && artifact >= n:
			return "", fmt.Errorf("%s has %d entries, which is fewer than the artifacts", in.Each, n)
		case n > 1:
			return numbered(in.Each, artifact), nil
		}
	}
	for _, from := range orName(in.From, name) {
		if o.task.Files[from] != "" {
			return from, nil
		}
	}
	return "", nil
}

// numbered is the name of the nth file of an argument.
func numbered(argument string, n int) string {
	if n == 0 {
		return argument
	}
	return fmt.Sprintf("%s#%d", argument, n)
}

// output chooses the node that makes an artifact: one that writes its type, or else
// one whose type can be converted to it.
func (o *order) output(slot apitype.AssignmentArtifact) (output, error) {
	for _, able := range []func(output) bool{
		func(x output) bool { return filetype.Fits(slot.ContentType, x.Type) },
		func(x output) bool { return converter(x.Type, slot.ContentType) != nil },
	} {
		if i := slices.IndexFunc(o.mapping.Outputs, able); i >= 0 {
			return o.mapping.Outputs[i], nil
		}
	}
	var types []string
	for _, x := range o.mapping.Outputs {
		types = append(types, x.Type)
	}
	return output{}, fmt.Errorf("the graph %s makes %s, not %s", o.mapping.name, listed(types), slot.ContentType)
}

// values are the inputs that the job's arguments set for one artifact.
func (o *order) values(artifact int) (map[target]any, error) {
	out := map[target]any{}
	for _, name := range slices.Sorted(maps.Keys(o.mapping.Slots)) {
		s := o.mapping.Slots[name]
		if s.With != "" {
			from, err := o.fileFor(s.With, o.mapping.Inputs[s.With], artifact)
			if err != nil {
				return nil, err
			}
			if from == "" {
				continue
			}
		}
		v, _, err := s.value(name, o.task.Arguments, artifact)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		for _, t := range s.To {
			fit, err := fits(o.mapping.graph[t.node].Inputs[t.input], v)
			if err != nil {
				return nil, fmt.Errorf("the argument %s %w", orName(s.From, name)[0], err)
			}
			out[t] = fit
		}
	}
	return out, nil
}

// size is how large the result is; zero when the graph decides.
func (o *order) size(artifact int) (int, int, error) {
	s := o.mapping.Size
	if s == nil {
		return 0, 0, nil
	}
	w, h := 0, 0
	if s.Follow != "" {
		from, err := o.fileFor(s.Follow, o.mapping.Inputs[s.Follow], artifact)
		if err != nil {
			return 0, 0, err
		}
		if from != "" {
			source := worker.MeasureFile(o.task.Files[from])
			w, h = source.Width, source.Height
		}
	}
	return s.of(o.task.Arguments, w, h)
}

// seconds is how long the result lasts; zero for stills.
func (o *order) seconds(artifact int) float64 {
	for name, s := range o.mapping.Slots {
		if s.Frames == nil {
			continue
		}
		if v, _, err := s.value(name, o.task.Arguments, artifact); err == nil {
			if n, ok := v.(float64); ok {
				return n / s.Frames.FPS
			}
		}
	}
	return 0
}

// seed is that of one artifact. ComfyUI has no negative seeds.
func (o *order) seed(artifact int) int64 {
	return (o.task.Seed + int64(artifact)) & math.MaxInt64
}

// settled are the arguments that are used elsewhere than in slots: by the
// service, by the choice of the graph, or by the order of the artifacts.
var settled = map[string]bool{
	"model": true, "videoModel": true, "seed": true, "numberOfVariations": true, "outputFormat": true, "loras": true, "loraStrengths": true,
	"expandPrompt": true, "skipPromptProcessing": true, "quality": true,
}

// unused are the arguments of the job that the graph does not use. They are
// reported with the result, so that a reader does not assume an effect.
func (o *order) unused() []string {
	used := maps.Clone(settled)
	for name, s := range o.mapping.Slots {
		used[s.Each], used[s.Count] = true, true
		for _, from := range orName(s.From, name) {
			used[from] = true
		}
	}
	for name := range o.mapping.Only {
		used[name] = true
	}
	if o.mapping.Size != nil {
		for _, name := range sizeArguments {
			used[name] = true
		}
	}
	for name := range o.task.Files {
		name, _, _ = strings.Cut(name, "#")
		used[name] = true
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(o.task.Arguments)) {
		switch v := o.task.Arguments[name]; {
		case used[name], v == nil, v == "", v == false:
		default:
			out = append(out, name)
		}
	}
	return out
}
