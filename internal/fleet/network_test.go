package fleet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The workers of others have the same numbers after they have connected again, in whichever
// order.
func TestWorkersKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 0), f.account("wil", 0)
		numbers := func(names ...string) string {
			var connected []testWorker
			for _, name := range names {
				connected = append(connected, testWorker{f.Connect(wil, apitype.WorkerSpec{Name: name, GPU: "gpu of " + name, Models: []string{model}}), f})
			}
			f.Advance(2 * time.Second)
			n, err := f.Fleet.Network(t.Context(), ann, false)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, w := range n.Workers {
				lines = append(lines, fmt.Sprintf("%s: %s", w.Name, w.GPU))
			}
			for _, w := range connected {
				w.leave()
			}
			return strings.Join(lines, ", ")
		}
		const want = "worker 1: gpu of attic, worker 2: gpu of cellar"
		for _, order := range [][]string{{"attic", "cellar"}, {"cellar", "attic"}} {
			if got := numbers(order...); got != want {
				t.Errorf("%v: %s, want %s", order, got, want)
			}
		}
	})
}
