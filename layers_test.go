package atelier_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/layers"
)

func listPackages(t *testing.T) (out []layers.Package) {
	t.Helper()
	text, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(text))); d.More(); {
		var p layers.Package
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// A package imports only from layers below its own, and nothing that is banned.
func TestLayers(t *testing.T) {
	t.Parallel()
	for _, fault := range layers.Check(listPackages(t)) {
		t.Error(fault)
	}
}

// Only the store and the database have SQL, although the transactions that engines get
// could run it.
func TestOnlyTheStoreHasSQL(t *testing.T) {
	t.Parallel()
	statement := regexp.MustCompile(`\btx\.(Exec|Must|Rows|SomeRows|Row)\(`)
	seen := 0
	err := fs.WalkDir(os.DirFS("internal"), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile("internal/" + path)
		switch call := statement.Find(text); {
		case call == nil:
		case strings.HasPrefix(path, "store/"), strings.HasPrefix(path, "database/"):
			seen++
		default:
			t.Errorf("internal/%s has a statement (%s…): it belongs in internal/store", path, call)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files have statements, %v", seen, err)
	}
}

// A third-party library is imported by one package, or shared with a reason.
func TestEachLibraryHasOnePackage(t *testing.T) {
	t.Parallel()
	for _, fault := range layers.CheckLibraries(listPackages(t)) {
		t.Error(fault)
	}
}

// Of a folder with one entry, others import only that.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, fault := range layers.CheckFolders(listPackages(t)) {
		t.Error(fault)
	}
}

func TestPlantedFolders(t *testing.T) {
	t.Parallel()
	plant := func(path string, imports, tests, external []string) layers.Package {
		full := func(list []string) (out []string) {
			for _, path := range list {
				out = append(out, layers.Module+"/"+path)
			}
			return out
		}
		return layers.Package{ImportPath: layers.Module + "/" + path, Imports: full(imports), TestImports: full(tests), XTestImports: full(external)}
	}
	kit := []string{"internal/kit"}
	inside := []string{"internal/kit/studio/film"}
	faults := layers.CheckFolders([]layers.Package{
		plant("internal/kit", inside, nil, nil),
		plant("internal/kit/cpu", inside, kit, nil),
		plant("internal/node", kit, nil, nil),
		plant("bench", kit, nil, nil),
		plant("internal/library", nil, nil, kit),
		plant("internal/kitchen", []string{"internal/kitchen/oven"}, nil, nil),

		plant("cmd/atelier", inside, nil, nil),
		plant("internal/compose", kit, nil, kit),
		plant("internal/enginetest", inside, nil, nil),
		plant("internal/media", nil, inside, nil),
		plant("internal/worker/remote", nil, nil, inside),
	})
	for i, from := range []string{"cmd/atelier", "internal/compose", "internal/enginetest", "internal/media", "internal/worker/remote"} {
		if want := from + " must not import internal/kit"; len(faults) != 5 || !strings.HasPrefix(faults[i], want) {
			t.Fatalf("got %q, want %q", faults, want)
		}
	}
}

// Only packages with a reason import encoding/json, and every reason is needed.
func TestOneJSONLibrary(t *testing.T) {
	t.Parallel()
	list := listPackages(t)
	for _, fault := range layers.CheckJSON(list) {
		t.Error(fault)
	}
	for path := range layers.StandardJSON {
		root, _ := strings.CutSuffix(path, "/...")
		if !slices.ContainsFunc(list, func(p layers.Package) bool {
			return strings.HasPrefix(p.ImportPath, strings.TrimSuffix(layers.Module+"/"+root, "/")) && slices.Contains(p.Imports, "encoding/json")
		}) {
			t.Errorf("%s does not import encoding/json: remove it from internal/layers", layers.Name(path))
		}
	}
}

func TestPlantedJSON(t *testing.T) {
	t.Parallel()
	var list []layers.Package
	for _, path := range []string{"internal/fleet", "internal/kit/studio/voice", "client", "bench"} {
		list = append(list, layers.Package{ImportPath: layers.Module + "/" + path, Imports: []string{"encoding/json"}})
	}
	list = append(list, layers.Package{ImportPath: layers.Module + "/internal/store", TestImports: []string{"encoding/json"}})
	faults := layers.CheckJSON(list)
	if want := "internal/fleet imports encoding/json"; len(faults) != 1 || !strings.HasPrefix(faults[0], want) {
		t.Errorf("got %q, want %q", faults, want)
	}
}

// Every package of the map exists, and is in one layer.
func TestTheMapNamesNoOther(t *testing.T) {
	t.Parallel()
	var there, named []string
	for _, p := range listPackages(t) {
		there = append(there, p.ImportPath)
	}
	for _, packages := range layers.Layers {
		for _, path := range packages {
			if !slices.Contains(there, strings.TrimSuffix(layers.Module+"/"+path, "/")) {
				t.Errorf("internal/layers names %q, which does not exist", path)
			}
			if slices.Contains(named, path) {
				t.Errorf("internal/layers names %q more than once", path)
			}
			named = append(named, path)
		}
	}
}

// The rules find what they forbid: each row plants imports in packages that have
// none besides.
func TestPlantedImports(t *testing.T) {
	t.Parallel()
	type imports map[string][]string
	for name, tc := range map[string]struct {
		plant imports
		want  string // how the one fault begins; none when empty
	}{
		"downward":  {imports{"internal/fleet": {"internal/store", ""}}, ""},
		"upward":    {imports{"internal/store": {"internal/fleet"}}, "internal/store (layer 3) imports internal/fleet (layer 5)"},
		"sideways":  {imports{"internal/store": {"internal/bus"}}, "internal/store (layer 3) imports internal/bus (layer 3)"},
		"the root":  {imports{"": {"internal/wire"}}, "the root package (layer 0) imports internal/wire (layer 1)"},
		"new":       {imports{"internal/new": nil}, "internal/new has no layer"},
		"for tests": {imports{"internal/fleet": {"internal/ateliertest"}}, "internal/fleet imports internal/ateliertest, which is for tests"},
		"a test":    {imports{"internal/ateliertest/hostile": {"internal/node"}}, ""},

		"api to store":          {imports{"internal/api": {"internal/store"}}, "internal/api must not import internal/store: a handler"},
		"api to bus":            {imports{"internal/api": {"internal/bus"}}, "internal/api must not import internal/bus: a handler"},
		"api to blob":           {imports{"internal/api": {"internal/blob"}}, "internal/api must not import internal/blob: a handler"},
		"api to an engine":      {imports{"internal/api": {"internal/fleet"}, "internal/fleet": {"internal/store"}}, ""},
		"endpoint to an engine": {imports{"internal/endpoint": {"apitype"}}, "internal/endpoint must not import apitype: it serves"},
		"worker to store":       {imports{"internal/worker": {"internal/store"}}, "internal/worker must not import internal/store: a worker"},
		"worker to an engine":   {imports{"internal/worker": {"internal/workflow"}}, "internal/worker must not import internal/workflow: a worker"},
		"kit to an engine":      {imports{"internal/kit": {"internal/compose"}}, "internal/kit must not import internal/compose: the offline kit"},
		"kit to store":          {imports{"internal/kit": {"internal/kit/talk"}, "internal/kit/talk": {"internal/store"}}, "internal/kit must not import internal/store through internal/kit/talk: the offline kit"},
		"studio to the root":    {imports{"internal/kit/studio/paint": {""}}, "internal/kit/studio/paint must not import the root package: the studio"},
		"studio to catalog":     {imports{"internal/kit/studio/paint": {"internal/catalog"}}, "internal/kit/studio/paint must not import internal/catalog: the studio"},
		"studio to a codec":     {imports{"internal/kit/studio/film": {"internal/codec/mp4"}}, ""},
		"codec to wire":         {imports{"internal/codec/mp4": {"internal/wire"}}, "internal/codec/mp4 must not import internal/wire: codecs"},
		"codec to the studio":   {imports{"internal/codec/mp4": {"internal/kit/studio/chance"}}, "internal/codec/mp4 must not import internal/kit/studio/chance: codecs"},
		"probe to the root":     {imports{"internal/probe": {""}}, "internal/probe must not import the root package: it reads"},
		"filetype to the root":  {imports{"internal/filetype": {""}}, "internal/filetype must not import the root package: the studio"},
		"console to an engine":  {imports{"console": {"internal/account"}}, "console must not import internal/account: the console"},
		"client to the service": {imports{"client": {"internal/wire"}}, "client must not import internal/wire: programs"},
	} {
		var list []layers.Package
		for path, to := range tc.plant {
			p := layers.Package{ImportPath: strings.TrimSuffix(layers.Module+"/"+path, "/")}
			for _, other := range to {
				p.Imports = append(p.Imports, strings.TrimSuffix(layers.Module+"/"+other, "/"))
			}
			list = append(list, p)
		}
		faults := layers.Check(list)
		if tc.want == "" && len(faults) > 0 || tc.want != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0], tc.want)) {
			t.Errorf("%s: got %q, want %q", name, faults, tc.want)
		}
	}
}

// A ban that goes through other packages names the way.
func TestPlantedImportThroughAnother(t *testing.T) {
	t.Parallel()
	list := []layers.Package{
		{ImportPath: layers.Module + "/internal/worker/remote", Imports: []string{layers.Module + "/internal/manifest"}},
		{ImportPath: layers.Module + "/internal/manifest", Imports: []string{layers.Module + "/internal/catalog"}},
		{ImportPath: layers.Module + "/internal/catalog", Imports: []string{layers.Module + "/internal/store", layers.Module}},
	}
	faults := layers.Check(list)
	const want = "internal/worker/remote must not import internal/store through internal/manifest through internal/catalog: a worker"
	if len(faults) != 2 || !strings.HasPrefix(faults[1], want) { // the first is that catalog imports upward
		t.Errorf("got %q, want %q", faults, want)
	}
}

func TestPlantedLibraries(t *testing.T) {
	t.Parallel()
	list := []layers.Package{
		{ImportPath: layers.Module + "/internal/api", Imports: []string{"golang.org/x/time/rate", "net/http"}},
		{ImportPath: layers.Module + "/internal/fleet", XTestImports: []string{"golang.org/x/time/rate", "golang.org/x/image/webp"}},
		{ImportPath: layers.Module + "/internal/media", Imports: []string{"golang.org/x/image/webp"}},
	}
	faults := layers.CheckLibraries(list)
	if want := "golang.org/x/time is imported by internal/api and internal/fleet"; len(faults) != 1 || faults[0] != want {
		t.Errorf("got %q, want %q", faults, want)
	}
}

// Each mechanism has one home.
func TestMechanisms(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasPrefix(path, "internal/layers/") || path == "layers_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, fault := range secondHomes(filepath.ToSlash(path), line) {
				t.Errorf("%s:%d: %s", path, i+1, fault)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// secondHomes are the faults of a line: mechanisms whose home is another package.
func secondHomes(path, line string) (faults []string) {
	home := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(path)), ".")
	for _, m := range layers.Mechanisms {
		if m.Sign.MatchString(line) && !slices.Contains(m.Homes, home) && (m.Tests || !strings.HasSuffix(path, "_test.go")) {
			faults = append(faults, fmt.Sprintf("a second %s: its home is %s", m.Name, strings.Join(m.Homes, " or ")))
		}
	}
	return faults
}

func TestSecondHomes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, line string
		want       int
	}{
		{"internal/billing/ledger.go", `return nil, atelier.Refuse("cursor", "is wrong.")`, 1},
		{"internal/cursor/cursor.go", `return nil, atelier.Refuse("cursor", "is wrong.")`, 0},
		{"internal/fleet/pace.go", `type bucket struct {`, 1},
		{"internal/media/allowance.go", `e := atelier.Errorf(atelier.CodeRateLimited, format, args...)`, 1},
		{"internal/worker/worker.go", `for wait := time.Second; ; wait = min(2*wait, mostWait) {`, 1},
		{"internal/worker/child/os_linux.go", `cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}`, 1},
		{"console/console.go", `func prefersGzip(accept []string) bool {`, 1},
		{"internal/run/execute.go", `	var away *atelier.UnavailableError`, 1},
		{"error.go", `	var away *UnavailableError`, 0},
		{"internal/media/pool.go", `	accounts []*line`, 1},
		{"internal/admission/turns.go", `	accounts []*line`, 0},
		{"internal/run/record.go", `	return tx.TrimEvents(string(r.row.ID), 5)`, 1},
		{"internal/api/s3_test.go", `os.Getenv("ATELIER_TEST_S3_URL")`, 1},
		{"internal/api/rate_test.go", `type bucket struct {`, 0},
	} {
		if got := secondHomes(c.path, c.line); len(got) != c.want {
			t.Errorf("%s: %s: %q", c.path, c.line, got)
		}
	}
}
