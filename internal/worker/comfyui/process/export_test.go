package process

import (
	"time"

	"github.com/atelier-project/atelier/internal/clock"
)

// Split is split.
var Split = split

// WaitAfter is waitAfter.
func (o *Options) WaitAfter(pause *clock.Backoff, ran time.Duration) time.Duration {
	return o.waitAfter(pause, ran)
}
