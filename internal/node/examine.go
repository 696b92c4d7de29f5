package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/machine"
	"github.com/atelier-project/atelier/internal/store"
)

// The functions here examine the parts of an installation beside its servers. They create nothing, and
// migrate no database.

// PendingMigrations counts what the next start would change in the tables of the database. It fails with
// store.ErrNoDatabase where the database is missing.
func PendingMigrations(ctx context.Context, c *config.Config) (int, error) {
	return store.Pending(ctx, store.Options{URL: c.DatabaseURL, Path: c.DatabaseFile()})
}

// ErrStoredUnknown says that a list lacks the servers that operators have connected.
var ErrStoredUnknown = errors.New("the database does not say which servers operators have connected")

// AskConnections lists the servers of the configuration and of the database, with what each answers
// now. Those of a database that is missing, waits for a migration or does not answer are left out, and
// the error is ErrStoredUnknown.
func AskConnections(ctx context.Context, c *config.Config) (list apitype.Connections, err error) {
	n, err := PendingMigrations(ctx, c)
	if err == nil && n == 0 {
		o, err := OpenAdmin(ctx, c, AdminOptions{Existing: true})
		if err != nil {
			return apitype.Connections{}, err
		}
		list, err = o.Connections.List(ctx, true)
		return list, errors.Join(err, o.Close())
	}
	unknown := ErrStoredUnknown // also where tables wait for a migration
	if err != nil {
		unknown = fmt.Errorf("%w: %w", unknown, err)
	}
	known := sync.OnceValues(func() (*catalog.Catalog, error) { return catalog.Load(c.CatalogDir) })
	o := &Admin{now: time.Now}
	if err := o.connectAlone(ctx, c, known); err != nil {
		return apitype.Connections{}, err
	}
	list, err = o.Connections.List(ctx, true)
	return list, errors.Join(err, unknown)
}

// PingBus reports whether the NATS of the configuration answers.
func PingBus(ctx context.Context, c *config.Config) error {
	b, err := bus.Open(ctx, bus.Options{NATSURL: c.NATSURL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Ping(ctx)
}

// PingStorage reports whether the bucket of the configuration can be written to.
func PingStorage(ctx context.Context, c *config.Config) error { return blob.CheckS3(ctx, c.StorageURL) }

// FreeSpace is how many bytes are free on the disk of a directory.
func FreeSpace(dir string) (int64, error) { return machine.FreeSpace(dir) }
