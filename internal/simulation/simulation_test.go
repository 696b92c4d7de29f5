package simulation_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/simulation"
	"github.com/atelier-project/atelier/internal/worktest"
)

// steps is how many steps a game has.
const steps = 120

// seeds are the seeds to play: ATELIER_TEST_SEEDS of them, from ATELIER_TEST_FIRST_SEED on.
func seeds(t *testing.T) (first, count uint64) {
	t.Helper()
	read := func(name string, otherwise uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s must be a number: %v", name, err)
		}
		return n
	}
	usual := uint64(300)
	if !worktest.Exhaustive() {
		usual = 25
	}
	return read("ATELIER_TEST_FIRST_SEED", 1), read("ATELIER_TEST_SEEDS", usual)
}

// play plays a game, and returns its lines too.
func play(t *testing.T, s simulation.Settings) (simulation.Outcome, string) {
	t.Helper()
	var lines strings.Builder
	s.Steps = steps
	s.Line = func(text string) { lines.WriteString(text + "\n") }
	return simulation.Play(t, s), lines.String()
}

// Whatever the seeds decide, nothing is wrong. A seed that finds something is printed with the command
// that plays it again.
//
//atelier:norace
func TestSeeds(t *testing.T) {
	first, count := seeds(t)
	total, simulated, began := map[string]int{}, time.Duration(0), time.Now()
	for seed := first; seed < first+count; seed++ {
		out, lines := play(t, simulation.Settings{Seed: seed})
		simulated += out.Simulated
		for what, n := range out.Counts {
			total[what] += n
		}
		if len(out.Faults) > 0 || count == 1 && testing.Verbose() {
			t.Log(lines)
		}
		if len(out.Faults) > 0 {
			t.Fatalf("seed %d: %s\nplay it again: ATELIER_TEST_FIRST_SEED=%d ATELIER_TEST_SEEDS=1 go test -v -run TestSeeds ./internal/simulation",
				seed, strings.Join(out.Faults, "\n"), seed)
		}
	}
	t.Logf("%d seeds, %.0f simulated hours in %.0f seconds: %v", count, simulated.Hours(), time.Since(began).Seconds(), total)
}

// A seed plays the same game again, so that what it finds can be found again.
//
//atelier:norace
func TestSameSeedSameGame(t *testing.T) {
	first, count := seeds(t)
	for seed := first; seed < first+max(1, count/10); seed++ {
		one, before := play(t, simulation.Settings{Seed: seed})
		two, after := play(t, simulation.Settings{Seed: seed})
		if one.Trace != two.Trace {
			t.Fatalf("seed %d plays another game: %s", seed, firstDifference(before, after))
		}
	}
}

func firstDifference(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is\n%s\nand then\n%s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines and %d", len(a), len(b))
}

// Different seeds play different games.
func TestSeedsDiffer(t *testing.T) {
	one, _ := play(t, simulation.Settings{Seed: 1})
	two, _ := play(t, simulation.Settings{Seed: 2})
	if one.Trace == two.Trace {
		t.Error("the seeds 1 and 2 play the same game")
	}
}
