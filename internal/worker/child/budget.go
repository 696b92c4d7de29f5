package child

import "sync"

// budget is the memory that all children share. Half of it is set aside for the
// slots, the same for each, so that a render that needs little always has it. A
// child that needs more takes from the other half, as long as there is any.
type budget struct {
	share int64 // of each slot
	most  int64 // that one child may have

	mu   sync.Mutex
	rest int64 // of the half that is taken from
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

// quota is what one child may have.
type quota struct {
	budget    *budget
	size      int64 // bytes
	announced int64 // bytes that the child knows of
}

// open gives a child its share.
func (b *budget) open() *quota {
	return &quota{budget: b, size: b.share, announced: b.share}
}

// close gives back what was taken.
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

// grown reports whether the quota is more than the child knows of. The caller
// announces it.
func (q *quota) grown() bool {
	more := q.size > q.announced
	q.announced = q.size
	return more
}

// defaultMemory is what a machine is taken to have that does not say.
const defaultMemory = 8 << 30
