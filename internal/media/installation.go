package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// InstallationKey is the object that says which installation a storage belongs
// to.
const InstallationKey = "atelier/installation"

// Tie makes sure that database and storage belong to the same installation. The
// first start writes an id into both; a storage of another database is refused,
// because the sweeper would treat all of its objects as garbage. Nodes that start
// at the same time agree: the id of the database is there before that of the
// storage.
func (e *Engine) Tie(ctx context.Context) error {
	inStorage, err := StorageID(ctx, e.blobs) // first: another node could write both between the two reads
	if err != nil {
		return err
	}
	inDatabase, err := e.databaseID(ctx)
	if err != nil {
		return err
	}
	switch {
	case inStorage != "" && inStorage == inDatabase:
		return nil
	case inStorage != "" && inDatabase == "":
		return errForeign("the storage belongs to the installation %s, but the database is new or older than it (when a restore or a copy was interrupted, run it again)", inStorage)
	case inStorage != "":
		return errForeign("the storage belongs to the installation %s, but the database to %s", inStorage, inDatabase)
	}
	foreign, err := e.hasForeignObjects(ctx)
	if err != nil {
		return err
	}
	if foreign {
		return errForeign("the storage has objects, and the database names none of them")
	}
	if inDatabase, err = e.makeID(ctx); err != nil {
		return err
	}
	_, err = e.blobs.Put(ctx, InstallationKey, strings.NewReader(inDatabase+"\n"), blob.PutOptions{ContentType: "text/plain", OnlyNew: true})
	if !errors.Is(err, blob.ErrExists) {
		return err
	}
	if inStorage, err = StorageID(ctx, e.blobs); err == nil && inStorage != inDatabase {
		err = errForeign("the storage belongs to the installation %s, but the database to %s", inStorage, inDatabase)
	}
	return err
}

func errForeign(format string, args ...any) error {
	return fmt.Errorf(format+": check database_url, storage_url and data_dir. If they belong together, as after a restore, run atelier storage adopt once", args...)
}

// Adopt ties a storage to the database, even if it belonged to another.
func (e *Engine) Adopt(ctx context.Context) error {
	id, err := e.makeID(ctx)
	if err != nil {
		return err
	}
	_, err = e.blobs.Put(ctx, InstallationKey, strings.NewReader(id+"\n"), blob.PutOptions{ContentType: "text/plain"})
	return err
}

// StorageID is the id of the installation that a storage belongs to, or empty when it has none.
func StorageID(ctx context.Context, blobs blob.Store) (string, error) {
	file, _, err := blobs.Open(ctx, InstallationKey)
	if errors.Is(err, blob.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 1000))
	id := strings.TrimSpace(string(text))
	if err == nil && id == "" {
		err = fmt.Errorf("the object %s of the storage is empty: run atelier storage adopt", InstallationKey)
	}
	return id, err
}

// databaseID is the id of the database, or empty when it has none.
func (e *Engine) databaseID(ctx context.Context) (id string, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		id, err = tx.Installation()
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// makeID gives the database an id, unless it has one.
func (e *Engine) makeID(ctx context.Context) (id string, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		id, err = tx.InsertInstallation(mint.UUID(), e.opts.Now())
		return err
	})
	return id, err
}

// hasForeignObjects reports whether a storage without an id has objects of which
// the database names none. It checks only a few.
func (e *Engine) hasForeignObjects(ctx context.Context) (bool, error) {
	const enough = 300
	seen := 0
	for prefix := range prefixes {
		n := 0
		for entry, err := range e.blobs.List(ctx, prefix, "") {
			if err != nil {
				return false, err
			}
			if isPreview(entry.Key) {
				continue // no row names one
			}
			named, err := e.named(ctx, entry.Key)
			if err != nil || named {
				return false, err
			}
			seen++
			if n++; n == enough {
				break
			}
		}
	}
	return seen > 0, nil
}
