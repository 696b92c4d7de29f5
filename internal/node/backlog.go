package node

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// mostChanges is how many changes of the database may wait or be under way on this node while it stores anything new. A
// database makes that number within a second or two; with more, all callers wait longer, and the memory of what waits
// grows. Work under way is not refused: workers still deliver, and what ends is settled.
const mostChanges = 5000

// checkBacklog refuses a request that stores something while too many changes wait, and then does as next.
func checkBacklog(changes func() int64, next func(endpoint.Storage) error) func(endpoint.Storage) error {
	return func(what endpoint.Storage) error {
		if changes() >= mostChanges {
			busy := atelier.Errorf(atelier.CodeCapacityFull, "The service is at capacity. Try again in some seconds.")
			busy.RetryAfter = 5 * time.Second
			return busy.With("retryAfterSeconds", 5)
		}
		return next(what)
	}
}
