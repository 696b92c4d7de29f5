package template

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Engine stores and compiles templates. It is safe for concurrent use.
type Engine struct {
	db       *store.DB
	catalog  *catalog.Catalog
	opts     Options
	starters func() ([]atelier.Template, error)
}

// Options are the settings of an engine.
type Options struct {
	Limit      int    // templates of one account
	MaxBytes   int64  // of one template
	GalleryURL string // where the gallery of the catalog is served
	Now        func() time.Time
}

// New makes an engine.
func New(db *store.DB, c *catalog.Catalog, o Options) *Engine {
	e := &Engine{db: db, catalog: c, opts: o}
	e.starters = sync.OnceValues(e.illustrated)
	return e
}

// Compile turns a template into steps.
func (e *Engine) Compile(ctx context.Context, t atelier.Template, q Request) (Compiled, error) {
	return Compile(ctx, e.catalog, t, q)
}

// Plan finds a template that an account may use, by its id, and compiles it.
func (e *Engine) Plan(ctx context.Context, w atelier.Wallet, id string, q Request) (Compiled, error) {
	t, err := e.Template(ctx, w, id)
	if err != nil {
		return Compiled{}, err
	}
	return e.Compile(ctx, t, q)
}

// Validate reports what is wrong with a template that is not saved yet.
func (e *Engine) Validate(f Fields) []atelier.Issue {
	is := &issues{}
	outlineOf(e.catalog, read(f, is), is).check()
	return is.all()
}

// errNotFound is the error for a template that does not exist and for one of another
// account.
func errNotFound(id string) error {
	return atelier.Missing("id", id, "template")
}

// open reads a stored template.
func open(document []byte) (atelier.Template, error) {
	var f Fields
	if err := wire.Unmarshal(document, &f); err != nil {
		return atelier.Template{}, err
	}
	return read(f, &issues{}), nil
}

// row is a template as it is stored.
func row(owner atelier.Wallet, t atelier.Template, now time.Time) (store.StoredTemplate, error) {
	document, err := wire.Marshal(t)
	return store.StoredTemplate{
		Owner: owner, ID: t.ID, Version: t.Version, Exposed: t.ExposeToLLM, Priority: t.LLMPriority, Document: document, CreatedAt: now, UpdatedAt: now,
	}, err
}

// checkSize refuses a template that is too large.
func (e *Engine) checkSize(bytes int) error {
	if int64(bytes) <= e.opts.MaxBytes {
		return nil
	}
	return atelier.Errorf(atelier.CodeBodyTooLarge, "A template may have at most %d bytes; this one has %d.", e.opts.MaxBytes, bytes).
		With("templateBytes", bytes).With("templateBytesLimit", e.opts.MaxBytes)
}

// stored finds a template of an owner in the database.
func (e *Engine) stored(ctx context.Context, owner atelier.Wallet, id string) (row store.StoredTemplate, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Template(owner, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errNotFound(id)
	}
	return row, err
}
