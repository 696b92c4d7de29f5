package fleet

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
)

// RemoveSilent records which workers were seen and removes the others, now.
func (e *Engine) RemoveSilent(ctx context.Context) error { return e.presence.write(ctx) }

// ReadChanged reads the workers that have changed. The function that it returns takes them
// over.
func (e *Engine) ReadChanged(ctx context.Context) (apply func() bool, err error) {
	return e.presence.readChanged(ctx)
}

// NextOffers is how long the watch over queued jobs sleeps.
func (e *Engine) NextOffers(ctx context.Context) (time.Duration, error) { return e.nextOffers(ctx) }

// MatchTogether has claims of workers of the fast network matched in one transaction. It
// returns the part of each one's job; empty when it got none.
func (e *Engine) MatchTogether(ctx context.Context, ids ...atelier.WorkerID) ([]string, error) {
	var group []*waiter
	for _, id := range ids {
		group = append(group, &waiter{worker: atelier.Worker{ID: id}})
	}
	given, err := e.dispatchers[atelier.NetworkFast].match(ctx, group)
	parts := make([]string, len(group))
	for i, w := range group {
		if j := given[w]; j != nil {
			parts[i] = j.Owner.Part
		}
	}
	return parts, err
}

// CountQueue counts the jobs that wait for a worker, and those that workers hold.
func (e *Engine) CountQueue() (waiting, running int) { return e.countQueue() }

// AdoptOffers has the workers that are connected go by the configuration of this node, as Run does.
func (e *Engine) AdoptOffers(ctx context.Context) error { return e.adoptOffers(ctx) }
