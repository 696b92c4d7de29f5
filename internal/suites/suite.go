package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// prefix begins every directive of this program.
const prefix = "//atelier:"

// pkg is a package of the module and what its files say about the race detector.
type pkg struct {
	path       string   // "./internal/wire"
	marks      []string // of the package: sequential, renderer
	concurrent []string // names of tests
	norace     []string
	unknown    []string // directives that are not known, or not where they belong
	spawns     string   // where a file that is no test starts a goroutine
}

func (p pkg) is(mark string) bool { return slices.Contains(p.marks, mark) }

// suite lists the packages, or the packages with tests, of one suite.
func suite(packages []pkg, name string) (lines []string, err error) {
	tests := func(p pkg, names []string) {
		if len(names) > 0 {
			lines = append(lines, p.path+" ^("+strings.Join(names, "|")+")$")
		}
	}
	for _, p := range packages {
		watched := !p.is("sequential") && !p.is("renderer")
		switch name {
		case "watched":
			if watched {
				lines = append(lines, p.path)
			}
		case "unwatched":
			if !watched {
				lines = append(lines, p.path)
			}
		case "concurrent":
			tests(p, p.concurrent)
		case "norace":
			tests(p, p.norace)
		default:
			return nil, fmt.Errorf("there is no suite %s", name)
		}
	}
	return lines, nil
}

// check lists what is wrong with the directives.
func check(packages []pkg) (faults []string) {
	for _, p := range packages {
		fault := func(format string, args ...any) { faults = append(faults, p.path+": "+fmt.Sprintf(format, args...)) }
		for _, u := range p.unknown {
			fault("%s", u)
		}
		if len(p.marks) > 1 {
			fault("it is %s; a package has one of these", strings.Join(p.marks, " and "))
		}
		if p.is("sequential") && p.spawns != "" {
			fault("it is sequential, and %s starts a goroutine", p.spawns)
		}
		if p.is("renderer") != (len(p.concurrent) > 0) {
			fault("a renderer, and no other package, has tests with %sconcurrent; one without such tests is sequential", prefix)
		}
		if len(p.norace) > 0 && len(p.marks) > 0 {
			fault("%s run without the race detector anyway", strings.Join(p.norace, ", "))
		}
	}
	return faults
}

// readPackages reads every package of the module in a directory.
func readPackages(root string) (packages []pkg, err error) {
	found := map[string]*pkg{}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == root {
				return nil
			}
			_, noModule := os.Stat(filepath.Join(name, "go.mod"))
			if base := d.Name(); base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || noModule == nil {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		in, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		in = "./" + filepath.ToSlash(in)
		if found[in] == nil {
			found[in] = &pkg{path: path.Clean(in)}
			if in != "./." {
				found[in].path = "./" + found[in].path
			}
		}
		return found[in].readFile(name)
	})
	for _, p := range found {
		packages = append(packages, *p)
	}
	slices.SortFunc(packages, func(a, b pkg) int { return strings.Compare(a.path, b.path) })
	return packages, err
}

// readFile adds what a file says. Files of other operating systems say it too.
func (p *pkg) readFile(name string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	isTest := strings.HasSuffix(name, "_test.go")
	taken := map[*ast.CommentGroup]bool{}
	if file.Doc != nil && !isTest {
		taken[file.Doc] = true
		p.take(file.Doc, name, map[string]*[]string{"sequential": &p.marks, "renderer": &p.marks}, "")
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil && isTest && strings.HasPrefix(f.Name.Name, "Test") {
			taken[f.Doc] = true
			p.take(f.Doc, name, map[string]*[]string{"concurrent": &p.concurrent, "norace": &p.norace}, f.Name.Name)
		}
	}
	for _, g := range file.Comments {
		if !taken[g] {
			p.take(g, name, nil, "")
		}
	}
	if !isTest {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				p.spawns = files.Position(n.Pos()).String()
			case *ast.CallExpr: // of a sync.WaitGroup and the like
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" {
					p.spawns = files.Position(n.Pos()).String()
				}
			}
			return true
		})
	}
	return nil
}

// take reads the directives of a comment. known are those that may be there, each with the list to which
// value is added, or its own name for an empty value.
func (p *pkg) take(g *ast.CommentGroup, file string, known map[string]*[]string, value string) {
	for _, c := range g.List {
		name, is := strings.CutPrefix(c.Text, prefix)
		switch list := known[name]; {
		case !is:
		case list == nil:
			p.unknown = append(p.unknown, fmt.Sprintf("%s: %s is not known, or not where it belongs", file, c.Text))
		case value == "":
			*list = append(*list, name)
		default:
			*list = append(*list, value)
		}
	}
}
