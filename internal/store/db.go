package store

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Errors that callers check for.
var (
	ErrNotFound   = database.ErrNotFound
	ErrExists     = database.ErrExists
	ErrNoDatabase = database.ErrNoDatabase
	ErrInUse      = database.ErrInUse
)

// LockServer keeps servers from a SQLite file: see database.LockServer.
func LockServer(path string) (io.Closer, error) { return database.LockServer(path) }

// Options say which database to open and how.
type Options = database.Options

// DB is the database of the service.
type DB struct {
	database    *database.DB
	changed     func(AccountChange) // see OnChange
	storedLimit int64               // see LimitStored
}

// Tx is the transaction of a function given to Read, Snapshot or Write. Its methods
// are in the files named after the entities of the service. Those of database.Tx are
// for the statements of this package.
type Tx struct {
	*database.Tx

	changed func(AccountChange) // see DB.OnChange
	touched []AccountChange

	storedLimit int64                      // see DB.LimitStored
	grown       map[atelier.Wallet]*growth // by how much what accounts store has changed
	starts      bool                       // something new is stored, within the limit
	kept        map[string]bool            // what it uses of what is stored, and must stay

	queued []atelier.JobID // see HasQueued
}

// Open opens the database and brings its tables up to date.
func Open(ctx context.Context, o Options) (*DB, error) {
	d, err := database.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	db := &DB{database: d}
	if err := db.migrate(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return db, nil
}

// run is a function for the Tx of this package as one for the Tx that it extends.
func (db *DB) run(fn func(*Tx) error) func(*database.Tx) error {
	return func(tx *database.Tx) error {
		t := &Tx{Tx: tx, changed: db.changed, storedLimit: db.storedLimit}
		if err := fn(t); err != nil {
			return err
		}
		return t.addUpStored()
	}
}

// OnLost sets a function that is called when it is not known whether a change was written: see database.DB.OnLost.
func (db *DB) OnLost(f func()) { db.database.OnLost(f) }

// Read runs fn as database.DB.Read does: each statement sees the latest commit.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	return db.database.Read(ctx, db.run(fn))
}

// ReadDetached is Read for the goroutine of a stream: see database.DB.ReadDetached.
func (db *DB) ReadDetached(ctx context.Context, fn func(*Tx) error) error {
	return db.database.ReadDetached(ctx, db.run(fn))
}

// Snapshot runs fn as database.DB.Snapshot does: all statements see the same state.
func (db *DB) Snapshot(ctx context.Context, fn func(*Tx) error) error {
	return db.database.Snapshot(ctx, db.run(fn))
}

// SnapshotBehind runs fn as database.DB.SnapshotBehind does: on a replica, where there is one.
func (db *DB) SnapshotBehind(ctx context.Context, fn func(*Tx) error) error {
	return db.database.SnapshotBehind(ctx, db.run(fn))
}

// ReplicaLag is how far the replica is behind: see database.DB.ReplicaLag.
func (db *DB) ReplicaLag() (time.Duration, bool) { return db.database.ReplicaLag() }

// Changes is how many changes of this process wait or are under way: see database.DB.Changes.
func (db *DB) Changes() int64 { return db.database.Changes() }

// Write runs fn as database.DB.Write does, in a transaction. fn may run more than once.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return db.database.Write(ctx, db.run(fn))
}

// Channel is how the nodes of one PostgreSQL notify each other: see database.DB.Channel.
func (db *DB) Channel(name string) *database.Channel { return db.database.Channel(name) }

// WriteDeletion is Write for a change that deletes or ends something, which works on a full
// disk too: see database.DB.WriteDeletion.
func (db *DB) WriteDeletion(ctx context.Context, fn func(*Tx) error) error {
	return db.database.WriteDeletion(ctx, db.run(fn))
}

// WriteUnsynced is Write for a change that need not survive a power cut yet: see
// database.DB.WriteUnsynced.
func (db *DB) WriteUnsynced(ctx context.Context, fn func(*Tx) error) error {
	return db.database.WriteUnsynced(ctx, db.run(fn))
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.database.Ping(ctx) }

// Close waits for running changes and closes the database.
func (db *DB) Close() error { return db.database.Close() }
