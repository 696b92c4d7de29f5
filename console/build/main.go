// Command build bundles the console's sources (console/app) with the libraries that
// they import (console/third_party) into the files that the service embeds
// (console/pages/console, and the page that loads them). With -check it writes nothing and
// fails if the embedded files are not what the sources give. Modules that import each other
// are refused. With -tests DIR it only writes the tests of modules.
//
// It is a separate module, so that only those who change the console compile
// the bundler.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	check := flag.Bool("check", false, "compare with the embedded files instead of writing them")
	tests := flag.String("tests", "", "write the tests that need no browser to this directory, for node --test")
	flag.Parse()
	if err := run(*check, *tests); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run works in the directory console/build, where "go run ." leaves it.
func run(check bool, tests string) error {
	console, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	if tests != "" {
		return bundleTests(console, tests)
	}
	if err := checkCycles(os.DirFS(filepath.Join(console, "app"))); err != nil {
		return err
	}
	built, err := bundle(console)
	if err != nil {
		return err
	}
	out := filepath.Join(console, "pages")
	if check {
		return compare(out, built)
	}
	return write(out, built)
}

// bundle returns the files to embed, by their names below pages.
func bundle(console string) (map[string][]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:   console,
		EntryPoints:     []string{"app/main.tsx", "app/style/main.css"},
		Bundle:          true,
		Splitting:       true,
		Format:          api.FormatESModule,
		Target:          api.ES2022,
		Platform:        api.PlatformBrowser,
		JSX:             api.JSXAutomatic,
		JSXImportSource: "preact",
		NodePaths:       []string{filepath.Join(console, "third_party")},
		// Its index names every language; only those that highlight.tsx imports are copied.
		Alias:             map[string]string{"lowlight": filepath.Join(console, "third_party", "lowlight", "lib", "index.js")},
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone, // licenses.txt has the whole texts
		EntryNames:        "[name]",
		ChunkNames:        "[name]-[hash]",
		AssetNames:        "[name]-[hash]",
		Loader:            map[string]api.Loader{".woff2": api.LoaderFile},
		Outdir:            "pages/console",
		LogLevel:          api.LogLevelWarning,
		Metafile:          true,
	})
	if len(result.Errors) > 0 {
		return nil, errors.New("the console does not build")
	}
	built := map[string][]byte{}
	for _, file := range result.OutputFiles {
		built["console/"+filepath.Base(file.Path)] = file.Contents
	}
	var err error
	if built["console/icon.svg"], err = os.ReadFile(filepath.Join(console, "app", "icon.svg")); err != nil {
		return nil, err
	}
	if built["console/licenses.txt"], err = licenses(filepath.Join(console, "third_party")); err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(console, "app", "index.html"))
	if err != nil {
		return nil, err
	}
	built["index.html"], err = preload(page, result.Metafile)
	return built, err
}

// entry is the module that the page loads. The names of the modules that it imports are
// known only to the bundler.
const entry = `<script type="module" src="/console/main.js">`

// preload adds a link for each module that the entry imports and for the text face, so that a
// browser does not have to read the entry or the styles first.
func preload(page []byte, metafile string) ([]byte, error) {
	var meta struct {
		Outputs map[string]struct {
			Imports []struct{ Path, Kind string }
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	var links strings.Builder
	seen := map[string]bool{}
	var add func(output string)
	add = func(output string) {
		for _, i := range meta.Outputs[output].Imports {
			if i.Kind == "import-statement" && !seen[i.Path] {
				seen[i.Path] = true
				fmt.Fprintf(&links, "<link rel=\"modulepreload\" href=\"/%s\">\n  ", strings.TrimPrefix(i.Path, "pages/"))
				add(i.Path)
			}
		}
	}
	add("pages/console/main.js")
	for _, output := range slices.Sorted(maps.Keys(meta.Outputs)) {
		if strings.HasSuffix(output, ".woff2") {
			fmt.Fprintf(&links, "<link rel=\"preload\" href=\"/%s\" as=\"font\" type=\"font/woff2\" crossorigin>\n  ", strings.TrimPrefix(output, "pages/"))
		}
	}
	if !bytes.Contains(page, []byte(entry)) || links.Len() == 0 {
		return nil, errors.New("app/index.html does not load the entry, or it imports nothing")
	}
	return bytes.Replace(page, []byte(entry), []byte(links.String()+entry), 1), nil
}

// licenses joins the license texts of the libraries.
func licenses(thirdParty string) ([]byte, error) {
	var paths []string
	err := filepath.WalkDir(thirdParty, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "LICENSE" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var out bytes.Buffer
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), filepath.ToSlash(thirdParty)+"/")
		fmt.Fprintf(&out, "%s\n\n%s\n\n", name, bytes.TrimSpace(text))
	}
	return out.Bytes(), nil
}

func write(dir string, built map[string][]byte) error {
	if err := os.RemoveAll(filepath.Join(dir, "console")); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "console"), 0o755); err != nil {
		return err
	}
	for name, content := range built {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare names every file that differs.
func compare(dir string, built map[string][]byte) error {
	var different []error
	entries, err := os.ReadDir(filepath.Join(dir, "console"))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if _, ok := built["console/"+entry.Name()]; !ok {
			different = append(different, fmt.Errorf("%s: the sources do not give this file", entry.Name()))
		}
	}
	for name, content := range built {
		have, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			different = append(different, err)
		} else if !bytes.Equal(have, content) {
			different = append(different, fmt.Errorf("%s: differs from what the sources give", name))
		}
	}
	if len(different) > 0 {
		return fmt.Errorf("the embedded console is not what its sources give; run \"make console\":\n%w", errors.Join(different...))
	}
	return nil
}
