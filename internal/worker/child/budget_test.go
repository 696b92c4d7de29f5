package child

import (
	"testing"
	"time"
)

const mb = 1 << 20

// A slot always has its share. What a child takes beyond it comes from the shared
// half, and is returned.
func TestMemoryBudget(t *testing.T) {
	t.Parallel()
	b := newBudget(2000*mb, 4)
	if b.share != 250*mb || b.rest != 1000*mb || b.most != 1250*mb {
		t.Fatalf("budget %+v", b)
	}
	first, second := b.open(), b.open()
	if !first.cover(100*mb) || first.size != b.share || first.grown() {
		t.Errorf("a child that needs little has %d MB", first.size/mb)
	}
	if !first.cover(1200*mb) || first.size != b.most || !first.grown() || first.grown() {
		t.Errorf("a child that needs much has %d MB", first.size/mb)
	}
	if first.cover(1251 * mb) {
		t.Error("a child has more than one may have")
	}
	if !second.cover(250*mb) || second.cover(251*mb) {
		t.Errorf("a child beside it has %d MB, want its share", second.size/mb)
	}
	first.close()
	if !second.cover(251*mb) || b.rest >= 1000*mb {
		t.Errorf("what was given back cannot be taken: %d MB are left", b.rest/mb)
	}
	second.close()
	if b.rest != 1000*mb {
		t.Errorf("%d MB are left in the end", b.rest/mb)
	}
	if huge := newBudget(1<<40, 8); huge.share != maxChild || huge.most != maxChild {
		t.Errorf("a child may have %d MB of a huge machine", huge.most/mb)
	}
}

// The longer a child has run, the lower its priority; it never rises again.
func TestPriorities(t *testing.T) {
	t.Parallel()
	level := levelAfter(-1, 0)
	for _, c := range []struct {
		used time.Duration
		nice int
	}{{time.Second, 5}, {6 * time.Second, 10}, {time.Second, 10}, {21 * time.Second, 19}, {time.Hour, 19}} {
		level = levelAfter(level, c.used)
		if got := levels[level].nice; got != c.nice {
			t.Errorf("after %s: niceness %d, want %d", c.used, got, c.nice)
		}
	}
}
