package database

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// replica is a standby of a PostgreSQL, for reads that need not see the latest commit. How far it is behind is not
// taken from its clock, nor from when it last replayed something, which says nothing while nothing is written: every
// second the position of the log of the primary is noted, and the replica is as far behind as the newest position is
// old that it has replayed.
type replica struct {
	pool    *pgxpool.Pool
	primary *pgxpool.Pool
	bound   time.Duration
	lag     atomic.Int64 // in nanoseconds; unfit while it is not to be used
	rests   atomic.Int64 // until when it is left alone, whatever its lag, in nanoseconds of Unix time
	end     context.CancelFunc
	ended   sync.WaitGroup

	marks []mark // positions of the primary, the oldest first
}

// mark is where the log of the primary was at a time.
type mark struct {
	at       time.Time
	position int64
}

const (
	unfit = int64(-1)

	// looksEvery is how often the positions are compared, and patience how long an answer is waited for.
	looksEvery = time.Second
	patience   = 2 * time.Second

	// readTime is how long a read is waited for, and rest how long the replica is left alone when one took longer.
	readTime = 5 * time.Second
	rest     = 30 * time.Second
)

// openReplica begins to watch a standby. It need not be there yet.
func openReplica(ctx context.Context, url string, primary *pgxpool.Pool, bound time.Duration) (*replica, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database_replica_url is not valid: %w", err)
	}
	config.ConnConfig.ConnectTimeout = patience
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	r := &replica{pool: pool, primary: primary, bound: bound}
	r.lag.Store(unfit)
	watching, end := context.WithCancel(context.WithoutCancel(ctx))
	r.end = end
	r.look(watching)
	r.ended.Go(func() { r.watch(watching) })
	return r, nil
}

// watch looks how far behind the replica is, until ctx ends.
func (r *replica) watch(ctx context.Context) {
	ticks := time.NewTicker(looksEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			r.look(ctx)
		}
	}
}

// look decides whether the replica is used until the next look.
func (r *replica) look(ctx context.Context) {
	lag, err := r.measure(ctx)
	if err != nil || lag > r.bound {
		r.lag.Store(unfit)
		return
	}
	r.lag.Store(int64(lag))
}

var errNoStandby = errors.New("it is no standby of the primary")

// measure is how far behind the replica is.
func (r *replica) measure(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var (
		here, there mark
		system      [2]int64
		isStandby   bool
	)
	here.at = time.Now()
	err := r.primary.QueryRow(ctx, `SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint, (SELECT system_identifier FROM pg_control_system())`).Scan(&here.position, &system[0])
	if err == nil {
		r.marks = append(r.marks, here)
		err = r.pool.QueryRow(ctx, `SELECT pg_is_in_recovery(), COALESCE((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0), (SELECT system_identifier FROM pg_control_system())`).
			Scan(&isStandby, &there.position, &system[1])
	}
	if err == nil && (!isStandby || system[0] != system[1]) {
		err = errNoStandby
	}
	if len(r.marks) > mostMarks {
		r.marks = append(r.marks[:0], r.marks[len(r.marks)-mostMarks:]...)
	}
	if err != nil {
		return 0, err
	}
	for i := len(r.marks) - 1; i >= 0; i-- {
		if r.marks[i].position <= there.position {
			r.marks = append(r.marks[:0], r.marks[i:]...) // nothing before it is needed any more
			return time.Since(r.marks[0].at), nil
		}
	}
	return 0, errBehind
}

// mostMarks is how many positions are remembered: a replica that is further behind is not used.
const mostMarks = 600

var errBehind = errors.New("it is further behind than is remembered")

// isFit reports whether the replica answers and is close enough behind.
func (r *replica) isFit() bool {
	return r != nil && r.lag.Load() != unfit && time.Now().UnixNano() >= r.rests.Load()
}

// snapshot is that of an engine on the replica. Retry says that the primary has to be asked instead.
func (r *replica) snapshot(ctx context.Context, fn func(*Tx) error) (retry bool, err error) {
	e := &postgresEngine{pool: r.pool}
	bounded, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	err = e.snapshot(bounded, fn)
	var (
		away    *atelier.UnavailableError
		refused *pgconn.PgError
	)
	switch {
	case err == nil || ctx.Err() != nil:
		return false, err
	case bounded.Err() != nil: // it hangs, or is too slow
		r.rests.Store(time.Now().Add(rest).UnixNano())
		return true, err
	case errors.As(err, &away):
		r.lag.Store(unfit) // until the next look
		return true, err
	}
	return errors.As(err, &refused), err
}

func (r *replica) close() {
	if r == nil {
		return
	}
	r.end()
	r.ended.Wait()
	r.pool.Close()
}
