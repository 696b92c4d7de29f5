package comfyui

import (
	"fmt"
	"slices"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/modeldir"
)

// Needs lists the files of a model: those of the catalog, and those of the graphs that the catalog
// does not have.
func (l *Library) Needs(known *catalog.Catalog, m *catalog.Model) ([]modeldir.Need, error) {
	l.once.Do(func() { l.needed = l.Files() })
	sources, graphs := known.WeightFiles(m), slices.Clone(l.needed[m.ID])
	if len(sources) == 0 && len(graphs) == 0 {
		if m.Vendor != "" {
			return nil, fmt.Errorf("%s is rendered by a vendor: there is nothing to fetch", m.ID)
		}
		return nil, fmt.Errorf("which files %s needs is not known: the catalog names none, and it has no graph", m.ID)
	}
	var out []modeldir.Need
	for _, s := range sources {
		accepted := ModelFile{Folder: s.Folder(), Names: []string{s.Name()}}
		if i := slices.IndexFunc(graphs, func(g ModelFile) bool { return g.Folder == s.Folder() && g.Accepts(s.Name()) }); i >= 0 {
			accepted = graphs[i]
			graphs = slices.Delete(graphs, i, i+1)
		}
		out = append(out, modeldir.Need{
			File:    modeldir.File{Folder: s.Folder(), Name: s.Name(), URL: s.URL, Page: s.Page(), Bytes: s.Bytes, SHA256: s.SHA256},
			Unknown: s.Unknown, Find: accepted.Find,
		})
	}
	for _, g := range graphs {
		out = append(out, modeldir.Need{File: modeldir.File{Folder: g.Folder, Name: g.Name}, Unknown: "the catalog has no address of it", Find: g.Find})
	}
	return out, nil
}
