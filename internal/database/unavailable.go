package database

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"
)

// unavailable marks an error of the database that says nothing about the
// statement: the same statement may succeed once the database is back.
func unavailable(part string, err error) error {
	return &atelier.UnavailableError{Part: part, Err: err}
}

// postgresOutage marks errors that mean PostgreSQL cannot be used now.
func postgresOutage(err error) error {
	var (
		marked  *atelier.UnavailableError
		refused *pgconn.PgError
		connect *pgconn.ConnectError
		network net.Error
	)
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.As(err, &marked):
		return err
	case errors.As(err, &refused):
		return postgresRefusal(refused, err)
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, pgconn.ErrConnClosed),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.DeadlineExceeded):
		return unavailable(atelier.PartDatabase, err)
	}
	return err
}

// postgresRefusal classifies an error of the server by the class of its SQLSTATE.
func postgresRefusal(refused *pgconn.PgError, err error) error {
	switch {
	case refused.Code == "53100": // disk_full
		return unavailable(atelier.PartStorage, err)
	case strings.HasPrefix(refused.Code, "08"), // connection_exception
		strings.HasPrefix(refused.Code, "53"),  // insufficient_resources, too_many_connections
		strings.HasPrefix(refused.Code, "57P"), // shutting down, starting up
		strings.HasPrefix(refused.Code, "58"),  // system_error, io_error
		strings.HasPrefix(refused.Code, "40"),  // still in conflict with other transactions after every attempt
		refused.Code == "25P03",                // idle_in_transaction_session_timeout
		refused.Code == "25006":                // read_only_sql_transaction: a standby
		return unavailable(atelier.PartDatabase, err)
	}
	return err
}

// sqliteOutage marks errors that mean the SQLite file cannot be used now.
func sqliteOutage(err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull:
		return unavailable(atelier.PartStorage, err)
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultReadOnly, sqlite.ResultNoMem:
		return unavailable(atelier.PartDatabase, err)
	}
	return err
}

// waitedFor is the error of a caller that waited for the database until ctx ended.
func waitedFor(ctx context.Context) error {
	err := ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) {
		return unavailable(atelier.PartDatabase, err)
	}
	return err // the caller left
}
