package journal

import (
	"testing"

	"github.com/atelier-project/atelier"
)

// What readers of one log share has a bound in bytes and in events, and is always
// consecutive.
func TestRememberIsBounded(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{100, 100 << 10, 2 * pageBytes} {
		var at tail
		for next := int64(0); next < 3*page; next++ {
			at.remember([]atelier.Event{{Sequence: next}}, size)
			first, n := at.recent[0].Sequence, int64(len(at.recent))
			if at.recent[n-1].Sequence != next || n != next-first+1 || n > page {
				t.Fatalf("events of %d bytes: after %d there are %d from %d", size, next, n, first)
			}
			if n > 1 && n*size > pageBytes {
				t.Fatalf("%d events of %d bytes are kept", n, size)
			}
		}
		at.remember([]atelier.Event{{Sequence: 3}}, size)
		if at.recent[len(at.recent)-1].Sequence != 3*page-1 {
			t.Error("an earlier event replaced the newest one")
		}
	}
}
