package layers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Module is the path that the import paths of our packages begin with.
const Module = "github.com/atelier-project/atelier"

// Package is a package and what it imports, by import path.
type Package struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// Check lists every import that the map forbids, and every package that it does
// not name.
func Check(list []Package) (faults []string) {
	imports := map[string][]string{} // of this module
	for _, p := range list {
		from, _ := local(p.ImportPath)
		imports[from] = nil
		for _, path := range p.Imports {
			if to, ours := local(path); ours {
				imports[from] = append(imports[from], to)
			}
		}
	}
	for from := range imports {
		if matches(from, TestOnly) {
			continue
		}
		layer, known := layerOf(from)
		if !known {
			faults = append(faults, fmt.Sprintf("%s has no layer: give it one in internal/layers", Name(from)))
			continue
		}
		for _, to := range imports[from] {
			switch below, _ := layerOf(to); {
			case matches(to, TestOnly):
				faults = append(faults, fmt.Sprintf("%s imports %s, which is for tests", Name(from), to))
			case below >= layer:
				faults = append(faults, fmt.Sprintf("%s (layer %d) imports %s (layer %d)", Name(from), layer, Name(to), below))
			}
		}
		for _, b := range Bans {
			if matches(from, []string{b.From}) {
				faults = append(faults, b.faults(from, imports)...)
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// faults are the imports of a package that a ban forbids.
func (b Ban) faults(from string, imports map[string][]string) (out []string) {
	seen := map[string]bool{}
	var walk func(at, through string)
	walk = func(at, through string) {
		for _, to := range imports[at] {
			if seen[to] {
				continue
			}
			seen[to] = true
			if matches(to, b.Never) || b.Only != nil && !matches(to, b.Only) {
				out = append(out, fmt.Sprintf("%s must not import %s%s: %s", Name(from), Name(to), through, b.Why))
			} else if b.Deep {
				walk(to, through+" through "+to)
			}
		}
	}
	walk(from, "")
	return out
}

// CheckFolders lists every import from outside of a folder that the map forbids, also of
// tests.
func CheckFolders(list []Package) (faults []string) {
	for _, p := range list {
		from, _ := local(p.ImportPath)
		for _, f := range Folders {
			if matches(from, []string{f.Root + "/..."}) {
				continue
			}
			for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				switch to, _ := local(path); {
				case strings.HasPrefix(to, f.Root+"/"):
					faults = append(faults, fmt.Sprintf("%s must not import %s, but %s: %s", Name(from), to, f.Root, f.Why))
				case to == f.Root && slices.Contains(p.Imports, path) && !matches(from, slices.Concat(f.Users, TestOnly)):
					faults = append(faults, fmt.Sprintf("%s must not import %s: %s", Name(from), to, f.Why))
				}
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// CheckLibraries lists every third-party module that several packages import and
// that the map does not share.
func CheckLibraries(list []Package) (faults []string) {
	users := map[string][]string{}
	for _, p := range list {
		from, _ := local(p.ImportPath)
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if _, ours := local(path); ours || !strings.Contains(strings.Split(path, "/")[0], ".") {
				continue
			}
			if lib := library(path); !slices.Contains(users[lib], from) {
				users[lib] = append(users[lib], from)
			}
		}
	}
	for lib, packages := range users {
		if _, shared := SharedLibraries[lib]; !shared && len(packages) > 1 {
			slices.Sort(packages)
			faults = append(faults, fmt.Sprintf("%s is imported by %s", lib, strings.Join(packages, " and ")))
		}
	}
	slices.Sort(faults)
	return faults
}

// CheckJSON lists every package that imports encoding/json without a reason in the
// map.
func CheckJSON(list []Package) (faults []string) {
	allowed := slices.Concat(slices.Collect(maps.Keys(StandardJSON)), TestOnly)
	for _, p := range list {
		from, _ := local(p.ImportPath)
		if slices.Contains(p.Imports, "encoding/json") && !matches(from, allowed) {
			faults = append(faults, fmt.Sprintf("%s imports encoding/json: use internal/wire, or give a reason in internal/layers", Name(from)))
		}
	}
	slices.Sort(faults)
	return faults
}

// library is the module of an import path, near enough: host, owner, name, and
// a version.
func library(path string) string {
	parts := strings.Split(path, "/")
	n := 3
	if parts[0] != "github.com" && parts[0] != "golang.org" {
		n = 2
	}
	if len(parts) > n && strings.HasPrefix(parts[n], "v") && len(parts[n]) == 2 {
		n++
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}

// local is the path of a package inside this module.
func local(path string) (string, bool) {
	if path == Module {
		return "", true
	}
	return strings.CutPrefix(path, Module+"/")
}

// Name is how a package is called in texts.
func Name(path string) string {
	if path == "" {
		return "the root package"
	}
	return path
}

func layerOf(path string) (int, bool) {
	for i, packages := range Layers {
		if slices.Contains(packages, path) {
			return i, true
		}
	}
	return 0, false
}

// matches reports whether one of the patterns stands for a package.
func matches(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if root, below := strings.CutSuffix(p, "/..."); below {
			return path == root || strings.HasPrefix(path, root+"/")
		}
		return path == p
	})
}
