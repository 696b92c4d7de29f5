package node

import (
	"context"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/operator"
)

// sample takes a sample for the history of the installation now, and in the last second of every
// minute, so that it has what happened in that minute, until ctx ends.
func (n *Node) sample(ctx context.Context) {
	for {
		if err := n.Operators.Sample(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("take sample failed", "error", err)
		}
		now := n.now()
		next := now.Add(time.Second).Truncate(operator.SampleInterval).Add(operator.SampleInterval - time.Second)
		if !clock.Sleep(ctx, next.Sub(now)) {
			return
		}
	}
}
