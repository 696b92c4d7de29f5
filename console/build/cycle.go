package main

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// importOf matches the modules of the console that a module imports: values, types, and
// modules that are loaded later.
var importOf = regexp.MustCompile(`(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]*)"`)

// checkCycles returns an error that names the modules of a cycle, if app has one. Types count
// too: two modules that need each other's types are one module.
func checkCycles(app fs.FS) error {
	imports, err := readImports(app)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	var trail []string
	var visit func(module string) error
	visit = func(module string) error {
		if i := slices.Index(trail, module); i >= 0 {
			return fmt.Errorf("modules import each other: %s", strings.Join(append(trail[i:], module), " -> "))
		}
		if done[module] {
			return nil
		}
		trail = append(trail, module)
		for _, next := range imports[module] {
			if err := visit(next); err != nil {
				return err
			}
		}
		trail = trail[:len(trail)-1]
		done[module] = true
		return nil
	}
	for _, module := range slices.Sorted(maps.Keys(imports)) {
		if err := visit(module); err != nil {
			return err
		}
	}
	return nil
}

// readImports returns the modules of app, without their suffixes, and what each imports.
func readImports(app fs.FS) (map[string][]string, error) {
	imports := map[string][]string{}
	err := fs.WalkDir(app, ".", func(name string, entry fs.DirEntry, err error) error {
		suffix := filepath.Ext(name)
		if err != nil || entry.IsDir() || suffix != ".ts" && suffix != ".tsx" {
			return err
		}
		text, err := fs.ReadFile(app, name)
		if err != nil {
			return err
		}
		module := strings.TrimSuffix(name, suffix)
		imports[module] = nil
		for _, match := range importOf.FindAllSubmatch(text, -1) {
			imports[module] = append(imports[module], path.Join(path.Dir(name), string(match[1])))
		}
		return nil
	})
	return imports, err
}
