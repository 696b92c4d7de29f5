package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
)

// Errors that callers check for.
var (
	ErrNotFound = errors.New("database: no such row")
	ErrExists   = errors.New("database: the row already exists")

	// ErrNoDatabase says that there is no database to open.
	ErrNoDatabase = errors.New("there is no database of the service here yet")
)

// DB is an open database.
type DB struct {
	engine  engine
	replica *replica // nil without one
	observe func(operation string, took time.Duration)
	changes atomic.Int64 // see Changes
}

// engine is one of the two databases.
type engine interface {
	read(ctx context.Context, fn func(*Tx) error) error
	snapshot(ctx context.Context, fn func(*Tx) error) error
	write(ctx context.Context, kind writeKind, fn func(*Tx) error) error
	close() error
}

// writeKind is what kind of change a Write makes.
type writeKind int

const (
	plain    writeKind = iota
	deletion           // see DB.WriteDeletion
	unsynced           // see DB.WriteUnsynced
)

// Options say which database to open and how.
type Options struct {
	URL        string        // postgres://…; empty for SQLite
	Path       string        // the SQLite file
	ReplicaURL string        // of a standby of URL, for SnapshotBehind; empty for none
	ReplicaLag time.Duration // how far behind it may be
	GroupLimit int           // most changes in one SQLite commit; 0 for the default
	Reserve    int64         // bytes of the disk that SQLite keeps for deletions; 0 for none
	Existing   bool          // fail with ErrNoDatabase where the service has no database yet, and make none
	Server     bool          // refuse a SQLite file that another process has opened so
	ReadOnly   bool          // of SQLite: a file that no process changes, maybe on a medium that cannot be written

	// Observe is called with how long each read, snapshot and write took, and each commit of
	// a group of writes, which only SQLite has. It may be nil.
	Observe func(operation string, took time.Duration)

	// Crash is for tests of SQLite. The writer calls it before and after every
	// commit; once it returns true, the database behaves as if its process had been
	// killed at that point.
	Crash func(after bool) bool

	// Fail is for tests of SQLite. It is called before every read and every change, by their
	// callers, and before and after every commit. The call fails with its error, as when a server is away, and the
	// database continues.
	Fail func(Moment) error

	// Rehearse is for tests of SQLite: every change is run, undone and run again,
	// as happens when another change of its group fails.
	Rehearse bool

	// NoSync is for tests of SQLite: commits do not wait for the disk. They survive
	// the end of the process, but not a power cut.
	NoSync bool
}

// Moment is when a call can fail in a test.
type Moment int

// The moments. After a commit the change is durable, and its caller is not told so.
const (
	BeforeRead Moment = iota
	BeforeWrite
	BeforeCommit
	AfterCommit
)

// failure is the error with which a call fails at a moment, if it does.
func failure(fail func(Moment) error, at Moment) error {
	if fail == nil {
		return nil
	}
	if err := fail(at); err != nil {
		return unavailable(atelier.PartDatabase, err)
	}
	return nil
}

// Open opens the database. Its tables are those that Migrate has made.
func Open(ctx context.Context, o Options) (*DB, error) {
	var (
		e   engine
		err error
	)
	switch {
	case o.URL == "" && o.Existing && !isFile(o.Path):
		err = fmt.Errorf("%s: %w", o.Path, ErrNoDatabase)
	case o.URL == "":
		e, err = openSQLite(o)
	case strings.HasPrefix(o.URL, "postgres://"), strings.HasPrefix(o.URL, "postgresql://"):
		e, err = openPostgres(ctx, o.URL)
	default:
		err = errors.New("the database URL must begin with postgres://")
	}
	if err != nil {
		return nil, err
	}
	db := &DB{engine: e, observe: o.Observe}
	if primary, ok := e.(*postgresEngine); ok && o.ReplicaURL != "" {
		if db.replica, err = openReplica(ctx, o.ReplicaURL, primary.pool, o.ReplicaLag); err != nil {
			return nil, errors.Join(err, e.close())
		}
	}
	if o.Existing {
		if _, err := db.applied(ctx); err != nil { // it has no tables, or does not respond
			return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoDatabase, err), db.Close())
		}
	}
	return db, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Read runs fn with a Tx for reading. Each statement sees the latest commit.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	defer db.measure("read")()
	return db.engine.read(ctx, fn)
}

// measure begins to measure an operation, until the function that it returns is called.
func (db *DB) measure(operation string) func() {
	if db.observe == nil {
		return func() {}
	}
	began := time.Now()
	return func() { db.observe(operation, time.Since(began)) }
}

// Snapshot runs fn with a Tx for reading whose statements all see the same
// state of the database.
func (db *DB) Snapshot(ctx context.Context, fn func(*Tx) error) error {
	defer db.measure("snapshot")()
	return db.engine.snapshot(ctx, fn)
}

// SnapshotBehind is Snapshot for lists and charts that may be a few seconds old, and that are
// not read to see a change that the reader has made. It reads from the replica, where there is
// one that is close enough behind, and otherwise, or when that fails, from the database itself:
// fn may run more than once.
func (db *DB) SnapshotBehind(ctx context.Context, fn func(*Tx) error) error {
	if !db.replica.isFit() {
		return db.Snapshot(ctx, fn)
	}
	measured := db.measure("replica")
	retry, err := db.replica.snapshot(ctx, fn)
	if measured(); retry {
		return db.Snapshot(ctx, fn)
	}
	return err
}

// ReplicaLag is how far the replica is behind. It reports false while no replica is used.
func (db *DB) ReplicaLag() (time.Duration, bool) {
	if !db.replica.isFit() {
		return 0, false
	}
	return time.Duration(db.replica.lag.Load()), true
}

// Write runs fn in a transaction. It returns when the change is durable, or
// with fn's error when nothing was changed. When ctx ends while the change is being
// committed, the outcome is waited for. fn may run more than once, and may find other
// data each time. Calls must not be nested.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return db.write(ctx, plain, fn)
}

// WriteDeletion is Write for a change that deletes or ends something. On a SQLite file whose
// disk is full it has the space that is reserved for it.
func (db *DB) WriteDeletion(ctx context.Context, fn func(*Tx) error) error {
	return db.write(ctx, deletion, fn)
}

// WriteUnsynced is Write for a change that need not be on the disk when it returns. Like
// any other the change is seen by all from then on and survives the end of the process;
// a power cut within the next syncDelay may undo it, with all that was written without a
// sync after it. Only SQLite makes the difference.
func (db *DB) WriteUnsynced(ctx context.Context, fn func(*Tx) error) error {
	return db.write(ctx, unsynced, fn)
}

func (db *DB) write(ctx context.Context, kind writeKind, fn func(*Tx) error) error {
	defer db.measure("write")()
	db.changes.Add(1)
	defer db.changes.Add(-1)
	return db.engine.write(ctx, kind, fn)
}

// Changes is how many changes of this process wait for the database or are under way.
func (db *DB) Changes() int64 { return db.changes.Load() }

// OnLost sets a function that is called when the connection to PostgreSQL is lost while a change is committed. Write
// returns an outage then, and calls no function that Tx.OnCommit has taken, but the change may be there: what should be
// known of it must be read again. It must be set before the first Write of another goroutine.
func (db *DB) OnLost(f func()) {
	if e, ok := db.engine.(*postgresEngine); ok {
		e.lost = f
	}
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return db.Read(ctx, func(tx *Tx) error {
		var one int64
		return tx.Row("SELECT 1").Scan(&one)
	})
}

// Close waits for running changes and closes the database.
func (db *DB) Close() error {
	db.replica.close()
	return db.engine.close()
}
