package pull

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// The topics of nudges: that pulls have changed, and that files have come into a folder.
const (
	topic        = "pull"
	ArrivedTopic = "pull.arrived"
)

// Engine keeps pulls and fetches their files. It is safe for concurrent use.
type Engine struct {
	db          *store.DB
	bus         *bus.Bus
	connections *connection.Engine
	opts        Options
}

// Options are what an engine needs of its installation and of the packages above.
type Options struct {
	// Needs lists the files of a model. Its error is for the operator.
	Needs func(model string) ([]modeldir.Need, error)

	// Sites says how files are fetched: the mirrors and tokens of the sites.
	Sites func(context.Context) (modeldir.Options, error)

	// Arrived is called after files have come for a connection.
	Arrived func(ctx context.Context, connectionID string)

	Now func() time.Time
	Log *slog.Logger
}

// New makes an engine.
func New(db *store.DB, b *bus.Bus, connections *connection.Engine, o Options) *Engine {
	return &Engine{db: db, bus: b, connections: connections, opts: o}
}

// Also writes something else in the transaction of a change.
type Also func(tx *store.Tx, p apitype.Pull) error

// Start asks for the files of a model.
func (e *Engine) Start(ctx context.Context, model string, n apitype.NewPull, also Also) (apitype.Pull, error) {
	if err := e.check(model); err != nil {
		return apitype.Pull{}, err
	}
	folders, err := e.folders(ctx)
	if err != nil {
		return apitype.Pull{}, err
	}
	into, err := choose(folders, n.ConnectionID)
	if err != nil {
		return apitype.Pull{}, err
	}
	row := store.Pull{
		ID: mint.OrderedUUID(), ConnectionID: into.ID, Model: model, Folder: into.ModelsDir(), State: atelier.PullQueued, Files: []byte("[]"), CreatedAt: e.opts.Now(),
	}
	made, err := show(row)
	if err != nil {
		return apitype.Pull{}, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if into.From == apitype.ConnectionFromStore {
			// Its pulls are removed with it, and one that comes later would wait for ever.
			if err := tx.LockConnection(into.ID); errors.Is(err, store.ErrNotFound) {
				return noFolder()
			} else if err != nil {
				return err
			}
		}
		err := tx.InsertPull(row)
		if errors.Is(err, store.ErrExists) {
			return atelier.Errorf(atelier.CodeWrongState, "The files of %s are being fetched into %s already. Wait for the end, or cancel that.", model, row.Folder)
		}
		if err != nil {
			return err
		}
		tx.OnCommit(func() { e.bus.Publish(topic) })
		return also(tx, made)
	})
	return made, err
}

// check refuses a model of which no file can be fetched.
func (e *Engine) check(model string) error {
	needs, err := e.opts.Needs(model)
	if err != nil || slices.ContainsFunc(needs, func(n modeldir.Need) bool { return n.URL != "" }) {
		return err
	}
	return atelier.Errorf(atelier.CodeWrongState, "Nothing can be fetched: no address of the files of %s is known. Put them into the folder yourself, or give them addresses in a catalog of yours.", model)
}

// folders are the connections that name a folder and are used.
func (e *Engine) folders(ctx context.Context) ([]connection.Entry, error) {
	used, _, err := e.connections.Used(ctx)
	return slices.DeleteFunc(used, func(o connection.Entry) bool { return o.ModelsDir() == "" }), err
}

// choose finds the connection that is meant among those that name a folder.
func choose(folders []connection.Entry, id string) (connection.Entry, error) {
	if id == "" {
		switch len(folders) {
		case 0:
			return connection.Entry{}, atelier.Errorf(atelier.CodeWrongState,
				"No connected ComfyUI names a folder of models. Set modelsDir of its connection, or run atelier models pull on its machine.")
		case 1:
			return folders[0], nil
		}
		var names []string
		for _, o := range folders {
			names = append(names, o.Name+" ("+o.ID+")")
		}
		return connection.Entry{}, atelier.Refuse("connectionId", "must be given: there are several folders, those of %s.", strings.Join(names, ", "))
	}
	if i := slices.IndexFunc(folders, func(o connection.Entry) bool { return o.ID == id }); i >= 0 {
		return folders[i], nil
	}
	return connection.Entry{}, noFolder()
}

func noFolder() error {
	return atelier.Refuse("connectionId", "must be a ComfyUI whose connection names a folder of models.")
}

// Folders lists the folders into which files of a model can be fetched, each with the latest pull.
func (e *Engine) Folders(ctx context.Context, model string) (apitype.ModelFolders, error) {
	out := apitype.ModelFolders{Folders: []apitype.ModelFolder{}}
	if err := e.check(model); atelier.HasCode(err, atelier.CodeNotFound) {
		return out, err
	} else if err != nil {
		return out, nil // nothing can be fetched for it
	}
	folders, err := e.folders(ctx)
	if err != nil {
		return out, err
	}
	for _, o := range folders {
		f := apitype.ModelFolder{ConnectionID: o.ID, Name: o.Name, ModelsDir: o.ModelsDir()}
		p, err := e.read(ctx, o.ID, model)
		switch {
		case err == nil:
			f.Pull = &p
		case !errors.Is(err, store.ErrNotFound):
			return out, err
		}
		out.Folders = append(out.Folders, f)
	}
	return out, nil
}

// read reads the latest pull of a model for a connection.
func (e *Engine) read(ctx context.Context, connectionID, model string) (p apitype.Pull, err error) {
	var row store.Pull
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		row, err = tx.Pull(connectionID, model)
		return err
	})
	if err != nil {
		return p, err
	}
	return show(row)
}

// Cancel ends a pull. What has arrived is kept.
func (e *Engine) Cancel(ctx context.Context, model, connectionID string, also Also) (out apitype.Pull, err error) {
	if connectionID == "" {
		if connectionID, err = e.active(ctx, model); err != nil {
			return out, err
		}
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		err := tx.CancelPull(connectionID, model, e.opts.Now())
		row, missing := tx.Pull(connectionID, model)
		switch {
		case errors.Is(missing, store.ErrNotFound):
			return noPull(model)
		case missing != nil:
			return missing
		case errors.Is(err, store.ErrNotFound):
			return atelier.Errorf(atelier.CodeWrongState, "The pull of %s has ended: it is %s.", model, row.State)
		case err != nil:
			return err
		}
		if out, err = show(row); err != nil {
			return err
		}
		tx.OnCommit(func() { e.bus.Publish(topic) })
		return also(tx, out)
	})
	return out, err
}

func noPull(model string) error { return atelier.Missing("name", model, "pull of the model") }

// active finds the connection for which a model is being fetched, which must be the only one. Neither
// the model nor the connection need be used any more.
func (e *Engine) active(ctx context.Context, model string) (connectionID string, err error) {
	var rows []store.Pull
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		rows, err = tx.PullsOf(model)
		return err
	})
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", noPull(model)
	}
	connectionID = rows[0].ConnectionID // of one that has ended, if all have
	var found []string
	for _, p := range rows {
		if !p.State.Terminal() {
			connectionID, found = p.ConnectionID, append(found, p.ConnectionID)
		}
	}
	if len(found) > 1 {
		return "", atelier.Refuse("connectionId", "must be given: the model is fetched for %s.", strings.Join(found, ", "))
	}
	return connectionID, nil
}

// show is a pull as operators see it.
func show(row store.Pull) (apitype.Pull, error) {
	p := apitype.Pull{
		PullID: row.ID, ModelID: row.Model, ConnectionID: row.ConnectionID, ModelsDir: row.Folder, State: row.State,
		BytesPerSecond: row.Speed, CreatedAt: row.CreatedAt, StartedAt: optional(row.StartedAt), EndedAt: optional(row.EndedAt),
	}
	if err := wire.Unmarshal(row.Files, &p.Files); err != nil {
		return p, err
	}
	for i, f := range p.Files {
		p.BytesTotal += f.Bytes
		p.BytesDone += f.Done
		if p.File == nil && p.State == atelier.PullRunning && f.State == apitype.PullFileMissing && f.Bytes > 0 {
			p.File = &p.Files[i].Name
		}
	}
	if row.Problem != "" {
		p.Problem = &row.Problem
	}
	return p, nil
}

func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
