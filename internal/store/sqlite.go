package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteEngine is a SQLite file: one writer, and readers beside it.
type sqliteEngine struct {
	pool    *sql.DB
	readers chan *sqliteSession // idle readers; a nil one is yet to be opened
	writer  *groupWriter
}

// pragmas are set on every connection. WAL lets readers go on beside the
// writer; FULL makes a commit survive a power cut; the wait is for another
// process, such as the command line, that holds the file. The log may grow to
// 16 MB before it is written back: pages that change all the time are then
// written back once and not a hundred times.
var pragmas = []string{
	"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "temp_store(MEMORY)", "cache_size(-4000)", "wal_autocheckpoint(4000)",
}

func openSQLite(o Options) (*sqliteEngine, error) {
	path := o.Path
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// SQLite would make the file readable to all; its companions take after it.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	file.Close()
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	pool, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	e := &sqliteEngine{pool: pool, readers: make(chan *sqliteSession, max(4, 2*runtime.GOMAXPROCS(0)))}
	for range cap(e.readers) {
		e.readers <- nil
	}
	session, err := e.connect()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), pool.Close())
	}
	e.writer = newGroupWriter(session, o.GroupLimit, o.Crash)
	return e, nil
}

func (e *sqliteEngine) connect() (*sqliteSession, error) {
	conn, err := e.pool.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	return &sqliteSession{conn: conn, statements: map[string]*sql.Stmt{}}, nil
}

func (e *sqliteEngine) dialect() dialect { return sqliteDialect }

func (e *sqliteEngine) read(ctx context.Context, fn func(*Tx) error) error {
	return e.withReader(ctx, fn)
}

func (e *sqliteEngine) snapshot(ctx context.Context, fn func(*Tx) error) error {
	return e.withReader(ctx, func(tx *Tx) (err error) {
		if _, err := tx.exec("BEGIN DEFERRED"); err != nil {
			return err
		}
		defer func() { // also when fn panics: the connection goes back to the others
			_, end := tx.exec("ROLLBACK")
			err = errors.Join(err, end)
		}()
		return fn(tx)
	})
}

func (e *sqliteEngine) withReader(ctx context.Context, fn func(*Tx) error) error {
	var session *sqliteSession
	select {
	case session = <-e.readers:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { e.readers <- session }()
	if session == nil {
		var err error
		if session, err = e.connect(); err != nil {
			return err
		}
	}
	return fn(&Tx{ctx: background, session: session, dialect: sqliteDialect})
}

func (e *sqliteEngine) write(ctx context.Context, fn func(*Tx) error) error {
	return e.writer.write(ctx, fn)
}

func (e *sqliteEngine) close() error {
	e.writer.close()
	for range cap(e.readers) {
		if session := <-e.readers; session != nil {
			session.close()
		}
	}
	return e.pool.Close()
}

// background is the context of every SQLite statement. Statements are short,
// and the driver spawns a goroutine for each one whose context can end.
var background = context.Background()

// sqliteSession is one connection with its prepared statements.
type sqliteSession struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

func (s *sqliteSession) prepare(text string) (*sql.Stmt, error) {
	if stmt, ok := s.statements[text]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(background, text)
	if err != nil {
		return nil, err
	}
	s.statements[text] = stmt
	return stmt, nil
}

func (s *sqliteSession) exec(ctx context.Context, text string, args []any) (int64, error) {
	stmt, err := s.prepare(text)
	if err != nil {
		return 0, sqliteError(err)
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, sqliteError(err)
	}
	return result.RowsAffected()
}

func (s *sqliteSession) query(ctx context.Context, text string, args []any, each func(scan func(...any) error) error) error {
	stmt, err := s.prepare(text)
	if err != nil {
		return sqliteError(err)
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return sqliteError(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return sqliteError(rows.Err())
}

func (s *sqliteSession) close() {
	for _, stmt := range s.statements {
		stmt.Close()
	}
	s.conn.Close()
}

func sqliteError(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && (e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY) {
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	return err
}
