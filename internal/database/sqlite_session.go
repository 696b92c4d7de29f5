package database

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"zombiezen.com/go/sqlite"
)

// sqliteSession is one connection with its prepared statements.
type sqliteSession struct {
	conn       *sqlite.Conn
	statements map[string]*sqliteStatement
	isOpen     bool // the writer is in a transaction
}

// isOver reports whether SQLite itself has ended the transaction of the writer: after some errors, such as a full
// disk, it undoes all of it.
func (s *sqliteSession) isOver() bool { return s.isOpen && s.conn.AutocommitEnabled() }

// errOver is the error of a statement behind one that has ended the transaction. It would be committed alone.
var errOver = unavailable(atelier.PartDatabase, errors.New("database: the transaction is over"))

// sqliteStatement is a prepared statement. SQLite numbers parameters in the order in
// which they first appear in the text; places maps $N to that number.
type sqliteStatement struct {
	*sqlite.Stmt
	places []int
}

// prepare finds the statement of a text, with its parameters bound.
func (s *sqliteSession) prepare(text string, args []any) (*sqliteStatement, error) {
	if s.isOver() {
		return nil, errOver
	}
	stmt, ok := s.statements[text]
	if !ok {
		prepared, err := s.conn.Prepare(text)
		if err != nil {
			return nil, err
		}
		stmt = &sqliteStatement{Stmt: prepared, places: make([]int, prepared.BindParamCount())}
		for place := 1; place <= len(stmt.places); place++ {
			name := prepared.BindParamName(place)
			n, err := strconv.Atoi(name[min(1, len(name)):])
			if err != nil || n < 1 || n > len(stmt.places) {
				return nil, fmt.Errorf("database: the parameter %q is not a number from $1 on: %s", name, text)
			}
			stmt.places[n-1] = place
		}
		s.statements[text] = stmt
	}
	if len(args) != len(stmt.places) {
		return nil, fmt.Errorf("database: %d values for %d parameters: %s", len(args), len(stmt.places), text)
	}
	for i, arg := range args {
		if err := stmt.bind(stmt.places[i], arg); err != nil {
			return nil, fmt.Errorf("database: $%d: %w: %s", i+1, err, text)
		}
	}
	return stmt, nil
}

func (s *sqliteStatement) bind(place int, value any) error {
	switch v := value.(type) {
	case string:
		s.BindText(place, v)
	case int64:
		s.BindInt64(place, v)
	case int:
		s.BindInt64(place, int64(v))
	case bool:
		s.BindBool(place, v)
	case float64:
		s.BindFloat(place, v)
	default:
		return fmt.Errorf("a %T cannot be stored", value)
	}
	return nil
}

func (s *sqliteSession) exec(_ context.Context, text string, args []any) (int64, error) {
	stmt, err := s.prepare(text, args)
	if err != nil {
		return 0, sqliteError(err)
	}
	for more := true; more; {
		if more, err = stmt.Step(); err != nil {
			return 0, sqliteError(err)
		}
	}
	changed := int64(s.conn.Changes())
	return changed, sqliteError(stmt.Reset())
}

func (s *sqliteSession) query(_ context.Context, text string, args []any, each func(scan func(...any) error) error) error {
	stmt, err := s.prepare(text, args)
	if err != nil {
		return sqliteError(err)
	}
	isOver := false
	defer func() {
		if !isOver { // each has failed or panicked: the statement would keep its view of the file
			_ = stmt.Reset()
		}
	}()
	scan := func(dest ...any) error { return stmt.scan(dest) }
	for {
		more, err := stmt.Step()
		if err != nil {
			return sqliteError(err)
		}
		if !more {
			isOver = true
			return sqliteError(stmt.Reset())
		}
		if err := each(scan); err != nil {
			return err
		}
	}
}

// pipeline runs statements one by one: nothing is gained by more.
func (s *sqliteSession) pipeline(ctx context.Context, list []statement) (int, error) {
	for i, st := range list {
		var (
			rows int64
			err  error
		)
		if st.each != nil {
			err = s.query(ctx, st.sql, st.args, st.each)
		} else {
			rows, err = s.exec(ctx, st.sql, st.args)
		}
		if err == nil {
			err = st.finish(rows)
		}
		if err != nil {
			return i, err
		}
	}
	return len(list), nil
}

// scan fills in the columns of the row that the statement is at.
func (s *sqliteStatement) scan(dest []any) error {
	if len(dest) != s.ColumnCount() {
		return fmt.Errorf("database: a row of %d columns for %d values", s.ColumnCount(), len(dest))
	}
	for i, d := range dest {
		switch d := d.(type) {
		case *string:
			*d = s.ColumnText(i)
		case *int64:
			*d = s.ColumnInt64(i)
		case *int:
			*d = int(s.ColumnInt64(i))
		case *bool:
			*d = s.ColumnInt64(i) != 0
		case *float64:
			*d = s.ColumnFloat(i)
		default: // a named type
			v := reflect.ValueOf(d).Elem()
			switch v.Kind() {
			case reflect.String:
				v.SetString(s.ColumnText(i))
			case reflect.Int, reflect.Int64:
				v.SetInt(s.ColumnInt64(i))
			default:
				return fmt.Errorf("database: a column cannot be read into a %T", d)
			}
		}
	}
	return nil
}

// pragma runs a PRAGMA. Some take effect while they are prepared, so it is prepared
// for each call.
func (s *sqliteSession) pragma(text string) error {
	stmt, _, err := s.conn.PrepareTransient(text)
	if err != nil {
		return sqliteError(err)
	}
	for more := true; more && err == nil; {
		more, err = stmt.Step()
	}
	return sqliteError(errors.Join(err, stmt.Finalize()))
}

// retryWhileLocked is pragma with retries while other processes open or close the
// file. Switching to WAL needs exclusive access, for which SQLite does not wait.
func (s *sqliteSession) retryWhileLocked(text string) error {
	for deadline := time.Now().Add(busyTimeout); ; time.Sleep(busyPause) {
		err := s.pragma(text)
		if sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy || time.Now().After(deadline) {
			return err
		}
	}
}

// busyPause is the time between two retries.
const busyPause = 5 * time.Millisecond

func (s *sqliteSession) close() {
	_ = s.conn.Close() // it finalizes the statements too
}

func sqliteError(err error) error {
	if err == nil {
		return nil
	}
	switch sqlite.ErrCode(err) {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintRowID:
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	return sqliteOutage(err)
}

var _ session = (*sqliteSession)(nil)
