package catalog

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/yamldoc"
)

// WeightFile is a file that ComfyUI reads the weights of models from, and where it is
// published.
type WeightFile struct {
	// File is its folder below ComfyUI's models, and its name there.
	File string `yaml:"file"`
	// Base names a partial entry that this one is decoded on top of.
	Base string `yaml:"base"`
	// Removed removes an entry of the program's own data from the catalog.
	Removed bool `yaml:"removed"`

	URL    string `yaml:"url"`    // of its bytes
	Bytes  int64  `yaml:"bytes"`  // its size; 0 when no public source has it
	About  int64  `yaml:"about"`  // its size rounded, where the exact one is not known
	SHA256 string `yaml:"sha256"` // in lower case; empty when no public source has it
	// Unknown says why no address is known.
	Unknown string `yaml:"unknown"`
}

// Folder is the folder below ComfyUI's models.
func (f *WeightFile) Folder() string { return path.Dir(f.File) }

// Name is the name in the folder.
func (f *WeightFile) Name() string { return path.Base(f.File) }

// Page is where people read about the file; empty when no address is known.
func (f *WeightFile) Page() string {
	page, _, _ := strings.Cut(f.URL, "/resolve/")
	return page
}

// WeightFiles lists the files that a model needs on a GPU; none when that is not known.
func (c *Catalog) WeightFiles(m *Model) []*WeightFile { return c.read().filesOf(m) }

func (c *contents) filesOf(m *Model) []*WeightFile {
	var out []*WeightFile
	for _, name := range m.WeightNames {
		if f := c.weightFiles[name]; f != nil {
			out = append(out, f)
		}
	}
	return out
}

// weightFile is the form of WeightFile.File. It is the name of a file that is written, so
// that nothing in it may lead elsewhere.
var weightFile = regexp.MustCompile(`^[a-z0-9_]+(/[A-Za-z0-9][A-Za-z0-9 ._()+-]*)+$`)

var sha256Text = regexp.MustCompile(`^[0-9a-f]{64}$`)

// weightEndings are the endings of files that ComfyUI lists.
var weightEndings = []string{".safetensors", ".sft", ".gguf", ".ckpt", ".pt", ".pth", ".bin", ".onnx"}

// weightSources reads the files of weights, and links the models to them.
func (l *loader) weightSources(c *contents) error {
	list, err := gather[WeightFile](l, "file", func(d *document) []yamldoc.Raw { return d.WeightFiles })
	if err != nil {
		return err
	}
	c.weightFiles = make(map[string]*WeightFile, len(list))
	for _, f := range list {
		if f.URL != "" {
			f.Unknown = "" // an operator's address for an entry of ours
		}
		if err := l.checkWeightFile(f); err != nil {
			return err
		}
		c.weightFiles[f.File] = f
	}
	for _, m := range c.models {
		for _, name := range m.WeightNames {
			if c.weightFiles[name] == nil && !l.removed[name] {
				return l.fail(m, "weights", "%s is not among the weightFiles", name)
			}
		}
		if memory := m.GPUMemory; memory != nil && (memory.Bytes <= 0 || memory.Source == "") {
			return l.fail(m, "gpuMemory", "must have the bytes and the source of this number")
		}
		m.Weights = entryWeights(c.filesOf(m), m.GPUMemory)
	}
	return nil
}

func (l *loader) checkWeightFile(f *WeightFile) error {
	address, err := url.Parse(f.URL)
	switch {
	case !weightFile.MatchString(f.File) || strings.Contains(f.File, "..") || !slices.Contains(weightEndings, path.Ext(f.File)):
		return l.fail(f, "file", "must be a folder of ComfyUI's models and the name of a file of weights, such as vae/ae.safetensors")
	case f.URL == "" && f.Unknown == "":
		return l.fail(f, "url", "must be the address of the file; without one, unknown says why")
	case f.URL != "" && (err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" || address.User != nil || address.Fragment != ""):
		return l.fail(f, "url", "must be an http or https URL without user and fragment")
	case f.SHA256 != "" && !sha256Text.MatchString(f.SHA256):
		return l.fail(f, "sha256", "must be 64 hexadecimal digits in lower case")
	case f.Bytes < 0 || f.About < 0:
		return l.fail(f, "bytes", "must be a size in bytes")
	}
	return nil
}

// entryWeights is what the API says of the weights of a model; nil when nothing is known.
func entryWeights(files []*WeightFile, memory *apitype.GPUMemory) *apitype.ModelWeights {
	if len(files) == 0 && memory == nil {
		return nil
	}
	out := &apitype.ModelWeights{Files: []apitype.WeightFile{}, GPUMemory: memory}
	for _, f := range files {
		size, approximate := f.Bytes, false
		if size == 0 {
			size, approximate = f.About, f.About > 0
		}
		out.Files = append(out.Files, apitype.WeightFile{
			Folder: f.Folder(), Name: f.Name(), URL: f.URL, Bytes: size, Approximate: approximate, SHA256: f.SHA256, Unknown: f.Unknown,
		})
		out.Bytes += size
		if size == 0 {
			out.SizesUnknown++
		}
	}
	return out
}

func (f *WeightFile) describe(problem string) string {
	return fmt.Sprintf("file of weights %s: %s", f.File, problem)
}
