package graph

import (
	"context"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
)

// Used are the graphs that are used.
type Used struct {
	Catalog *catalog.Catalog // with their models
	Graphs  []Files
	Change  int64 // the number of the last change that they have
}

// Used loads the graphs that are used.
func (e *Engine) Used(ctx context.Context) (Used, error) {
	var (
		used Used
		rows []store.Graph
	)
	if e.db != nil { // else an installation that has no database yet
		err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
			if used.Change, err = tx.GraphChange(); err == nil {
				rows, err = tx.GraphsWithFiles()
			}
			return err
		})
		if err != nil {
			return used, err
		}
	}
	list, known, err := e.usable(ctx, rows)
	if err != nil {
		return used, err
	}
	used.Catalog = known
	for _, row := range list {
		used.Graphs = append(used.Graphs, files(row))
	}
	return used, nil
}

func files(row store.Graph) Files { return Files{row.Name, row.Graph, row.Mapping} }

func entryOf(row store.Graph) catalog.File {
	return catalog.File{Name: "graph " + row.Name, Data: []byte(row.Entry)}
}

// usable are the graphs of a list that can be used, and the catalog with their models. It remembers what is wrong with
// the others.
func (e *Engine) usable(ctx context.Context, rows []store.Graph) ([]store.Graph, *catalog.Catalog, error) {
	e.mu.Lock()
	clear(e.faults)
	e.mu.Unlock()
	r, err := e.newResolver()
	if err != nil {
		return nil, nil, err
	}
	var list []store.Graph
	var entries []catalog.File
	for _, row := range rows {
		if r.problem(row) != "" {
			continue
		}
		if _, err := e.opts.Check(ctx, files(row), ""); err != nil {
			e.fault(row, err)
			continue
		}
		list, entries = append(list, row), append(entries, entryOf(row))
	}
	if len(list) == 0 {
		return nil, r.plain, nil
	}
	known, err := e.opts.Load(entries...)
	if err == nil {
		return list, known, nil
	}
	// One entry cannot be read: each is tried beside those that can.
	var good []store.Graph
	known, entries = r.plain, nil
	for _, row := range list {
		with, err := e.opts.Load(append(entries, entryOf(row))...)
		if err != nil {
			e.fault(row, err)
			continue
		}
		good, entries, known = append(good, row), append(entries, entryOf(row)), with
	}
	return good, known, nil
}

func (e *Engine) fault(row store.Graph, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults[version{row.Name, row.Revision}] = "It cannot be used: " + sentence(err.Error())
}

// Change is the number of the last change.
func (e *Engine) Change(ctx context.Context) (n int64, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		n, err = tx.GraphChange()
		return err
	})
	return n, err
}
