package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresEngine is a PostgreSQL database, shared by any number of nodes.
type postgresEngine struct {
	pool *pgxpool.Pool
	lost func() // see DB.OnLost; nil when no one is told
}

// connectTimeout bounds the first connection, so that the start fails with a message
// when the address is wrong.
const connectTimeout = 10 * time.Second

func openPostgres(ctx context.Context, url string) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not valid: %w", err)
	}
	config.AfterConnect = limitIdle
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
	return &postgresEngine{pool: pool}, nil
}

// limitIdle has PostgreSQL end a transaction that has waited for its next statement for a minute, unless another
// limit is set. A machine that disappears within one would keep its locks until the network notices, which can take
// hours.
func limitIdle(ctx context.Context, conn *pgx.Conn) error {
	const setting = "idle_in_transaction_session_timeout"
	_, err := conn.Exec(ctx, "SELECT set_config($1, '1min', false) WHERE current_setting($1) = '0'", setting)
	return err
}

func (e *postgresEngine) read(ctx context.Context, fn func(*Tx) error) error {
	tx := &Tx{ctx: ctx, session: postgresSession{e.pool}, Dialect: postgresDialect}
	return tx.end(fn(tx))
}

func (e *postgresEngine) snapshot(ctx context.Context, fn func(*Tx) error) error {
	_, err := e.transaction(ctx, "begin isolation level repeatable read read only", fn)
	return err
}

// write runs fn until it commits or fn returns an error. When two changes
// lock the same rows in different order, PostgreSQL aborts one; that one runs again.
func (e *postgresEngine) write(ctx context.Context, _ writeKind, fn func(*Tx) error) error {
	for attempt := 1; ; attempt++ {
		tx, err := e.transaction(ctx, "begin", func(tx *Tx) error { return guarded(fn, tx) })
		if err == nil {
			tx.committed()
			return nil
		}
		if tx != nil && tx.isLost && e.lost != nil {
			e.lost()
		}
		if attempt == maxAttempts || !mayRetry(err) {
			return err
		}
	}
}

// transaction runs fn in a transaction. It begins with the first statement that is waited for,
// and ends with the last of those that Later has taken: neither is a separate round trip.
func (e *postgresEngine) transaction(ctx context.Context, begin string, fn func(*Tx) error) (_ *Tx, err error) {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, postgresError(err)
	}
	defer conn.Release() // which closes it, should the transaction still be open
	isOpen := func() bool { return conn.Conn().PgConn().TxStatus() != 'I' }
	tx := &Tx{ctx: ctx, session: postgresSession{conn}, Dialect: postgresDialect}
	tx.Later(begin)
	err = fn(tx)
	if err == nil && tx.failed == nil {
		if len(tx.queue) == 1 && tx.queue[0].sql == begin {
			return tx, nil // it has run no statement
		}
		if slices.ContainsFunc(tx.queue, statement.isJudged) {
			err = tx.Flush()
		}
		var end context.CancelFunc
		tx.ctx, end = outlast(ctx, commitTimeout)
		defer end()
		tx.Later(commit)
		defer func() { tx.isLost = atelier.IsOutage(err) && !mayRetry(err) }() // it may be written all the same
	}
	if err = tx.end(err); err != nil && isOpen() {
		_, _ = conn.Exec(ctx, "rollback")
	}
	return tx, err
}

const commit = "commit"

// commitTimeout is how long a commit is waited for when the caller has left: "cancelled" would not tell whether it
// was written.
const commitTimeout = 10 * time.Second

// outlast is a context that ends some time after another.
func outlast(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(by, cancel) })
	return longer, func() { stop(); cancel() }
}

const maxAttempts = 10

func mayRetry(err error) bool {
	var e *pgconn.PgError
	return errors.Is(err, errTaken) || errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

func (e *postgresEngine) close() error {
	e.pool.Close()
	return nil
}

// postgresQuerier is the part of a pool and of a connection that runs statements.
type postgresQuerier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
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
	return readAll(rows, each)
}

func readAll(rows pgx.Rows, each func(scan func(...any) error) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return postgresError(rows.Err())
}

// pipeline sends all statements at once. PostgreSQL skips those behind one that fails.
func (s postgresSession) pipeline(ctx context.Context, list []statement) (done int, err error) {
	batch := &pgx.Batch{}
	for _, st := range list {
		batch.Queue(st.text(), st.args...)
	}
	results := s.q.SendBatch(ctx, batch)
	for _, st := range list {
		if err = st.read(results); err != nil {
			break
		}
		done++
	}
	if end := results.Close(); err == nil {
		err = postgresError(end)
	}
	return done, err
}

// text is a statement as PostgreSQL gets it. One that has to change a row is one that fails there
// otherwise, so that a commit behind it is skipped.
func (st statement) text() string {
	if !st.isMust {
		return st.sql
	}
	return `WITH changed AS (` + st.sql + ` RETURNING 1) SELECT 1 / CASE COUNT(*) WHEN 1 THEN 1 ELSE 0 END FROM changed`
}

const divisionByZero = "22012"

// read reads the result of a statement of a batch.
func (st statement) read(results pgx.BatchResults) error {
	if st.each != nil {
		rows, err := results.Query()
		if err != nil {
			return postgresError(err)
		}
		if err := readAll(rows, st.each); err != nil {
			return err
		}
		return st.finish(0)
	}
	tag, err := results.Exec()
	var refused *pgconn.PgError
	if st.isMust && errors.As(err, &refused) && refused.Code == divisionByZero {
		return ErrNotFound
	}
	if err = postgresError(err); st.repeats && errors.Is(err, ErrExists) {
		return fmt.Errorf("%w: %w", errTaken, err)
	}
	if err != nil {
		return err
	}
	if st.sql == commit && tag.String() != "COMMIT" { // a statement has failed, and its error was ignored
		return pgx.ErrTxCommitRollback
	}
	return st.finish(tag.RowsAffected()) // of a statement that must: the row of its check
}

func postgresError(err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "23505" && !errors.Is(err, ErrExists) {
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	return postgresOutage(err)
}
