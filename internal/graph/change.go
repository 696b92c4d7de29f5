package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/graphimport"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Also writes something else in the transaction of a change.
type Also func(tx *store.Tx, g apitype.Graph) error

// maxGraphs bounds the stored graphs: nodes load all of them.
const maxGraphs = 100

// firstSID is the first number of a model that is no file's. The program's own are lower.
const firstSID = 9001

// Create makes a model of a workflow and stores it.
func (e *Engine) Create(ctx context.Context, d Draft, also Also) (apitype.Graph, error) {
	if err := e.mayBeNamed(d.Name); err != nil {
		return apitype.Graph{}, err
	}
	rows, err := e.rows(ctx)
	if err != nil {
		return apitype.Graph{}, err
	}
	row := store.Graph{Name: d.Name, CreatedAt: e.opts.Now(), UpdatedAt: e.opts.Now()}
	if row.SID, err = e.freeNumber(rows); err != nil {
		return apitype.Graph{}, err
	}
	if err := e.fill(ctx, &row, d, rows); err != nil {
		return apitype.Graph{}, err
	}
	return e.save(ctx, row, also, func(tx *store.Tx) error {
		now, err := tx.Graphs()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(now, func(g store.Graph) bool { return g.Name == row.Name }) {
			return nameTaken("There is a graph named %s. Choose another name, or replace that one.", row.Name)
		}
		if len(now) >= maxGraphs {
			return atelier.Errorf(atelier.CodeWrongState, "There are %d graphs, which is the limit: remove one first.", maxGraphs)
		}
		err = tx.InsertGraph(row)
		if errors.Is(err, store.ErrExists) {
			return changed()
		}
		return err
	})
}

// Replace stores another workflow, or other choices, for a graph.
func (e *Engine) Replace(ctx context.Context, d Draft, also Also) (apitype.Graph, error) {
	row, err := e.find(ctx, d.Name)
	if err != nil {
		return apitype.Graph{}, err
	}
	rows, err := e.rows(ctx)
	if err != nil {
		return apitype.Graph{}, err
	}
	row.UpdatedAt = e.opts.Now()
	r, err := e.newResolver()
	if err != nil {
		return apitype.Graph{}, err
	}
	if r.sids[row.SID] {
		if row.SID, err = e.freeNumber(rows); err != nil {
			return apitype.Graph{}, err
		}
	}
	if err := e.fill(ctx, &row, d, rows); err != nil {
		return apitype.Graph{}, err
	}
	return e.save(ctx, row, also, func(tx *store.Tx) error {
		err := tx.UpdateGraph(row)
		if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrExists) {
			return changed()
		}
		return err
	})
}

// Delete removes a graph. A connection that lists its model would no longer be one that can be used.
func (e *Engine) Delete(ctx context.Context, name string, also Also) (apitype.Graph, error) {
	row, err := e.find(ctx, name)
	if err != nil {
		return apitype.Graph{}, err
	}
	used, _, err := e.opts.Connections.Used(ctx)
	if err != nil {
		return apitype.Graph{}, err
	}
	for _, c := range used {
		if c.Kind == apitype.ConnectionComfyUI && slices.Contains(c.Settings.ComfyUI.Models, name) {
			return apitype.Graph{}, atelier.Errorf(atelier.CodeWrongState, "The connection %s lists the model %s: take it out there first.", c.Name, name)
		}
	}
	r, err := e.newResolver()
	if err != nil {
		return apitype.Graph{}, err
	}
	gone := r.show(row)
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.CountGraphChange(); err != nil {
			return err
		}
		err := tx.DeleteGraph(name)
		if errors.Is(err, store.ErrNotFound) {
			return missing(name)
		}
		if err != nil {
			return err
		}
		return also(tx, gone)
	})
	if err == nil {
		e.opts.Changed(ctx)
	}
	return gone, err
}

func changed() error {
	return atelier.Errorf(atelier.CodeWrongState, "The graphs changed at the same time. Try again.")
}

func nameTaken(format string, args ...any) error {
	return &atelier.Error{Code: atelier.CodeNameTaken, Field: "name", Message: fmt.Sprintf(format, args...)}
}

func (e *Engine) rows(ctx context.Context) (rows []store.Graph, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		rows, err = tx.GraphsWithFiles()
		return err
	})
	return rows, err
}

// mayBeNamed refuses a name that the program or a file has.
func (e *Engine) mayBeNamed(name string) error {
	r, err := e.newResolver()
	if err != nil {
		return err
	}
	if by := r.taken(name); by != "" {
		return nameTaken("%s and wins. Choose another name.", by)
	}
	return nil
}

// freeNumber is a number for the catalog that no model has.
func (e *Engine) freeNumber(rows []store.Graph) (int, error) {
	plain, err := e.opts.Load()
	if err != nil {
		return 0, err
	}
	free := firstSID
	for _, m := range plain.Models() {
		free = max(free, m.SID+1)
	}
	for _, row := range rows {
		free = max(free, row.SID+1)
	}
	return free, nil
}

// fill makes the files of a row, which must fit beside the other graphs.
func (e *Engine) fill(ctx context.Context, row *store.Graph, d Draft, rows []store.Graph) error {
	r, _, err := e.read(ctx, d, row.SID)
	if err != nil {
		return err
	}
	row.Title, row.Graph, row.Mapping, row.Entry = r.Title, r.Graph, r.Mapping, r.Catalog
	if row.Facts, err = wire.Marshal(facts(r)); err != nil {
		return err
	}
	resolved, err := e.newResolver()
	if err != nil {
		return err
	}
	entries := []catalog.File{entryOf(*row)}
	for _, other := range rows {
		if other.Name != row.Name && resolved.problem(other) == "" {
			entries = append(entries, entryOf(other))
		}
	}
	known, err := e.opts.Load(entries...)
	if err != nil {
		return atelier.Refuse("workflow", "cannot be a model of the catalog: %s", sentence(err.Error()))
	}
	for _, name := range []string{row.Name, graphimport.Selector(row.Name)} {
		for _, m := range known.ModelsNamed(name) {
			if m.ID != row.Name {
				return nameTaken("The model %s is called %s too. Choose another name.", m.ID, name)
			}
		}
	}
	return nil
}

// save writes a change and has it used.
func (e *Engine) save(ctx context.Context, row store.Graph, also Also, write func(*store.Tx) error) (apitype.Graph, error) {
	r, err := e.newResolver()
	if err != nil {
		return apitype.Graph{}, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.CountGraphChange(); err != nil {
			return err
		}
		if err := write(tx); err != nil {
			return err
		}
		return also(tx, r.show(row))
	})
	if err != nil {
		return apitype.Graph{}, err
	}
	e.opts.Changed(ctx)
	row.Revision++
	return r.show(row), nil
}
