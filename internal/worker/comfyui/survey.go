package comfyui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// survey lists what one ComfyUI has: its nodes, its model files, and the graphs
// that it can render with them.
type survey struct {
	version string
	device  string
	nodes   map[string]nodeInfo
	folders map[string][]string
	ready   map[pair]*binding
	missing map[pair][]string
}

// pair is a mapping and one of its models.
type pair struct {
	mapping *mapping
	model   string
}

// binding is how a graph must be changed for one ComfyUI: the names of its files,
// and inputs of its version that the graph does not have.
type binding struct {
	set     map[target]any
	files   []string            // model files, with their folders
	options map[target][]string // the values that inputs of slots with a format are chosen from
}

// newSurvey reads the nodes and files of a ComfyUI, and checks every graph against
// them.
func newSurvey(ctx context.Context, a *api, l *Library) (_ *survey, err error) {
	defer func() {
		var refused *refusedError
		if errors.As(err, &refused) && !isUnreachable(err) {
			err = fmt.Errorf("%w; %s", err, checkAddress)
		}
	}()
	stats, err := a.stats(ctx)
	if err != nil {
		return nil, err
	}
	s := &survey{version: stats.System.Version, folders: map[string][]string{}, ready: map[pair]*binding{}, missing: map[pair][]string{}}
	if len(stats.Devices) > 0 {
		s.device = gpuName(stats.Devices[0].Name)
	}
	if s.nodes, err = l.readNodes(ctx, a); err != nil {
		return nil, err
	}
	for _, m := range l.mappings {
		for _, f := range m.Files {
			if _, known := s.folders[f.Folder]; known {
				continue
			}
			if s.folders[f.Folder], err = a.files(ctx, f.Folder); err != nil {
				return nil, err
			}
		}
		for _, x := range m.served() {
			b, missing := s.bind(m, x)
			if len(missing) > 0 {
				s.missing[pair{m, x.ID}] = missing
				continue
			}
			s.ready[pair{m, x.ID}] = b
		}
	}
	return s, nil
}

// bind checks a graph against the survey.
func (s *survey) bind(m *mapping, x mappingModel) (*binding, []string) {
	b := &binding{set: map[target]any{}, options: map[target][]string{}}
	var missing []string
	g := m.reach(x)
	for _, t := range sortedTargets(m.Files) {
		if g[t.node] == nil {
			continue
		}
		name, why := s.file(m, x, t)
		if why != "" {
			if !slices.Contains(missing, why) { // several nodes may read it
				missing = append(missing, why)
			}
			continue
		}
		b.set[t] = name
		b.files = append(b.files, m.Files[t].Folder+"/"+name)
	}
	variable := m.variable()
	classes := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(g)) {
		n := g[id]
		info, ok := s.nodes[n.Class]
		if !ok {
			if !classes[n.Class] {
				missing = append(missing, "the node "+n.Class)
			}
			classes[n.Class] = true
			continue
		}
		missing = append(missing, s.inputs(id, n, info, x, variable, b)...)
	}
	for _, slot := range m.Slots {
		for _, t := range slot.To {
			if n := g[t.node]; n != nil && slot.Format != "" {
				b.options[t] = s.nodes[n.Class].input(t.input).options
			}
		}
	}
	return b, missing
}

// reach is the part of a graph that may be rendered for a model, with any of
// its outputs and with or without any of its files.
func (m *mapping) reach(x mappingModel) graph {
	bare, full := m.wired(x), m.wired(x)
	for _, in := range m.Inputs {
		for t, s := range in.Links {
			full[t.node].Inputs[t.input] = link(s).value()
		}
	}
	needed := map[string]bool{}
	for _, o := range m.Outputs {
		maps.Copy(needed, bare.needs(o.Node))
		maps.Copy(needed, full.needs(o.Node))
	}
	maps.DeleteFunc(bare, func(id string, _ *node) bool { return !needed[id] })
	return bare
}

// inputs checks the inputs of one node against those that the node takes.
func (s *survey) inputs(id string, n *node, info nodeInfo, x mappingModel, variable map[target]bool, b *binding) (missing []string) {
	for _, name := range slices.Sorted(maps.Keys(info.required)) {
		spec := info.required[name]
		t := target{id, name}
		if _, given := n.Inputs[name]; given || variable[t] || strings.HasPrefix(spec.kind, "COMFY_") {
			continue
		}
		if spec.standard == nil {
			missing = append(missing, fmt.Sprintf("the input %s of node %s (%s), which this version of ComfyUI requires and the graph does not have", name, id, n.Class))
			continue
		}
		b.set[t] = spec.standard
	}
	for _, name := range slices.Sorted(maps.Keys(n.Inputs)) {
		t := target{id, name}
		value, set := x.Set[t]
		if !set {
			value = n.Inputs[name]
		}
		text, isText := value.(string)
		if _, bound := b.set[t]; bound || variable[t] || !isText {
			continue
		}
		spec := info.input(name)
		if spec.options != nil && !slices.Contains(spec.options, text) {
			if found, ok := findFile(spec.options, text); ok {
				b.set[t] = found
				continue
			}
			missing = append(missing, fmt.Sprintf("%q for the input %s of node %s (%s)", text, name, id, n.Class))
		}
	}
	return missing
}

// variable are the inputs that a job sets, whose values in the graph do not matter,
// and those of files, which are checked separately.
func (m *mapping) variable() map[target]bool {
	out := map[target]bool{}
	for _, s := range m.Slots {
		for _, t := range s.To {
			out[t] = true
		}
	}
	for _, in := range m.Inputs {
		for _, t := range in.To {
			out[t] = true
		}
		for t := range in.Links {
			out[t] = true
		}
	}
	for t := range m.Files {
		out[t] = true
	}
	return out
}

// file finds a model file by its acceptable names.
func (s *survey) file(m *mapping, x mappingModel, t target) (name, missing string) {
	f, names := m.Files[t], m.fileNames(x, t)
	for _, n := range names {
		if found, ok := findFile(s.folders[f.Folder], n); ok {
			return found, ""
		}
	}
	missing = fmt.Sprintf("the file %s in models/%s", strings.Join(names, " or "), f.Folder)
	if f.From != "" {
		missing += " (" + f.From + ")"
	}
	return "", missing
}

// findFile finds a name or a pattern in a list as ComfyUI spells it: with its
// folders, which operators choose freely, and their separator.
func findFile(list []string, name string) (string, bool) {
	if slices.Contains(list, name) {
		return name, true
	}
	want := strings.ToLower(path.Base(slashed(name)))
	for _, have := range slices.Sorted(slices.Values(list)) {
		if ok, _ := path.Match(want, strings.ToLower(path.Base(slashed(have)))); ok {
			return have, true
		}
	}
	return "", false
}

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }
