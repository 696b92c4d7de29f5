package database

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Channel carries short texts between the processes that share a PostgreSQL, with LISTEN
// and NOTIFY. Nothing is kept: who does not listen misses them.
type Channel struct {
	pool *pgxpool.Pool
	name string
}

// Channel returns the channel of a name, or nil on SQLite.
func (db *DB) Channel(name string) *Channel {
	e, ok := db.engine.(*postgresEngine)
	if !ok {
		return nil
	}
	return &Channel{e.pool, name}
}

// Notify sends texts of less than 8000 bytes to all listeners. It does not wait for the
// disk: in PostgreSQL a notification is a transaction that would be synced otherwise.
func (c *Channel) Notify(ctx context.Context, texts ...string) error {
	_, err := c.pool.Exec(ctx, "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, t) FROM unnest($2::text[]) t", c.name, texts)
	return postgresError(err)
}

// Listener is a connection that receives what is sent on a channel.
type Listener struct {
	conn      *pgx.Conn
	heartbeat time.Duration
}

// Listen opens a connection and listens. A server that is silent for a heartbeat is asked
// whether it is there, and has as long again to answer.
func (c *Channel) Listen(ctx context.Context, heartbeat time.Duration) (*Listener, error) {
	conn, err := pgx.ConnectConfig(ctx, c.pool.Config().ConnConfig)
	if err != nil {
		return nil, postgresError(err)
	}
	l := &Listener{conn, heartbeat}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{c.name}.Sanitize()); err != nil {
		l.Close()
		return nil, postgresError(err)
	}
	return l, nil
}

// Next waits for the next text. After an error the listener must be closed.
func (l *Listener) Next(ctx context.Context) (string, error) {
	for {
		quiet, cancel := context.WithTimeout(ctx, l.heartbeat)
		n, err := l.conn.WaitForNotification(quiet)
		cancel()
		switch {
		case err == nil:
			return n.Payload, nil
		case ctx.Err() != nil:
			return "", ctx.Err()
		case !errors.Is(err, context.DeadlineExceeded):
			return "", postgresError(err)
		}
		answer, cancel := context.WithTimeout(ctx, l.heartbeat)
		err = l.conn.Ping(answer)
		cancel()
		if err != nil {
			return "", postgresError(err)
		}
	}
}

// Close closes the connection.
func (l *Listener) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), l.heartbeat)
	defer cancel()
	_ = l.conn.Close(ctx)
}
