package database

import (
	"context"
	"errors"
	"fmt"
	neturl "net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// sqliteEngine is a SQLite file: one writer, and readers beside it.
type sqliteEngine struct {
	path    string
	frozen  bool // no process changes the file
	readers *readers
	writer  *groupWriter
	lock    *os.File // of a server; nil for others
	fail    func(Moment) error
}

// pragmas are set on every connection. WAL lets readers work beside the writer; FULL
// makes a commit survive a power cut. The log may grow to 16 MB before it is
// checkpointed, so that a page that changes often is written back once.
var pragmas = []string{
	"journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY", "cache_size = -4000", "wal_autocheckpoint = 4000",
}

// busyTimeout is how long another process, such as the command line, may hold
// the file.
const busyTimeout = 10 * time.Second

func openSQLite(o Options) (e *sqliteEngine, err error) {
	if !o.ReadOnly {
		if err := prepareFile(o.Path); err != nil {
			return nil, err
		}
		o.Path = realPath(o.Path)
	}
	var lock *os.File
	if o.Server {
		if lock, err = LockServer(o.Path); err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				lock.Close()
			}
		}()
	}
	e = &sqliteEngine{path: o.Path, frozen: o.ReadOnly, lock: lock, fail: o.Fail, readers: newReaders(max(4, 2*runtime.GOMAXPROCS(0)))}
	r := &reserve{path: o.Path + "-reserve", size: o.Reserve}
	session, err := e.connect()
	if err != nil && r.release() { // it needs space for its companion files
		session, err = e.connect()
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", o.Path, err)
	}
	if o.NoSync {
		if err := session.pragma("PRAGMA synchronous = OFF"); err != nil {
			session.close()
			return nil, err
		}
	}
	r.fill()
	e.writer = newGroupWriter(session, o, r)
	return e, nil
}

// prepareFile makes the file unless it is there. SQLite would make it readable to all; its companion
// files copy its mode.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// realPath is the path of a file without symbolic links. SQLite makes the companion files of a file beside that.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path // it is not there yet
}

// ErrInUse says that a server has a SQLite file.
var ErrInUse = errors.New("another server uses")

// LockServer keeps servers from a SQLite file until the lock is closed. It locks a file beside
// it: closing the database file itself would release the locks of SQLite.
func LockServer(path string) (*os.File, error) {
	lock, err := lockFile(realPath(path) + ".lock")
	if err == nil && lock == nil {
		err = fmt.Errorf("%w %s: stop it, or give this one its own data_dir; several servers can share a PostgreSQL (database_url)", ErrInUse, path)
	}
	return lock, err
}

func (e *sqliteEngine) connect() (*sqliteSession, error) {
	if e.frozen {
		return openFrozen(e.path)
	}
	conn, err := sqlite.OpenConn(e.path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	s := &sqliteSession{conn: conn, statements: map[string]*sqliteStatement{}}
	for _, pragma := range pragmas {
		if err := s.retryWhileLocked("PRAGMA " + pragma); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// openFrozen opens a file that no process changes, without companion files beside it.
func openFrozen(path string) (*sqliteSession, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	uri := neturl.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(full), "/"), RawQuery: "immutable=1"}
	conn, err := sqlite.OpenConn(uri.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	return &sqliteSession{conn: conn, statements: map[string]*sqliteStatement{}}, nil
}

func (e *sqliteEngine) read(ctx context.Context, fn func(*Tx) error) error {
	return e.withReader(ctx, fn)
}

func (e *sqliteEngine) snapshot(ctx context.Context, fn func(*Tx) error) error {
	return e.withReader(ctx, func(tx *Tx) (err error) {
		if _, err := tx.Exec("BEGIN DEFERRED"); err != nil {
			return err
		}
		defer func() { // also when fn panics: the connection returns to the pool
			_, end := tx.session.exec(tx.ctx, "ROLLBACK", nil)
			err = errors.Join(err, end)
		}()
		return tx.end(fn(tx))
	})
}

func (e *sqliteEngine) withReader(ctx context.Context, fn func(*Tx) error) error {
	if err := failure(e.fail, BeforeRead); err != nil {
		return err
	}
	session, err := e.readers.take(ctx)
	if err != nil {
		return err
	}
	defer func() { e.readers.give(session) }()
	if session == nil {
		if session, err = e.connect(); err != nil {
			return sqliteError(err)
		}
	}
	tx := &Tx{ctx: background, session: session, Dialect: sqliteDialect}
	return tx.end(fn(tx))
}

func (e *sqliteEngine) write(ctx context.Context, kind writeKind, fn func(*Tx) error) error {
	return e.writer.write(ctx, kind, fn)
}

func (e *sqliteEngine) close() error {
	e.writer.close()
	for range e.readers.all {
		if session, _ := e.readers.take(background); session != nil { // it waits until each is free
			session.close()
		}
	}
	if e.lock != nil {
		return e.lock.Close()
	}
	return nil
}

// background is the context of every SQLite statement: they are short, and
// nothing interrupts them.
var background = context.Background()
