package comfyui

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/atelier-project/atelier/internal/filetype"
)

// check checks a mapping against its graph. Its errors begin with the path of what
// is wrong.
func (m *mapping) check() error {
	if len(m.Models) == 0 {
		return errors.New("models: must name at least one model")
	}
	if len(m.Tools) == 0 {
		return errors.New("tools: must name at least one tool")
	}
	for i, x := range m.Models {
		if err := m.checkModel(x); err != nil {
			return fmt.Errorf("models[%d]%w", i, err)
		}
		if slices.IndexFunc(m.Models, func(y mappingModel) bool { return y.ID == x.ID }) != i {
			return fmt.Errorf("models[%d].id: %s is written twice", i, x.ID)
		}
	}
	for _, part := range []func() error{m.checkSlots, m.checkInputs, m.checkSize, m.checkLoras, m.checkOutputs, m.checkFiles, m.checkWeights} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (m *mapping) checkModel(x mappingModel) error {
	if x.ID == "" {
		return errors.New(".id: must name the model")
	}
	for _, t := range sortedTargets(x.Set) {
		if err := m.literal(t); err != nil {
			return fmt.Errorf(".set.%s: %w", t, err)
		}
	}
	for _, t := range sortedTargets(x.Links) {
		if err := m.checkLink(t, x.Links[t]); err != nil {
			return fmt.Errorf(".links.%s: %w", t, err)
		}
	}
	for _, t := range sortedTargets(x.Files) {
		if _, ok := m.Files[t]; !ok {
			return fmt.Errorf(".files.%s: is not among the files of the mapping", t)
		}
		if err := checkNames(x.Files[t]); err != nil {
			return fmt.Errorf(".files.%s: %w", t, err)
		}
	}
	return nil
}

func (m *mapping) checkSlots() error {
	for _, name := range slices.Sorted(maps.Keys(m.Slots)) {
		s := m.Slots[name]
		if len(s.To) == 0 {
			return fmt.Errorf("slots.%s.to: must name an input, such as 6.text", name)
		}
		for _, t := range s.To {
			if err := m.literal(t); err != nil {
				return fmt.Errorf("slots.%s.to: %w", name, err)
			}
			if s.Default != nil {
				v, err := s.change(s.Default)
				if err == nil {
					_, err = fits(m.graph[t.node].Inputs[t.input], v)
				}
				if err != nil {
					return fmt.Errorf("slots.%s.default: %w", name, err)
				}
			}
		}
		if _, ok := m.Inputs[s.With]; s.With != "" && !ok {
			return fmt.Errorf("slots.%s.with: %s is not one of the inputs", name, s.With)
		}
		if s.Format != "" && s.Format != formatKey {
			return fmt.Errorf("slots.%s.format: must be %s", name, formatKey)
		}
		if f := s.Frames; f != nil && (f.FPS <= 0 || f.Base < 0 || f.Step < 0 || f.Max < 0 || f.Max > 0 && f.Max < f.Base) {
			return fmt.Errorf("slots.%s.frames: fps must be above 0, and max not below base", name)
		}
		if s.Min != nil && s.Max != nil && *s.Min > *s.Max {
			return fmt.Errorf("slots.%s.min: is above max", name)
		}
	}
	for _, t := range m.Seed {
		if err := m.literal(t); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return nil
}

func (m *mapping) checkInputs() error {
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		in := m.Inputs[name]
		if len(in.To) == 0 {
			return fmt.Errorf("inputs.%s.to: must name an input of a node that loads a file", name)
		}
		if !slices.Contains([]string{"image", "video", "audio"}, in.Kind) {
			return fmt.Errorf("inputs.%s.kind: must be image, video or audio", name)
		}
		for _, t := range in.To {
			if err := m.literal(t); err != nil {
				return fmt.Errorf("inputs.%s.to: %w", name, err)
			}
		}
		for _, t := range sortedTargets(in.Links) {
			if err := m.checkLink(t, in.Links[t]); err != nil {
				return fmt.Errorf("inputs.%s.links.%s: %w", name, t, err)
			}
		}
	}
	return nil
}

func (m *mapping) checkSize() error {
	s := m.Size
	if s == nil {
		return nil
	}
	for i, t := range s.To {
		for j, at := range []target{t.Width, t.Height} {
			part := [...]string{"width", "height"}[j]
			if at == (target{}) {
				return fmt.Errorf("size.to[%d].%s: must name an input", i, part)
			}
			if err := m.literal(at); err != nil {
				return fmt.Errorf("size.to[%d].%s: %w", i, part, err)
			}
		}
		if t.Scale < 0 {
			return fmt.Errorf("size.to[%d].scale: must be above 0", i)
		}
	}
	_, known := m.Inputs[s.Follow]
	_, ratio := parseRatio(s.Ratio)
	switch {
	case len(s.To) == 0:
		return errors.New("size.to: must name the inputs for width and height")
	case (s.Edge > 0) == (s.Short > 0):
		return errors.New("size: must have either edge or short")
	case s.Ratio != "" && !ratio:
		return errors.New("size.ratio: must be a ratio such as 16:9")
	case s.Follow != "" && !known:
		return fmt.Errorf("size.follow: %s is not one of the inputs", s.Follow)
	case s.Min < 0 || s.Max < 0 || s.Max > 0 && s.Max < s.Min:
		return errors.New("size.max: is below min")
	case s.Multiple < 0:
		return errors.New("size.multiple: must be above 0")
	}
	return nil
}

func (m *mapping) checkLoras() error {
	for i, p := range m.Loras {
		for j, s := range []*source{&p.Model, p.Clip} {
			if s == nil {
				continue
			}
			part := [...]string{"model", "clip"}[j]
			if s.node == "" || m.graph[s.node] == nil {
				return fmt.Errorf("loras[%d].%s: %w", i, part, m.noNode(s.node))
			}
			if !m.read(link(*s)) {
				return fmt.Errorf("loras[%d].%s: no node reads output %d of node %s", i, part, s.output, s.node)
			}
		}
	}
	return nil
}

func (m *mapping) read(l link) bool {
	for _, n := range m.graph {
		if slices.Contains(n.links(), l) {
			return true
		}
	}
	return false
}

func (m *mapping) checkOutputs() error {
	if len(m.Outputs) == 0 {
		return errors.New("outputs: must name the node whose file is the result")
	}
	for i, o := range m.Outputs {
		if m.graph[o.Node] == nil {
			return fmt.Errorf("outputs[%d].node: %w", i, m.noNode(o.Node))
		}
		if filetype.Extension(o.Type) == "" {
			return fmt.Errorf("outputs[%d].type: %q is not a media type that the service knows", i, o.Type)
		}
	}
	return nil
}

func (m *mapping) checkFiles() error {
	for _, t := range sortedTargets(m.Files) {
		f := m.Files[t]
		if err := m.literal(t); err != nil {
			return fmt.Errorf("files.%s: %w", t, err)
		}
		if f.Folder == "" {
			return fmt.Errorf("files.%s.folder: must name the folder below ComfyUI's models", t)
		}
		if err := checkNames(f.Names); err != nil {
			return fmt.Errorf("files.%s.names: %w", t, err)
		}
	}
	return nil
}

func (m *mapping) checkWeights() error {
	for _, id := range slices.Sorted(maps.Keys(m.Weights)) {
		if m.graph[id] == nil {
			return fmt.Errorf("weights.%s: %w", id, m.noNode(id))
		}
		if m.Weights[id] <= 0 {
			return fmt.Errorf("weights.%s: must be above 0", id)
		}
	}
	return nil
}

func checkNames(names []string) error {
	for _, n := range names {
		if _, err := path.Match(n, ""); err != nil || n == "" {
			return fmt.Errorf("%q is not a name or a pattern", n)
		}
	}
	return nil
}

// literal refuses a target that cannot be set.
func (m *mapping) literal(t target) error {
	n := m.graph[t.node]
	if n == nil {
		return m.noNode(t.node)
	}
	input, ok := n.Inputs[t.input]
	if !ok {
		return fmt.Errorf("node %s (%s) has no input %s in %s; it has %s", t.node, n.Class, t.input, m.Graph, listed(slices.Sorted(maps.Keys(n.Inputs))))
	}
	if l, linked := linkOf(input); linked {
		return fmt.Errorf("input %s of node %s is linked to node %s; name an input of that one", t.input, t.node, l.node)
	}
	return nil
}

// checkLink refuses a link between nodes that do not exist.
func (m *mapping) checkLink(t target, from source) error {
	for _, id := range []string{t.node, from.node} {
		if m.graph[id] == nil {
			return m.noNode(id)
		}
	}
	return nil
}

func (m *mapping) noNode(id string) error { return fmt.Errorf("node %q is not in %s", id, m.Graph) }

func sortedTargets[V any](in map[target]V) []target {
	return slices.SortedFunc(maps.Keys(in), func(a, b target) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
}
