package child

import "sync"

// budget is the memory that all children share. Half of it is divided equally among
// the slots, so that a small render always has enough. A child that needs more
// takes from the other half, while there is any.
type budget struct {
	share int64 // of each slot
	most  int64 // that one child may have

	mu   sync.Mutex
	rest int64 // left in the shared half
}

const (
	maxChild = 4 << 30   // bytes that one child may have
	step     = 128 << 20 // bytes by which a quota grows
)

func newBudget(bytes int64, slots int) *budget {
	b := &budget{share: bytes / 2 / int64(slots)}
	b.share = min(b.share, maxChild)
	b.rest = bytes - b.share*int64(slots)
	b.most = min(b.share+b.rest, maxChild)
	return b
}

// quota is the memory that one child may have.
type quota struct {
	budget    *budget
	size      int64 // bytes
	announced int64 // bytes that the child knows of
}

// open gives a child its share.
func (b *budget) open() *quota {
	return &quota{budget: b, size: b.share, announced: b.share}
}

// close returns what was taken.
func (q *quota) close() {
	q.budget.mu.Lock()
	defer q.budget.mu.Unlock()
	q.budget.rest += q.size - q.budget.share
	q.size = q.budget.share
}

// cover grows the quota of a child that uses so much memory, before it runs short.
// It reports whether the quota covers what the child uses.
func (q *quota) cover(used int64) bool {
	b := q.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	for used > q.size/5*4 {
		more := min(step, b.rest, b.most-q.size)
		if more <= 0 {
			break
		}
		b.rest -= more
		q.size += more
	}
	return used <= q.size
}

// grown reports whether the quota is more than was announced to the child. The
// caller announces it.
func (q *quota) grown() bool {
	more := q.size > q.announced
	q.announced = q.size
	return more
}

// defaultMemory is the assumed memory of a machine where it is unknown.
const defaultMemory = 8 << 30
