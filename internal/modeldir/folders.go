package modeldir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

// Folders are where a ComfyUI looks for the files of its models.
type Folders struct {
	models string
	extra  map[string][]string // directories of extra_model_paths.yaml, by folder
	first  map[string]string   // the directory of a folder that a section with is_default names
}

// alias are the folders that ComfyUI reads under another name too.
var alias = map[string]string{"diffusion_models": "unet", "text_encoders": "clip"}

// Open finds the folders of an installed ComfyUI. dir is its own folder, or its folder of
// models.
func Open(dir string) (*Folders, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &Folders{models: filepath.Join(dir, "models")}
	switch {
	case isDir(f.models):
	case isDir(filepath.Join(dir, "checkpoints")), isDir(filepath.Join(dir, "diffusion_models")), isDir(filepath.Join(dir, "vae")):
		f.models = dir
		dir = filepath.Dir(dir)
	case !isDir(dir):
		return nil, fmt.Errorf("there is no folder %s", dir)
	default:
		return nil, fmt.Errorf("%s is not the folder of a ComfyUI: it has no folder models", dir)
	}
	return f, f.readExtra(filepath.Join(dir, "extra_model_paths.yaml"))
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// maxExtra is the largest extra_model_paths.yaml that is read.
const maxExtra = 1 << 20

// readExtra reads ComfyUI's own configuration of more folders. Sections have directories by
// folder, in lines, below a base path.
func (f *Folders) readExtra(name string) error {
	data, err := readSmall(name, maxExtra)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var sections map[string]map[string]any
	if err := yamldoc.Decode(name, data, &sections); err != nil {
		return err
	}
	f.extra, f.first = map[string][]string{}, map[string]string{}
	for _, title := range slices.Sorted(maps.Keys(sections)) {
		section := sections[title]
		base, _ := section["base_path"].(string)
		base = expandHome(base)
		if !filepath.IsAbs(base) {
			base = filepath.Join(filepath.Dir(name), base)
		}
		isDefault, _ := section["is_default"].(bool)
		for folder, value := range section {
			text, ok := value.(string)
			if !ok || folder == "base_path" {
				continue
			}
			for line := range strings.Lines(text) {
				line = strings.TrimSpace(line)
				if line == "" {
					continue
				}
				dir := expandHome(line)
				if !filepath.IsAbs(dir) {
					dir = filepath.Join(base, dir)
				}
				folder := ownName(folder)
				if !slices.Contains(f.extra[folder], dir) {
					f.extra[folder] = append(f.extra[folder], dir)
				}
				if isDefault && f.first[folder] == "" {
					f.first[folder] = dir
				}
			}
		}
	}
	for _, dirs := range f.extra {
		slices.Sort(dirs) // sections have no order here
	}
	return nil
}

// ownName is the name of a folder that has an older one.
func ownName(folder string) string {
	for name, old := range alias {
		if folder == old {
			return name
		}
	}
	return folder
}

func expandHome(dir string) string {
	rest, ok := strings.CutPrefix(dir, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return dir
	}
	return filepath.Join(home, rest)
}

// Models is the folder of the ComfyUI itself.
func (f *Folders) Models() string { return f.models }

// Writable says why this process cannot write to the folder of the ComfyUI.
func (f *Folders) Writable() error {
	file, err := os.CreateTemp(f.models, ".atelier-*")
	if err != nil {
		return fmt.Errorf("this service cannot write to %s: %w", f.models, errors.Unwrap(err))
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// Target is the directory that a file of a folder is written to: the one that
// extra_model_paths.yaml makes the default, else ComfyUI's own.
func (f *Folders) Target(folder string) string {
	if dir := f.first[folder]; dir != "" {
		return dir
	}
	return filepath.Join(f.models, filepath.FromSlash(folder))
}

// dirs are all directories in which ComfyUI looks for the files of a folder.
func (f *Folders) dirs(folder string) []string {
	out := []string{f.Target(folder), filepath.Join(f.models, filepath.FromSlash(folder))}
	if old := alias[folder]; old != "" {
		out = append(out, filepath.Join(f.models, old))
	}
	out = append(out, f.extra[folder]...)
	slices.Sort(out[1:])
	return slices.Compact(out)
}

// How much of a folder is looked through.
const (
	maxDepth = 8
	maxFiles = 100_000
)

// Files lists the files of a folder: the path of each, by its name below the folder. ComfyUI
// follows links to directories, and so does this.
func (f *Folders) Files(folder string) map[string]string {
	out, seen := map[string]string{}, 0
	var walk func(dir, below string, depth int)
	walk = func(dir, below string, depth int) {
		entries, err := os.ReadDir(dir)
		if err != nil || depth > maxDepth {
			return
		}
		for _, e := range entries {
			if seen++; seen > maxFiles {
				return
			}
			name, at := below+e.Name(), filepath.Join(dir, e.Name())
			info, err := os.Stat(at)
			switch {
			case err != nil || strings.HasPrefix(e.Name(), "."):
			case info.IsDir():
				walk(at, name+"/", depth+1)
			case info.Mode().IsRegular() && out[name] == "":
				out[name] = at
			}
		}
	}
	for _, dir := range f.dirs(folder) {
		walk(dir, "", 0)
	}
	return out
}
