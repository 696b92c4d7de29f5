package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresEngine is a PostgreSQL database, shared by any number of nodes.
type postgresEngine struct {
	pool *pgxpool.Pool
}

// connectTimeout bounds the first connection, so that the start fails with a message
// when the address is wrong.
const connectTimeout = 10 * time.Second

func openPostgres(ctx context.Context, url string) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not valid: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("cannot reach the database: %w", err)
	}
	return &postgresEngine{pool}, nil
}

func (e *postgresEngine) read(ctx context.Context, fn func(*Tx) error) error {
	return fn(&Tx{ctx: ctx, session: postgresSession{e.pool}, Dialect: postgresDialect})
}

func (e *postgresEngine) snapshot(ctx context.Context, fn func(*Tx) error) error {
	var own error
	err := pgx.BeginTxFunc(ctx, e.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(ptx pgx.Tx) error {
		own = fn(&Tx{ctx: ctx, session: postgresSession{ptx}, Dialect: postgresDialect})
		return own
	})
	if own != nil {
		return err
	}
	return postgresError(err)
}

// write runs fn until it commits or fn returns an error. When two changes
// lock the same rows in different order, PostgreSQL aborts one; that one runs again.
func (e *postgresEngine) write(ctx context.Context, _ writeKind, fn func(*Tx) error) error {
	for attempt := 1; ; attempt++ {
		var (
			tx  *Tx
			own error // the error of fn, whose statements have classified theirs already
		)
		err := pgx.BeginTxFunc(ctx, e.pool, pgx.TxOptions{}, func(ptx pgx.Tx) error {
			tx = &Tx{ctx: ctx, session: postgresSession{ptx}, Dialect: postgresDialect}
			own = guarded(fn, tx)
			return own
		})
		if err == nil {
			tx.committed()
			return nil
		}
		switch {
		case attempt < maxAttempts && mayRetry(err):
		case own != nil:
			return err
		default:
			return postgresError(err)
		}
	}
}

const maxAttempts = 10

func mayRetry(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

func (e *postgresEngine) close() error {
	e.pool.Close()
	return nil
}

// postgresQuerier is the part of a pool and of a transaction that runs
// statements.
type postgresQuerier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

type postgresSession struct{ q postgresQuerier }

func (s postgresSession) exec(ctx context.Context, sql string, args []any) (int64, error) {
	tag, err := s.q.Exec(ctx, sql, args...)
	return tag.RowsAffected(), postgresError(err)
}

func (s postgresSession) query(ctx context.Context, sql string, args []any, each func(scan func(...any) error) error) error {
	rows, err := s.q.Query(ctx, sql, args...)
	if err != nil {
		return postgresError(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return postgresError(rows.Err())
}

func postgresError(err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "23505" && !errors.Is(err, ErrExists) {
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	return postgresOutage(err)
}
