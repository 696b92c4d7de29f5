package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/yamldoc"
)

//go:embed data
var embedded embed.FS

// document is the shape of every data file. A file usually has one section, but any
// section may be in any file, so an operator can keep all changes in one.
type document struct {
	UpdatedAt       string         `yaml:"updatedAt"`
	SparkUSD        atelier.Money  `yaml:"sparkUSD"`
	CapacityWeights map[string]int `yaml:"capacityWeights"`
	FreeSpark       FreeSpark      `yaml:"freeSpark"`

	// WorkerPay is by network.
	WorkerPay map[string]WorkerPay `yaml:"workerPay"`
	PlanPool  *PlanPool            `yaml:"planPool"`

	// Bases are partial entries that others are decoded on top of.
	Bases map[string]yamldoc.Raw `yaml:"bases"`
	// Shared are arguments that several tools take.
	Shared []yamldoc.Raw `yaml:"sharedArguments"`

	Families []yamldoc.Raw `yaml:"loraFamilies"`
	Models   []yamldoc.Raw `yaml:"models"`
	Tools    []yamldoc.Raw `yaml:"tools"`
	Loras    []yamldoc.Raw `yaml:"loras"`
	LLMs     []yamldoc.Raw `yaml:"llms"`
	Plans    []yamldoc.Raw `yaml:"plans"`
	Releases []yamldoc.Raw `yaml:"workerReleases"`
	Images   []yamldoc.Raw `yaml:"workerImages"`
	Samples  []yamldoc.Raw `yaml:"samples"`

	WeightFiles []yamldoc.Raw `yaml:"weightFiles"`
}

// Load reads the catalog of the program and, on top of it, the YAML files of
// an operator's directory. An entry with a known id changes what it mentions
// and keeps the rest; a new id is added; `removed: true` takes an entry out.
// With an empty name only the program's own data is read, once in a process.
//
// More files come on top of all, as With has them. The error names the file, the entry and the field that is wrong.
func Load(overlayDir string, more ...File) (*Catalog, error) {
	read := loadOwn
	if overlayDir != "" {
		read = func() (*contents, error) { return load(overlayDir) }
	}
	in, err := read()
	if err != nil {
		return nil, err
	}
	return newCatalog(in).With(more...)
}

// With is another catalog that has more files on top of all. Nothing else is read again: what this one was loaded from
// may have changed since. The error names the file, the entry and the field that is wrong.
func (c *Catalog) With(more ...File) (*Catalog, error) {
	if len(more) == 0 {
		return c.Clone(), nil
	}
	from := c.read().from
	from.checked = len(from.files)
	from.files = append(slices.Clone(from.files), more...)
	in, err := from.build()
	if err != nil {
		return nil, err
	}
	return newCatalog(in), nil
}

// File is a data file.
type File struct {
	Name string // for messages
	Data []byte
}

var loadOwn = sync.OnceValues(func() (*contents, error) { return load("") })

func load(overlayDir string) (*contents, error) {
	var from origin
	own, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	if err := from.read(own, "catalog"); err != nil {
		return nil, err
	}
	gallery, err := fs.Sub(own, "gallery")
	if err != nil {
		return nil, err
	}
	over := layered{under: gallery}
	from.checked = len(from.files)
	if overlayDir != "" {
		info, err := os.Stat(overlayDir)
		if err != nil {
			return nil, fmt.Errorf("catalog directory: %w", err)
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("catalog directory: %s is not a directory", overlayDir)
		}
		if err := from.read(os.DirFS(overlayDir), overlayDir); err != nil {
			return nil, err
		}
		over.over = os.DirFS(filepath.Join(overlayDir, "gallery"))
	}
	from.gallery = over
	return from.build()
}

// origin is what a catalog is built from. Its files are kept as they were read: decoded they take twenty times the
// memory, and few catalogs are built again.
type origin struct {
	files   []File
	checked int // how many of files are the program's, or were in use before: their samples may have no files
	gallery fs.FS
}

// build makes a catalog.
func (o origin) build() (*contents, error) {
	docs, err := o.decode()
	if err != nil {
		return nil, err
	}
	l := loader{docs: docs, checked: o.checked, at: make(map[any]yamldoc.Raw), removed: make(map[string]bool)}
	c := &contents{gallery: o.gallery, from: o}
	if err := l.build(c); err != nil {
		return nil, err
	}
	c.version = c.digest()
	return c, nil
}

// decode reads the files in parallel: YAML is most of the start time of the service.
func (o origin) decode() ([]*document, error) {
	docs := make([]*document, len(o.files))
	errs := make([]error, len(o.files))
	var wg sync.WaitGroup
	for i, file := range o.files {
		wg.Go(func() {
			docs[i] = new(document)
			errs[i] = yamldoc.Decode(file.Name, file.Data, docs[i])
		})
	}
	wg.Wait()
	for _, err := range errs { // the first of the files, not in time
		if err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// loader holds what is needed only while a catalog is made.
type loader struct {
	docs    []*document
	checked int // as in origin
	bases   map[string]yamldoc.Raw
	at      map[any]yamldoc.Raw // where each entry was last written
	removed map[string]bool     // ids an operator removed, which others may still name
}

// read adds every data file of a tree, in the order of their names.
func (o *origin) read(tree fs.FS, name string) error {
	names, err := dataFiles(tree, name)
	if err != nil {
		return err
	}
	for _, file := range names {
		data, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		o.files = append(o.files, File{filepath.Join(name, file), data})
	}
	return nil
}

// dataFiles lists the data files of a tree. A file with a wrong name is refused, so that
// no change is lost to a typing error.
func dataFiles(tree fs.FS, name string) ([]string, error) {
	var files []string
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		base := path.Base(p)
		hidden := strings.HasPrefix(base, ".") && p != "."
		switch {
		case err != nil:
			return fmt.Errorf("catalog %s: %w", name, err)
		case d.IsDir() && (p == "gallery" || hidden):
			return fs.SkipDir
		case d.IsDir() || hidden || strings.HasPrefix(base, "README"):
			return nil
		case path.Ext(p) != ".yaml" && path.Ext(p) != ".yml":
			return fmt.Errorf("%s: a catalog file ends in .yaml, and media belongs below gallery/", filepath.Join(name, p))
		}
		files = append(files, p)
		return nil
	})
	return files, err
}

// fail reports a mistake in an entry: its place, its kind and the field.
func (l *loader) fail(entry any, key, format string, args ...any) error {
	problem := fmt.Sprintf(format, args...)
	switch e := entry.(type) {
	case *Model:
		problem = fmt.Sprintf("model %s: %s", e.ID, problem)
	case *Tool:
		problem = fmt.Sprintf("tool %s: %s", e.Name, problem)
	case *Lora:
		problem = fmt.Sprintf("LoRA %s: %s", e.LoraID, problem)
	case *LLM:
		problem = fmt.Sprintf("language model %s: %s", e.ID, problem)
	case *Plan:
		problem = fmt.Sprintf("plan %s: %s", e.Key, problem)
	case *WeightFile:
		problem = e.describe(problem)
	case *Sample:
		problem = fmt.Sprintf("sample %s: %s", e.File, problem)
	}
	return l.at[entry].Fail(key, problem)
}
