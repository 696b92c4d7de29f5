package main

import (
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/layers"
)

// The map of the packages stands between these lines of docs/architecture.md,
// which is written by hand besides.
const (
	mapBegin = "<!-- The map: written by \"make generate\" from internal/layers and the packages' own comments. Do not edit. -->\n"
	mapEnd   = "<!-- The end of the map. -->\n"
)

// architectureDocument is the page with the map of a source tree in it.
func architectureDocument(root, path string) (string, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	before, rest, found := strings.Cut(string(page), mapBegin)
	_, after, ended := strings.Cut(rest, mapEnd)
	if !found || !ended {
		return "", fmt.Errorf("%s has no place for the map", path)
	}
	text, err := packageMap(root)
	return before + mapBegin + text + mapEnd + after, err
}

func packageMap(root string) (string, error) {
	var b strings.Builder
	b.WriteString("\n| layer | package | purpose |\n| --- | --- | --- |\n")
	for i, packages := range layers.Layers {
		for _, path := range slices.Sorted(slices.Values(packages)) {
			purpose, err := purposeOf(root, path)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| %d | %s | %s |\n", i, code(path), purpose)
		}
	}
	b.WriteString("\nFor tests only, and free to import anything:\n\n")
	for _, path := range layers.TestOnly {
		b.WriteString("- " + code(path) + "\n")
	}
	b.WriteString("\nForbidden besides:\n\n| package | rule | reason |\n| --- | --- | --- |\n")
	for _, ban := range layers.Bans {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(ban.From), rule(ban), ban.Why)
	}
	for _, f := range layers.Folders {
		fmt.Fprintf(&b, "| all, except tests, %s | %s | %s |\n", codes(append([]string{f.Root + "/..."}, f.Users...)), "do not import "+code(f.Root), f.Why)
		fmt.Fprintf(&b, "| all, except %s | %s | %s |\n", code(f.Root+"/..."), "do not import a package below "+code(f.Root), f.Why)
	}
	b.WriteString("\n")
	return b.String(), nil
}

// purposeOf is the first sentence of a package's comment, without its name.
func purposeOf(root, path string) (string, error) {
	p, err := build.ImportDir(filepath.Join(root, filepath.FromSlash(path)), 0)
	if err != nil {
		return "", err
	}
	words := strings.SplitN(p.Doc, " ", 3) // Package name does something
	if len(words) < 3 {
		return "", fmt.Errorf("%s: the package has no comment", layers.Name(path))
	}
	return strings.TrimSuffix(words[2], "."), nil
}

func rule(b layers.Ban) string {
	switch {
	case b.Only == nil && b.Deep:
		return "does not reach " + codes(b.Never) + ", not even through another package"
	case b.Only == nil:
		return "does not import " + codes(b.Never)
	case len(b.Only) == 0:
		return "imports no package of this module"
	}
	return "imports only " + codes(b.Only) + " of this module"
}

func code(path string) string {
	if path == "" {
		return layers.Name(path)
	}
	return "`" + path + "`"
}

func codes(paths []string) string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = code(path)
	}
	return strings.Join(out, ", ")
}
