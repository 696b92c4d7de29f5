package lora

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine keeps the personal LoRAs of all accounts. It is safe for concurrent use.
type Engine struct {
	db      *store.DB
	blobs   blob.Store
	catalog *catalog.Catalog
	fleet   *fleet.Engine
	sources atomic.Pointer[source.Sources]
	checks  chan struct{} // a place for each uploaded file whose header is in memory
	opts    Options
}

// Options are the settings of an engine. A zero value means the default.
type Options struct {
	FileBytes     int64 // of one file: 2 GiB
	Entries       int   // of one account: 20
	ImportsPerDay int   // of one account, on a UTC day: 5
	Queue         int   // imports of all accounts that are under way: 1000

	// FreeSpace is how many bytes can still be written; nil where it is not known.
	// Imports leave Reserve of them.
	FreeSpace func() (int64, error)
	Reserve   int64

	Rules int // the version of the import rules: rulesVersion
	Now   func() time.Time
	Log   *slog.Logger
}

// rulesVersion counts the versions of the import rules. Raise it when a file that was
// refused may be accepted now: rejected files are checked again.
const rulesVersion = 1

// ownerKind marks the jobs of imports.
const ownerKind = "lora"

// New makes an engine, and registers its hooks with the fleet.
func New(db *store.DB, blobs blob.Store, c *catalog.Catalog, f *fleet.Engine, s *source.Sources, o Options) *Engine {
	o.FileBytes = cmp.Or(o.FileBytes, 2<<30)
	o.Entries = cmp.Or(o.Entries, 20)
	o.ImportsPerDay = cmp.Or(o.ImportsPerDay, 5)
	o.Queue = cmp.Or(o.Queue, 1000)
	o.Rules = cmp.Or(o.Rules, rulesVersion)
	e := &Engine{db: db, blobs: blobs, catalog: c, fleet: f, checks: make(chan struct{}, mostChecks), opts: o}
	e.UseSources(s)
	f.RegisterHooks(ownerKind, fleet.Hooks{Ended: e.onEnded})
	return e
}

// UseSources changes the sites that links may name. Reads that have begun continue.
func (e *Engine) UseSources(s *source.Sources) { e.sources.Store(s) }

// importTool is the node task that imports a file.
const importTool = "import_lora"

// NodeTasks are the tasks of imports that nodes do.
func (e *Engine) NodeTasks() map[string]fleet.NodeTask {
	return map[string]fleet.NodeTask{importTool: e.runImport}
}

// page is how many entries are read at a time.
const page = 200

// Sweep brings the entries of all accounts into line with the catalog and the import
// rules, and removes counters that are over. It returns how many statuses have changed.
func (e *Engine) Sweep(ctx context.Context) (changed int, err error) {
	for _, status := range []atelier.LoraStatus{atelier.LoraRejected, atelier.LoraReady, atelier.LoraQueued, atelier.LoraReview} {
		for after := atelier.LoraID(""); ; {
			var rows []store.StoredLora
			err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
				rows, err = tx.LorasOfAll(status, after, page)
				return err
			})
			if err != nil {
				return changed, err
			}
			if len(rows) == 0 {
				break
			}
			after = rows[len(rows)-1].ID
			for _, l := range rows {
				moved, err := e.adapt(ctx, l)
				if err != nil {
					return changed, err
				}
				if moved {
					changed++
				}
			}
		}
	}
	dropped, err := e.dropUploads(ctx)
	changed += dropped
	if err != nil {
		return changed, err
	}
	return changed, e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteImportDays(day(e.opts.Now().Add(-7 * 24 * time.Hour))); err != nil {
			return err
		}
		return tx.ForgetJobLoras()
	})
}

// adapt changes the status of an entry whose model is no longer offered, or is again,
// and imports a rejected file again that newer rules may accept.
func (e *Engine) adapt(ctx context.Context, l store.StoredLora) (moved bool, err error) {
	offered := len(e.familyModels(l.Family)) > 0
	again := l.Status == atelier.LoraRejected && l.Failure == atelier.LoraInvalidArtifact && l.Rules < e.opts.Rules ||
		l.Status == atelier.LoraReview && !l.Held && l.SHA256 == ""
	var change func(tx *store.Tx, row *store.StoredLora) error
	switch {
	case again && offered && !l.Uploaded(): // no site has the file of an upload
		change = func(tx *store.Tx, row *store.StoredLora) error {
			row.Tries = 0
			return e.queue(tx, row, time.Time{})
		}
	case l.Status == atelier.LoraReview && !l.Held && offered:
		change = func(_ *store.Tx, row *store.StoredLora) error {
			row.Status, row.Reason = atelier.LoraReady, ""
			return nil
		}
	case (l.Status == atelier.LoraQueued || l.Status == atelier.LoraReady) && !offered:
		change = func(_ *store.Tx, row *store.StoredLora) error {
			row.Status, row.Reason, row.JobID = atelier.LoraReview, "Its model is no longer offered.", ""
			return nil
		}
	default:
		return false, nil
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(l.Wallet); err != nil { // lock order: account, then jobs
			return err
		}
		row := l
		if err := change(tx, &row); err != nil {
			return err
		}
		row.UpdatedAt = e.opts.Now()
		if err := tx.UpdateLora(&row, l.Status); err != nil || row.Status != atelier.LoraReview {
			return err
		}
		return e.withdraw(tx, l, "can no longer be used: its model is no longer offered")
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil // it has changed meanwhile
	}
	return err == nil, err
}

// familyModels lists the models that load the LoRAs of a family.
func (e *Engine) familyModels(family string) []string {
	for _, f := range e.catalog.Families() {
		if f.ID == family {
			return f.ModelIDs
		}
	}
	return nil
}

// day is a UTC day, as imports are counted.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// errNotFound is the error for an entry that does not exist and for one of another
// account.
func errNotFound(id atelier.LoraID) error {
	return atelier.Missing("id", string(id), "personal LoRA")
}
