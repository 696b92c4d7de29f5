package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The directives of this module are known and do not contradict the code, and every
// package is in one of the suites.
func TestDirectives(t *testing.T) {
	t.Parallel()
	packages, err := readPackages("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range check(packages) {
		t.Error(fault)
	}
	lines := map[string][]string{}
	for _, name := range []string{"watched", "unwatched", "concurrent", "norace"} {
		if lines[name], err = suite(packages, name); err != nil || len(lines[name]) == 0 {
			t.Errorf("%s: %d lines, %v", name, len(lines[name]), err)
		}
	}
	if n := len(lines["watched"]) + len(lines["unwatched"]); n != len(packages) {
		t.Errorf("%d packages are watched or not, of %d", n, len(packages))
	}
	if !slices.Contains(lines["watched"], "./internal/store") || !slices.Contains(lines["unwatched"], ".") {
		t.Errorf("watched: %v\nunwatched: %v", lines["watched"], lines["unwatched"])
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const head, test = "// Package p is one.\n//\n", "package p\n\nimport \"testing\"\n\n"
	for _, tc := range []struct{ doc, test, want string }{
		{head + "//atelier:sequential\npackage p\n", test + "func TestA(t *testing.T) {}\n", ""},
		{head + "//atelier:renderer\npackage p\n", test + "// A.\n//\n//atelier:concurrent\nfunc TestA(t *testing.T) {}\n", ""},
		{head + "package p\n", test + "//atelier:norace\nfunc TestA(t *testing.T) {}\n", ""},
		{head + "//atelier:sequentially\npackage p\n", "package p\n", "sequentially is not known"},
		{"package p\n\n//atelier:sequential\n", "package p\n", "not where it belongs"},
		{head + "package p\n", test + "//atelier:norace\nfunc helper() {}\n", "not where it belongs"},
		{head + "package p\n", "//atelier:sequential\npackage p\n", "not where it belongs"},
		{head + "//atelier:sequential\n//atelier:renderer\npackage p\n", "package p\n", "has one of these"},
		{head + "//atelier:sequential\npackage p\n\nfunc f() { go f() }\n", "package p\n", "starts a goroutine"},
		{head + "//atelier:renderer\npackage p\n", "package p\n", "one without such tests is sequential"},
		{head + "package p\n", test + "//atelier:concurrent\nfunc TestA(t *testing.T) {}\n", "a renderer, and no other package"},
		{head + "//atelier:sequential\npackage p\n", test + "//atelier:norace\nfunc TestA(t *testing.T) {}\n", "TestA run without"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"p.go": tc.doc, "p_test.go": tc.test} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		packages, err := readPackages(dir)
		if err != nil {
			t.Fatal(err)
		}
		switch faults := check(packages); {
		case tc.want == "" && len(faults) > 0:
			t.Errorf("%q and %q: %q", tc.doc, tc.test, faults)
		case tc.want != "" && (len(faults) == 0 || !strings.Contains(faults[0], tc.want)):
			t.Errorf("%q and %q: %q, want %q", tc.doc, tc.test, faults, tc.want)
		}
	}
}
