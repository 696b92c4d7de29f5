package analytics

import (
	"context"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine counts and reads. It is safe for concurrent use.
type Engine struct {
	db   *store.DB
	now  func() time.Time
	wake chan struct{}
}

// New makes an engine. Records are counted while Run is running.
func New(db *store.DB, now func() time.Time) *Engine {
	return &Engine{db: db, now: now, wake: make(chan struct{}, 1)}
}

const (
	// countDelay is how long records are collected before they are counted together.
	countDelay = time.Second

	// countBatch is how many records are counted in one transaction, because other
	// writers wait for it.
	countBatch = 256
)

// Recorded tells the engine that there are records to count.
func (e *Engine) Recorded() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Run counts records until ctx ends: those that a process which died has left, and those
// of this node. It writes nothing while no work ends.
func (e *Engine) Run(ctx context.Context, failed func(error)) {
	e.Recorded()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		}
		if !clock.Sleep(ctx, countDelay) {
			return
		}
		if err := e.Count(ctx); err != nil && ctx.Err() == nil {
			failed(err)
			e.Recorded()
		}
	}
}

// Count adds all records to the counters. A power cut may undo it; then the records are
// counted again.
func (e *Engine) Count(ctx context.Context) error {
	isPending := false
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		isPending, err = tx.AnyPending()
		return err
	})
	for isPending && err == nil {
		err = e.db.Write(ctx, func(tx *store.Tx) error {
			n, err := tx.CountWork(countBatch)
			isPending = n >= countBatch
			return err
		})
	}
	return err
}
