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
	step     = 128 << 20 // bytes by which an account grows
)

func newBudget(bytes int64, slots int) *budget {
	b := &budget{share: bytes / 2 / int64(slots)}
	b.share = min(b.share, maxChild)
	b.rest = bytes - b.share*int64(slots)
	b.most = min(b.share+b.rest, maxChild)
	return b
}

// account is what one child may have.
type account struct {
	budget *budget
	size   int64 // bytes
	told   int64 // bytes that the child knows of
}

// open gives a child its share.
func (b *budget) open() *account {
	return &account{budget: b, size: b.share, told: b.share}
}

// close gives back what was taken.
func (a *account) close() {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.budget.rest += a.size - a.budget.share
	a.size = a.budget.share
}

// cover makes room for a child that has so much memory, before it is short of
// it. It reports whether what the child has is covered.
func (a *account) cover(used int64) bool {
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	for used > a.size/5*4 {
		more := min(step, b.rest, b.most-a.size)
		if more <= 0 {
			break
		}
		b.rest -= more
		a.size += more
	}
	return used <= a.size
}

// grown reports whether there is more than the child knows of, and takes it as
// told.
func (a *account) grown() bool {
	more := a.size > a.told
	a.told = a.size
	return more
}

// defaultMemory is what a machine is taken to have that does not say.
const defaultMemory = 8 << 30
