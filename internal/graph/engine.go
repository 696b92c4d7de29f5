package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/graphimport"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Topic is nudged when a graph has changed.
const Topic = "graph"

// Engine keeps graphs. It is safe for concurrent use.
type Engine struct {
	db     *store.DB
	opts   Options
	places chan struct{} // for inspections

	mu     sync.Mutex
	faults map[version]string // of graphs that could not be loaded
}

// version is a graph as it was loaded.
type version struct {
	name     string
	revision int64
}

// Options are what an engine needs of its installation and of the packages above.
type Options struct {
	Connections *connection.Engine

	// Load loads the catalog of the program and its files, with more.
	Load func(more ...catalog.File) (*catalog.Catalog, error)

	// IsInFiles reports whether a graph of the program or its files renders a model.
	IsInFiles func(model string) (bool, error)

	// Nodes asks a ComfyUI for its nodes. Its error is for the operator.
	Nodes func(ctx context.Context, address string) ([]byte, error)

	// Check loads a graph as a worker does. With an address it says what that ComfyUI lacks.
	Check func(ctx context.Context, f Files, address string) (lacks []string, err error)

	// Changed is called after a change: it uses the graphs as they are now.
	Changed func(context.Context)

	Now func() time.Time
}

// Files are a graph as a worker loads it.
type Files struct {
	Name    string
	Graph   string
	Mapping string
}

// atOnce is how many workflows are inspected at once: the list of nodes of a ComfyUI is large.
const atOnce = 2

// New makes an engine.
func New(db *store.DB, o Options) *Engine {
	return &Engine{db: db, opts: o, places: make(chan struct{}, atOnce), faults: map[version]string{}}
}

// List lists all graphs, oldest first.
func (e *Engine) List(ctx context.Context) (apitype.Graphs, error) {
	var rows []store.Graph
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		rows, err = tx.Graphs()
		return err
	})
	if err != nil {
		return apitype.Graphs{}, err
	}
	r, err := e.newResolver()
	if err != nil {
		return apitype.Graphs{}, err
	}
	out := apitype.Graphs{Graphs: []apitype.Graph{}}
	for _, row := range rows {
		out.Graphs = append(out.Graphs, r.show(row))
	}
	return out, nil
}

// Read reads a graph with its files.
func (e *Engine) Read(ctx context.Context, name string) (apitype.GraphWithFiles, error) {
	row, err := e.find(ctx, name)
	if err != nil {
		return apitype.GraphWithFiles{}, err
	}
	r, err := e.newResolver()
	if err != nil {
		return apitype.GraphWithFiles{}, err
	}
	return apitype.GraphWithFiles{Graph: r.show(row), Source: row.Graph, Mapping: row.Mapping, Catalog: row.Entry}, nil
}

func (e *Engine) find(ctx context.Context, name string) (row store.Graph, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Graph(name)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = missing(name)
	}
	return row, err
}

func missing(name string) error { return atelier.Missing("name", name, "graph") }

// resolver says which graphs can be used beside the program and its files.
type resolver struct {
	engine *Engine
	plain  *catalog.Catalog
	sids   map[int]bool
	called map[string]string // see called
}

func (e *Engine) newResolver() (*resolver, error) {
	plain, err := e.opts.Load()
	if err != nil {
		return nil, err
	}
	r := &resolver{e, plain, map[int]bool{}, called(plain)}
	for _, m := range plain.Models() {
		r.sids[m.SID] = true
	}
	return r, nil
}

// problem is why a graph is not used; empty when it is.
func (r *resolver) problem(row store.Graph) string {
	if taken := r.taken(row.Name); taken != "" {
		return taken + " and wins: this one is not used."
	}
	if r.sids[row.SID] {
		return "Another model of the catalog has its number: save it again."
	}
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	return r.engine.faults[version{row.Name, row.Revision}]
}

// taken says who has a name; empty when it is free.
func (r *resolver) taken(name string) string {
	if len(r.plain.ModelsNamed(name)) > 0 {
		return fmt.Sprintf("The catalog of the program or of catalog_dir has a model named %s,", name)
	}
	if other := r.called[dashed(name)]; other != "" {
		return fmt.Sprintf("Clients call %s by the name %s,", other, name)
	}
	if in, err := r.engine.opts.IsInFiles(name); err != nil || in {
		return fmt.Sprintf("A file of graphs_dir names %s too,", name)
	}
	return ""
}

// called are the names by which clients of other protocols call the tools of a catalog, alone or with a model, and what
// each means. They write dashes between words.
func called(c *catalog.Catalog) map[string]string {
	names := map[string]string{}
	for _, t := range c.Tools() {
		for _, m := range c.Models() {
			if m.Serves(t.Name) {
				names[dashed(m.ID+"-"+t.Name)] = "the tool " + t.Name + " with the model " + m.ID
			}
		}
	}
	for _, t := range c.Tools() {
		names[dashed(t.Name)] = "the tool " + t.Name
	}
	return names
}

func dashed(name string) string { return strings.NewReplacer("_", "-", ".", "-").Replace(name) }

// show is a graph as operators see it.
func (r *resolver) show(row store.Graph) apitype.Graph {
	g := apitype.Graph{Name: row.Name, Title: row.Title, Selector: graphimport.Selector(row.Name), CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt}
	problem := r.problem(row)
	if err := wire.Unmarshal(row.Facts, &g.GraphFacts); err != nil {
		problem = "What is known about it cannot be read: remove it and bring it again."
	}
	if problem != "" {
		g.Problem = &problem
	}
	if t, ok := r.plain.Tool(g.Tool); ok {
		g.Argument = t.Models.Argument
	}
	return g
}
