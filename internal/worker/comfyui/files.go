package comfyui

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// ModelFile is a file that ComfyUI must have to render a model.
type ModelFile struct {
	Folder string   // below ComfyUI's models
	Name   string   // the best of the acceptable ones; * and ? match
	Names  []string // all acceptable ones, the best first
	From   []string // the pages where people get it; none if that is not known
	Graphs []string // what the graphs that need it are for; empty if all graphs of the model do
}

// Files lists what each model needs, by its id: first what all its graphs need.
func (l *Library) Files() map[string][]ModelFile {
	out := map[string][]ModelFile{}
	graphs := map[string]int{}
	for _, m := range l.mappings {
		for _, x := range m.served() {
			graphs[x.ID]++
			reached := m.reach(x)
			for _, t := range sortedTargets(m.Files) {
				if reached[t.node] == nil {
					continue
				}
				names := m.fileNames(x, t)
				f := ModelFile{Folder: m.Files[t].Folder, Name: names[0], Names: names, From: addresses(m.Files[t].From)}
				at := slices.IndexFunc(out[x.ID], func(o ModelFile) bool { return o.Folder == f.Folder && o.Name == f.Name })
				if at < 0 {
					at = len(out[x.ID])
					out[x.ID] = append(out[x.ID], f)
				}
				if have := &out[x.ID][at]; !slices.Contains(have.Graphs, m.About) { // several nodes may read it
					have.Graphs = append(have.Graphs, m.About)
				}
			}
		}
	}
	for _, id := range slices.Collect(maps.Keys(out)) {
		for i := range out[id] {
			if len(out[id][i].Graphs) == graphs[id] {
				out[id][i].Graphs = nil
			}
		}
		slices.SortStableFunc(out[id], func(a, b ModelFile) int { return cmp.Compare(min(len(a.Graphs), 1), min(len(b.Graphs), 1)) })
	}
	return out
}

// Find finds the file among those of its folder, named below it. The name of the best is taken.
func (f ModelFile) Find(have []string) (name string, ok bool) {
	for _, n := range f.Names {
		if found, ok := findFile(have, n); ok {
			return found, true
		}
	}
	return "", false
}

// Accepts reports whether a file with a name is one that the graphs may read in its place.
func (f ModelFile) Accepts(name string) bool {
	_, ok := f.Find([]string{name})
	return ok
}

// fileNames are the acceptable names of a model file, the best first.
func (m *mapping) fileNames(x mappingModel, t target) []string {
	names := m.Files[t].Names
	if other := x.Files[t]; len(other) > 0 {
		names = other
	}
	if len(names) == 0 {
		literal := m.graph[t.node].Inputs[t.input]
		if v, ok := x.Set[t]; ok {
			literal = v
		}
		names = []string{formatValue(literal)}
	}
	names = slices.Clone(names)
	for i, n := range names {
		names[i] = strings.ReplaceAll(n, "{model}", x.ID)
	}
	return names
}

// addresses are those in a text for people.
func addresses(text string) []string {
	return slices.DeleteFunc(strings.Fields(text), func(word string) bool { return !strings.HasPrefix(word, "https://") })
}
