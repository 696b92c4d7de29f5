package comfyui

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

//go:embed graphs
var embedded embed.FS

// Library has all graphs: the program's own and those of an operator's directory.
type Library struct {
	mappings []*mapping
	own      int                    // where the program's begin
	once     sync.Once              // of what follows
	needed   map[string][]ModelFile // what each model needs
}

// maxGraph is the largest file of a graph or a mapping.
const maxGraph = 8 << 20

// LoadLibrary reads the program's graphs and, on top of them, those of a
// directory. A file there with the name of one of the program's replaces it;
// a model and tool that the directory serves is not served by the program's
// graphs; a mapping there may use the program's graphs and mappings by name.
// With an empty name only the program's own are read. Graphs that are in no directory come between
// the two: they serve no model and tool that the directory does.
//
// The error names the file and the part of it that is wrong.
func LoadLibrary(dir string, more ...Source) (*Library, error) {
	own, err := fs.Sub(embedded, "graphs")
	if err != nil {
		return nil, err
	}
	dirs := []graphDir{{own, "graphs"}}
	if dir != "" {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, fmt.Errorf("graphs directory: %w", err)
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("graphs directory: %s is not a directory", dir)
		}
		dirs = append([]graphDir{{os.DirFS(dir), dir}}, dirs...)
	}
	l := &Library{}
	seen, used := map[string]bool{}, map[string]bool{}
	for i := range dirs {
		l.own = len(l.mappings)
		found, err := readGraphDir(dirs, i, seen, used)
		if err != nil {
			return nil, err
		}
		l.mappings = append(l.mappings, found...)
	}
	if err := dirs[0].checkUnused(used); err != nil {
		return nil, err
	}
	return l.With(more...)
}

// With is another library that has graphs between those of the directory and the program's. Nothing else is read
// again: the directory may have changed since.
func (l *Library) With(more ...Source) (*Library, error) {
	out, served := &Library{}, map[[2]string]bool{}
	add := func(found ...*mapping) {
		now := map[[2]string]bool{}
		for _, m := range found {
			m := *m // it is in another library too
			m.taken = maps.Clone(served)
			for _, model := range m.Models {
				for _, tool := range m.Tools {
					now[[2]string{model.ID, tool}] = true
				}
			}
			out.mappings = append(out.mappings, &m)
		}
		maps.Copy(served, now)
	}
	add(l.mappings[:l.own]...)
	for _, s := range more {
		m, err := s.read()
		if err != nil {
			return nil, err
		}
		add(m)
	}
	out.own = len(out.mappings)
	add(l.mappings[l.own:]...)
	return out, nil
}

// Source is a graph with its mapping, which is written on top of no other.
type Source struct {
	Name    string
	Graph   string
	Mapping string
}

// NewLibrary has some graphs and none of the program's.
func NewLibrary(list ...Source) (*Library, error) {
	l := &Library{}
	for _, s := range list {
		m, err := s.read()
		if err != nil {
			return nil, err
		}
		l.mappings = append(l.mappings, m)
	}
	return l, nil
}

// read reads a graph that is in no directory. A file of its name stays what it is.
func (s Source) read() (*mapping, error) {
	m := &mapping{name: s.Name, file: "mapping of " + s.Name}
	if err := yamldoc.Decode(m.file, []byte(s.Mapping), m); err != nil {
		return nil, err
	}
	if m.Base != "" || m.Graph != "" {
		return nil, fmt.Errorf("%s: must not name other files", m.file)
	}
	var err error
	if m.graph, err = parseGraph([]byte(s.Graph)); err != nil {
		return nil, fmt.Errorf("graph %s: %w", s.Name, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.file, err)
	}
	return m, nil
}

// checkUnused refuses a graph that no mapping uses: its author probably forgot the
// mapping.
func (s graphDir) checkUnused(used map[string]bool) error {
	names, err := fs.Glob(s.tree, "*.json")
	for _, name := range names {
		if file := filepath.Join(s.name, name); !used[file] {
			return fmt.Errorf("%s: no mapping uses it; write %s beside it", file, strings.TrimSuffix(name, ".json")+".yaml")
		}
	}
	return err
}

// graphDir is a directory of graphs and mappings.
type graphDir struct {
	tree fs.FS
	name string
}

// readGraphDir reads the mappings of one directory. Those whose name an earlier
// directory has are skipped.
func readGraphDir(dirs []graphDir, at int, seen, used map[string]bool) ([]*mapping, error) {
	here := dirs[at]
	entries, err := fs.ReadDir(here.tree, ".")
	if err != nil {
		return nil, fmt.Errorf("graphs %s: %w", here.name, err)
	}
	var out []*mapping
	for _, e := range entries {
		name := e.Name()
		switch ext := path.Ext(name); {
		case e.IsDir() || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "README") || ext == ".json":
			continue
		case ext != ".yaml":
			return nil, fmt.Errorf("%s: a mapping ends in .yaml and a graph in .json", filepath.Join(here.name, name))
		}
		base := strings.TrimSuffix(name, ".yaml")
		if seen[base] {
			continue
		}
		seen[base] = true
		m := &mapping{}
		if err := decodeMapping(dirs[at:], name, m, 0); err != nil {
			return nil, err
		}
		m.name, m.file = base, filepath.Join(here.name, name)
		if m.Graph == "" {
			m.Graph = base + ".json"
		}
		data, file, err := readFile(dirs, m.Graph)
		if err != nil {
			return nil, fmt.Errorf("%s: graph: %w", m.file, err)
		}
		used[file] = true
		if m.graph, err = parseGraph(data); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", m.file, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// decodeMapping decodes a mapping on top of the one that it is based on.
func decodeMapping(dirs []graphDir, name string, m *mapping, depth int) error {
	data, file, err := readFile(dirs, name)
	if err != nil {
		return err
	}
	var whole yamldoc.Raw
	if err := yamldoc.Decode(file, data, &whole); err != nil {
		return err
	}
	if under := whole.Text("base"); under != "" {
		base := under + ".yaml"
		if base == name {
			// A file that replaces one of ours may be written on top of it.
			dirs = dirs[1:]
		}
		if depth > 4 || len(dirs) == 0 {
			return whole.Fail("base", "refers to itself")
		}
		if err := decodeMapping(dirs, base, m, depth+1); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return whole.Fail("base", fmt.Sprintf("%s does not exist", base))
			}
			return err
		}
		if m.Graph == "" {
			m.Graph = under + ".json"
		}
	}
	return yamldoc.Decode(file, data, m)
}

// readFile reads a file from the first directory that has it.
func readFile(dirs []graphDir, name string) (data []byte, file string, err error) {
	if !fs.ValidPath(name) || strings.Contains(name, "/") {
		return nil, "", fmt.Errorf("%s: must be the name of a file beside this one", name)
	}
	for _, s := range dirs {
		info, err := fs.Stat(s.tree, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		file := filepath.Join(s.name, name)
		if info.Size() > maxGraph {
			return nil, "", fmt.Errorf("%s: is larger than %d bytes", file, maxGraph)
		}
		data, err := fs.ReadFile(s.tree, name)
		return data, file, err
	}
	return nil, "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// serves reports whether a mapping renders a model for a tool.
func (m *mapping) serves(model, tool string) (mappingModel, bool) {
	if !slices.Contains(m.Tools, tool) || m.taken[[2]string{model, tool}] {
		return mappingModel{}, false
	}
	i := slices.IndexFunc(m.Models, func(x mappingModel) bool { return x.ID == model })
	if i < 0 {
		return mappingModel{}, false
	}
	return m.Models[i], true
}

// served are the models that a mapping renders for any tool.
func (m *mapping) served() []mappingModel {
	return slices.DeleteFunc(slices.Clone(m.Models), func(x mappingModel) bool {
		return !slices.ContainsFunc(m.Tools, func(tool string) bool { return !m.taken[[2]string{x.ID, tool}] })
	})
}

// Models lists every model that has a graph, whether or not an instance has its
// files.
func (l *Library) Models() []string {
	ids := map[string]bool{}
	for _, m := range l.mappings {
		for _, x := range m.served() {
			ids[x.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Tools lists the tools that a model is rendered for.
func (l *Library) Tools(model string) []string {
	tools := map[string]bool{}
	for _, m := range l.mappings {
		for _, tool := range m.Tools {
			if _, ok := m.serves(model, tool); ok {
				tools[tool] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(tools))
}
