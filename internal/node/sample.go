package node

import (
	"context"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/operator"
)

// sample takes a sample for the history of the installation now, in the last second of every
// minute, so that it has what happened in that minute, and when ctx ends, with what came after
// the one before.
func (n *Node) sample(ctx context.Context) {
	for take := n.Operators.SampleCounts; n.takeSample(ctx, take); take = n.Operators.Sample {
		now := n.now()
		next := now.Add(time.Second).Truncate(operator.SampleInterval).Add(operator.SampleInterval - time.Second)
		clock.Sleep(ctx, next.Sub(now))
	}
}

// lastSample is how long the last sample may take: a database that does not answer must not hold a shutdown up.
const lastSample = 2 * time.Second

// takeSample takes one sample. It reports false when it was the last.
func (n *Node) takeSample(ctx context.Context, take func(context.Context) error) bool {
	isLast := ctx.Err() != nil
	if isLast {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lastSample)
		defer cancel()
		take = n.Operators.SampleCounts
	}
	if err := take(ctx); err != nil && ctx.Err() == nil {
		n.log.Warn("take sample failed", "error", err)
	}
	return !isLast
}
