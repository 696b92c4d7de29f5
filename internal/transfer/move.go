package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// Installation is a database and the storage that belongs to it.
type Installation struct {
	DB    *store.DB
	Blobs blob.Store

	saved list // of a backup: what it had when it was made
}

// Move is a copy of an installation. What the source and the target share stays where it is.
type Move struct {
	From Installation
	To   Installation // a part that is nil is shared; the database is empty

	Incomplete bool            // rows may name objects that the source does not have
	Missing    []string        // those that it is known not to have
	Progress   func(ObjectSum) // may be nil
}

// Moved is what a Move has copied.
type Moved struct {
	Tables []store.TableSum `json:"tables,omitempty"`
	Rows   int64            `json:"rows"`
	ObjectSum
}

// ErrInUse says that servers use a database.
var ErrInUse = errors.New("a server is running on the installation")

// CheckUnused returns ErrInUse while nodes renew their leases in a database.
func CheckUnused(ctx context.Context, db *store.DB) error {
	return db.Read(ctx, func(tx *store.Tx) error {
		until, err := tx.LastLease()
		if left := time.Until(until); err == nil && left > 0 {
			err = fmt.Errorf("%w: the lease of a node lasts for another %s", ErrInUse, left.Round(time.Second))
		}
		return err
	})
}

// Prepare copies the objects alone, while servers use the source. Run has then less to do.
func (m Move) Prepare(ctx context.Context) (Moved, error) {
	moved, _, err := m.copyObjects(ctx)
	return moved, err
}

// copyObjects copies the objects, and returns what the target has of them.
func (m Move) copyObjects(ctx context.Context) (Moved, list, error) {
	if m.To.Blobs == nil {
		return Moved{}, nil, nil
	}
	id, err := installationID(ctx, m.From.DB)
	if err != nil {
		return Moved{}, nil, err
	}
	if err := claim(ctx, m.To.Blobs, id); err != nil {
		return Moved{}, nil, fmt.Errorf("target: %w", err)
	}
	o := objects{from: m.From.Blobs, to: m.To.Blobs, saved: m.From.saved, progress: m.Progress}
	sum, err := o.copy(ctx)
	return Moved{ObjectSum: sum}, o.seen, err
}

// Run copies objects and rows, compares them, and checks the books of the copy. What servers
// write to the source after that is not in it.
func (m Move) Run(ctx context.Context) (Moved, error) {
	moved, copied, err := m.copyObjects(ctx)
	if err == nil {
		err = m.checkObjects(ctx, copied)
	}
	if err != nil || m.To.DB == nil {
		return moved, err
	}
	if moved.Tables, err = copyRows(ctx, m.From.DB, m.To.DB); err != nil {
		return moved, err
	}
	moved.Rows = totalRows(moved.Tables)
	if err := m.To.DB.Migrate(ctx); err != nil { // the source may be of an earlier version
		return moved, err
	}
	return moved, checkBooks(ctx, m.To.DB)
}

// ErrIncomplete says that the source does not have all objects that its rows name.
var ErrIncomplete = errors.New("the source lacks objects that its rows name, or has them damaged")

// checkObjects returns ErrIncomplete if objects were not copied that rows name, or that a backup
// had when it was made.
func (m Move) checkObjects(ctx context.Context, copied list) error {
	if m.Incomplete || m.To.Blobs == nil {
		return nil
	}
	keys, err := missing(ctx, m.From.DB, m.To.Blobs, copied)
	for key := range m.From.saved {
		if _, ok := copied[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return slices.Contains(m.Missing, key) })
	if err == nil && len(keys) > 0 {
		err = fmt.Errorf("%w: %d, the first is %s", ErrIncomplete, len(keys), keys[0])
	}
	return err
}

// copyRows copies rows and reads them again.
func copyRows(ctx context.Context, from, to *store.DB) ([]store.TableSum, error) {
	read, err := from.CopyRows(ctx, to)
	if err != nil {
		return nil, err
	}
	written, err := to.SumRows(ctx)
	if err != nil {
		return nil, err
	}
	return written, compare(read, written)
}

// compare names the first table at which two lists of sums differ.
func compare(want, got []store.TableSum) error {
	for i, t := range want {
		switch {
		case i >= len(got) || got[i].Name != t.Name:
			return fmt.Errorf("the copy lacks the table %s", t.Name)
		case got[i] != t:
			return fmt.Errorf("the copy has other rows in the table %s: %d, and the source %d", t.Name, got[i].Rows, t.Rows)
		}
	}
	return nil
}

// checkBooks compares every balance and counter with the ledger and the records of work.
func checkBooks(ctx context.Context, db *store.DB) error {
	books := billing.New(db, time.Now, func(atelier.PlanTier) int { return 0 })
	_, differences, err := books.Audit(ctx)
	if err == nil && len(differences) > 0 {
		err = fmt.Errorf("all rows are copied, but the books do not agree, and did not in the source: see atelier ledger verify: %s", differences[0])
	}
	return err
}

// installationID is the id of the installation to which a database belongs.
func installationID(ctx context.Context, db *store.DB) (id string, err error) {
	err = db.Read(ctx, func(tx *store.Tx) (err error) {
		id, err = tx.Installation()
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errors.New("no server has ever run on this database: there is nothing to copy but accounts, which atelier account create makes")
	}
	return id, err
}

func totalRows(tables []store.TableSum) (n int64) {
	for _, t := range tables {
		n += t.Rows
	}
	return n
}
