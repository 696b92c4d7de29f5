package atelier_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wordRow is a row of the word list in CONTRIBUTING.md.
var wordRow = regexp.MustCompile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| `((?:internal|console|client)[^`]*)` \\|$")

// definition is how a doc.go introduces a term: "A lease is …".
var definition = regexp.MustCompile(`(?:^|\. )An? ([a-z][a-z ]*?) is (?:a|an|the|one) `)

// TestWordList holds the word list against the packages: the package of a term
// uses it in its doc.go, and no other doc.go defines it.
func TestWordList(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	home := map[string]string{} // term to its package
	for _, row := range wordRow.FindAllStringSubmatch(string(page), -1) {
		term, dir := strings.ToLower(row[1]), row[3]
		if home[term] != "" {
			t.Errorf("CONTRIBUTING.md lists %q twice", row[1])
		}
		home[term] = dir
		text, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil {
			t.Errorf("%s: %v", row[1], err)
		} else if !strings.Contains(strings.ToLower(prose(string(text))), term) {
			t.Errorf("%s/doc.go does not use the term %q of the word list", dir, row[1])
		}
	}
	if len(home) < 40 {
		t.Fatalf("CONTRIBUTING.md lists %d terms; the table was not found", len(home))
	}
	docs, err := filepath.Glob("internal/*/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range docs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range definition.FindAllStringSubmatch(prose(string(text)), -1) {
			if dir := home[m[1]]; dir != "" && dir != filepath.ToSlash(filepath.Dir(path)) {
				t.Errorf("%s defines %q, which the word list gives to %s", path, m[1], dir)
			}
		}
	}
}

// prose is the text of a comment on one line.
func prose(comment string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(comment, "//", " ")), " ")
}

// named is a function or method in a document: `package.Function` or
// `package.Type.Method`.
var named = regexp.MustCompile("`([a-z]+)\\.(?:([A-Za-z0-9]+)\\.)?([A-Za-z0-9]+)`")

// TestNamedFunctionsExist holds the requests that docs/architecture.md follows
// against the code.
func TestNamedFunctionsExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walks, _ := strings.Cut(string(page), "## Three requests")
	walks, _, _ = strings.Cut(walks, "\n## ")
	source := map[string]string{} // package to its code
	found := named.FindAllStringSubmatch(walks, -1)
	if len(found) < 40 {
		t.Fatalf("docs/architecture.md names %d functions; the section was not found", len(found))
	}
	for _, m := range found {
		pkg, typ, name := m[1], m[2], m[3]
		if _, ok := source[pkg]; !ok {
			files, _ := filepath.Glob("internal/" + pkg + "/*.go")
			for _, f := range files {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				source[pkg] += string(text)
			}
		}
		declared := []string{`(?m)^func ` + name + `\b`, `(?m)^type ` + name + `\b`}
		if typ != "" { // a method, also one of an interface
			declared = []string{`(?m)^func \(\w+ \*?` + typ + `\) ` + name + `\(`, `(?m)^type ` + typ + ` interface \{(?:.*\n)*?\t` + name + `\(`}
		}
		if !slices.ContainsFunc(declared, func(d string) bool { return regexp.MustCompile(d).MatchString(source[pkg]) }) {
			t.Errorf("docs/architecture.md names %s, which internal/%s does not have", m[0], pkg)
		}
	}
}

// retired are the words that texts for users and operators do not use, each with
// the words to use instead.
var retired = []struct{ word, instead string }{
	{`whoever`, "name the actor"},
	{`somebody|nobody|anybody|everybody`, "name the actor: the caller, no worker, all accounts"},
	{`anew|of late|oftener`, "again, recently, more often"},
	{`(?:came|comes|come) to nothing|nothing came of`, "failed, has no result"},
	{`wants? to be|wants? to hear`, "needs, must be"},
	{`what became|became of`, "the outcome, the result"},
	{`doubts?|doubtful`, "unresolved, unknown"},
	{`chores?`, "task"},
	{`houses?|rooms?`, "service, package, space"},
	{`floors?`, "layer"},
	{`doors?|gates?`, "endpoint, package, signed store"},
	{`shelf|shelves|crowd|yard`, "cache, count, fixture"},
	{`fell silent|falls silent|broke off|broken off|breaks off`, "stopped reporting, was interrupted"},
	{`written down|write down|writes down`, "recorded"},
	{`tells? of|told of`, "reports"},
	{`one's own|its own affair|affair`, "belongs to"},
}

// allowedWords are the uses of retired words that stay, by file, with the reason.
var allowedWords = map[string]map[string]string{
	"demand.go":                   {"nobody": "a value of servedBy, which clients know"},
	"console/app/texts/create.ts": {"nobody": "a value of servedBy, which clients know"},
	"console/app/texts/models.ts": {"nobody": "a value of servedBy, which clients know"},
	"docs/guides/workflows.md":    {"nobody": "a value of servedBy, which clients know"},
}

// Where texts for users and operators are. Left out are tests, and the places
// whose words are about pictures and language: the offline renderer and language
// model, and the lexicons of the composition tools and the content filter.
var (
	textFolders = []string{".", "cmd", "client", "console", "docs", "internal"}
	notTexts    = []string{
		"docs/showcase", "internal/studio", "internal/codec", "internal/probe", "internal/llm/offline", "internal/worker/cpu", "internal/showcase",
		"internal/ateliertest", "internal/worktest", "internal/blob/blobtest", "internal/store/storetest",
		"console/third_party", "console/pages/console", "console/test", "internal/filter/data", "internal/compose/data", "internal/compose/motion.go", "internal/catalog/data/gallery.yaml", "internal/catalog/data/loras.yaml",
	}
)

// TestRetiredWords reads every text that a user or an operator can meet: string
// literals (help, API descriptions, errors, log lines), the console, the data of
// the catalog and the documentation.
func TestRetiredWords(t *testing.T) {
	t.Parallel()
	for _, w := range findRetired(t, os.DirFS("."), textFolders) {
		t.Error(w)
	}
}

// TestRetiredWordsAreFound plants a word in each kind of text.
func TestRetiredWordsAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":        "package a\n\n// nobody\nvar s = \"the node does no chores\"\n",
		"b.md":        "A package is a room.\n",
		"c.js":        "text('Somebody changed it');\n",
		"d/data.yaml": "description: what became of it\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := strings.Join(findRetired(t, os.DirFS(dir), []string{".", "d"}), "\n")
	want := `a.go:4: "chores": write task
b.md:1: "room": write service, package, space
c.js:1: "Somebody": write name the actor: the caller, no worker, all accounts
d/data.yaml:1: "what became": write the outcome, the result`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// findRetired lists the retired words in the files of some folders, with their
// places.
func findRetired(t *testing.T, files fs.FS, folders []string) []string {
	t.Helper()
	var (
		groups []string
		found  []string
	)
	for _, r := range retired {
		groups = append(groups, "("+r.word+")")
	}
	pattern := regexp.MustCompile(`(?i)\b(?:` + strings.Join(groups, "|") + `)\b`)
	check := func(path string, line int, text string) {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			word := text[at[0]:at[1]]
			if allowedWords[path][strings.ToLower(word)] != "" {
				continue
			}
			which := slices.IndexFunc(slices.Collect(slices.Chunk(at[2:], 2)), func(group []int) bool { return group[0] >= 0 })
			line := line + strings.Count(text[:at[0]], "\n")
			found = append(found, fmt.Sprintf("%s:%d: %q: write %s", path, line, word, retired[which].instead))
		}
	}
	for _, folder := range folders {
		err := fs.WalkDir(files, folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			for _, skip := range notTexts {
				if path == skip || strings.HasPrefix(path, skip+"/") {
					return nil
				}
			}
			if d.IsDir() {
				if path != folder && (folder == "." || d.Name() == "testdata") {
					return fs.SkipDir
				}
				return nil
			}
			source := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
			page := slices.Contains([]string{".md", ".html", ".js", ".yaml"}, filepath.Ext(path)) && path != "CHANGELOG.md" || strings.HasPrefix(path, "console/app/texts/")
			if !source && !page {
				return nil
			}
			text, err := fs.ReadFile(files, path)
			if err != nil {
				return err
			}
			if source {
				eachString(t, path, text, check)
			} else {
				check(path, 1, string(text))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// eachString calls f for every string literal of a Go file, struct tags too.
func eachString(t *testing.T, path string, text []byte, f func(path string, line int, text string)) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			f(path, files.Position(lit.Pos()).Line, lit.Value)
		}
		return true
	})
}
