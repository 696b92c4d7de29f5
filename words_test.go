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
	"unicode/utf8"
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

// retired are the words that texts, comments and test data do not use, each with
// the words to use instead.
var retired = []struct {
	word, instead string
	picture       bool // may be about a picture: tests prompt for houses and doors
}{
	{word: `whoever`, instead: "name the actor"},
	{word: `somebody|nobody|anybody|everybody`, instead: "name the actor: the caller, no worker, all accounts"},
	{word: `anew|of late|oftener`, instead: "again, recently, more often"},
	{word: `(?:came|comes|come) to nothing|nothing came of`, instead: "failed, has no result"},
	{word: `wants? to be|wants? to hear`, instead: "needs, must be"},
	{word: `what became|became of`, instead: "the outcome, the result"},
	{word: `doubts?|doubtful`, instead: "unresolved, unknown"},
	{word: `chores?`, instead: "task"},
	{word: `houses?|rooms?`, instead: "service, package, space", picture: true},
	{word: `floors?`, instead: "layer", picture: true},
	{word: `doors?|gates?`, instead: "endpoint, package, signed store", picture: true},
	{word: `shelf|shelves|crowd|yard`, instead: "cache, count, fixture", picture: true},
	{word: `fell silent|falls silent|broke off|broken off|breaks off`, instead: "stopped reporting, was interrupted"},
	{word: `written down|write down|writes down`, instead: "recorded"},
	{word: `tells? of|told of`, instead: "reports"},
	{word: `one's own|its own affair|affair`, instead: "belongs to"},
	{word: `so many`, instead: "n, a number of, or name it"},
	{word: `of before`, instead: "earlier, before that"},
	{word: `says so|said so`, instead: "what it says"},
	{word: `is none`, instead: "is not there, is not one, no x"},
	{word: `goes on`, instead: "continues"},
	{word: `of its own`, instead: "its own x, a separate x"},
}

// allowedWords are the uses of retired words that stay, by file, with the reason.
var allowedWords = map[string]map[string]string{
	"console/app/texts/models.ts":  {"nobody": "a value of servedBy, which clients know"},
	"console/app/models/facts.ts":  {"nobody": "a value of servedBy, which clients know"},
	"console/app/pages/models.tsx": {"nobody": "a value of servedBy, which clients know"},
}

// allowedCode are the uses of retired words in code and data that are not prose.
var allowedCode = strings.NewReplacer(
	"Math.floor", "Math.-----", // of JavaScript
	"is None", "is ----", // of Python
	`"nobody"`, `"------"`, "`nobody`", "`------`", // a value of servedBy, which clients know
)

// Where texts are. Left out are the places whose words are about pictures and
// language: the offline renderer and language model, and the lexicons of the
// composition tools and the content filter; and what others wrote.
var (
	textFolders = []string{".", "apitype", "bench", "client", "cmd", "compat", "console", "docs", "internal", "tools"}
	notTexts    = []string{
		"docs/showcase", "internal/kit", "internal/codec", "internal/probe", "internal/tonality",
		"internal/filter/data", "internal/catalog/data/gallery.yaml", "internal/catalog/data/loras.yaml",
		"console/third_party", "console/pages/console", "console/test/testdata/axe-core",
		"CHANGELOG.md",  // tells what earlier releases called things
		"words_test.go", // lists the words
	}
)

// A textKind is how the retired words are looked for in a file.
type textKind int

const (
	noText    textKind = iota
	goText             // comments and string literals
	goTest             // the same; a string may be about a picture
	testData           // the whole file; it may be about a picture
	wholeText          // the whole file
)

func kindOf(path string) textKind {
	ext := filepath.Ext(path)
	switch {
	case strings.Contains("/"+path, "/testdata/"):
		return testData
	case strings.HasSuffix(path, "_test.go"):
		return goTest
	case ext == ".go":
		return goText
	case slices.Contains([]string{".md", ".html", ".js", ".ts", ".tsx", ".yaml"}, ext):
		return wholeText
	}
	return noText
}

// TestRetiredWords reads every text that a user, an operator or a developer meets:
// comments and string literals (help, API descriptions, errors, log lines), the
// console, the data of the catalog, test data and the documentation.
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
		"a.go":                  "package a\n\n// It waits while there is\n// none.\nvar s = \"the node does no chores\"\n",
		"a_test.go":             "package a\n\n// A room.\nvar s = \"a house goes on\"\n",
		"b.md":                  "A package is a room.\n",
		"c.js":                  "text('Somebody changed it');\n",
		"d/app.tsx":             "/** A request of\n * its own. */\nMath.floor(floor);\n",
		"d/data.yaml":           "description: what became of it\n",
		"d/testdata/a.scenario": "# The worker says so.\n{\"prompt\": \"a door\", \"servedBy\": \"nobody\"}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := strings.Join(findRetired(t, os.DirFS(dir), []string{".", "d"}), "\n")
	want := `a.go:3: "is none": write is not there, is not one, no x
a.go:5: "chores": write task
a_test.go:3: "room": write service, package, space
a_test.go:4: "goes on": write continues
b.md:1: "room": write service, package, space
c.js:1: "Somebody": write name the actor: the caller, no worker, all accounts
d/app.tsx:1: "of its own": write its own x, a separate x
d/app.tsx:3: "floor": write layer
d/data.yaml:1: "what became": write the outcome, the result
d/testdata/a.scenario:1: "says so": write what it says`
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
		// The words of a phrase may be on two lines of a comment.
		groups = append(groups, "("+strings.ReplaceAll(r.word, " ", `(?:\s|//|#|\*)+`)+")")
	}
	pattern := regexp.MustCompile(`(?i)\b(?:` + strings.Join(groups, "|") + `)\b`)
	check := func(path string, line int, text string, picture bool) {
		text = allowedCode.Replace(text)
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			word := strings.Join(strings.FieldsFunc(text[at[0]:at[1]], func(r rune) bool { return strings.ContainsRune(" \t\n/#*", r) }), " ")
			which := slices.IndexFunc(slices.Collect(slices.Chunk(at[2:], 2)), func(group []int) bool { return group[0] >= 0 })
			if allowedWords[path][strings.ToLower(word)] != "" || picture && retired[which].picture {
				continue
			}
			line := line + strings.Count(text[:at[0]], "\n")
			found = append(found, fmt.Sprintf("%s:%d: %q: write %s", path, line, word, retired[which].instead))
		}
	}
	for _, folder := range folders {
		err := fs.WalkDir(files, folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			skip := slices.Contains(notTexts, path)
			if d.IsDir() {
				if skip || path != folder && folder == "." {
					return fs.SkipDir
				}
				return nil
			}
			kind := kindOf(path)
			if skip || kind == noText {
				return nil
			}
			text, err := fs.ReadFile(files, path)
			if err != nil {
				return err
			}
			switch kind {
			case goText, goTest:
				eachText(t, path, text, func(line int, text string, comment bool) {
					check(path, line, text, kind == goTest && !comment)
				})
			default:
				check(path, 1, string(text), kind == testData)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// eachText calls f for every comment and every string literal of a Go file, struct
// tags too, in their order.
func eachText(t *testing.T, path string, text []byte, f func(line int, text string, comment bool)) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	type part struct {
		line    int
		text    string
		comment bool
	}
	var parts []part
	for _, group := range parsed.Comments {
		from, to := files.Position(group.Pos()), files.Position(group.End())
		parts = append(parts, part{from.Line, string(text[from.Offset:to.Offset]), true})
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			parts = append(parts, part{files.Position(lit.Pos()).Line, lit.Value, false})
		}
		return true
	})
	slices.SortStableFunc(parts, func(a, b part) int { return a.line - b.line })
	for _, p := range parts {
		f(p.line, p.text, p.comment)
	}
}

// proseWidth is the longest line of prose.
const proseWidth = 120

// TestProseIsWrapped reads the documentation and the comments of Go files. Tables, code and addresses are not
// prose.
func TestProseIsWrapped(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"third_party", "node_modules", "data"}, d.Name())) {
			return fs.SkipDir
		}
		isPage := strings.HasSuffix(path, ".md") && !slices.Contains([]string{"docs/configuration.md", "docs/errors.md", "docs/events.md", "docs/states.md", "docs/showcase/README.md"}, path) && !strings.Contains(path, "testdata/")
		if !isPage && !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, n := range longLines(string(text), isPage) {
			t.Errorf("%s:%d: prose is longer than %d characters", path, n, proseWidth)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// longLines are the numbers of the lines of prose that are too long.
func longLines(text string, isPage bool) (found []int) {
	isCode := false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case isPage && strings.HasPrefix(trimmed, "```"):
			isCode = !isCode
		case isPage && (isCode || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "<!--")):
		case !isPage && (!strings.HasPrefix(trimmed, "// ") || strings.HasPrefix(trimmed, "//  ")):
		case strings.Contains(line, "://"):
		case utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > proseWidth:
			found = append(found, i+1)
		}
	}
	return found
}

func TestLongLinesAreFound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 25)
	page := long + "\n| " + long + "|\n```sh\n" + long + "\n```\n- " + long + "\n"
	code := "package a\n\n// " + long + "\n//\t" + long + "\nvar x = `" + long + "`\n"
	if got := longLines(page, true); !slices.Equal(got, []int{1, 6}) {
		t.Errorf("the long lines of the page are %v", got)
	}
	if got := longLines(code, false); !slices.Equal(got, []int{3}) {
		t.Errorf("the long lines of the file are %v", got)
	}
}
