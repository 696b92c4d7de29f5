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

// settings are those of a game whose lines are kept.
func settings(seed uint64, lines *strings.Builder) simulation.Settings {
	return simulation.Settings{Seed: seed, Steps: steps, Line: func(text string) { lines.WriteString(text + "\n") }}
}

// play plays a game on a separate database, and returns its lines too.
func play(t *testing.T, seed uint64, damage ...string) (simulation.Outcome, string) {
	t.Helper()
	var lines strings.Builder
	s := settings(seed, &lines)
	s.Damage = damage
	return simulation.Play(t, s), lines.String()
}

// leaveOutRacing skips a test under the race detector: the goroutines of a game act in turns that it does not see. The
// tests of the engines are what it watches.
func leaveOutRacing(t *testing.T) {
	t.Helper()
	if worktest.Racing {
		t.Skip("left out: make check runs it, without the race detector")
	}
}

// Whatever the seeds decide, nothing is wrong. A seed that finds something is printed with the command
// that plays it again.
//
//atelier:norace
func TestSeeds(t *testing.T) {
	leaveOutRacing(t)
	first, count := seeds(t)
	total, simulated, began := map[string]int{}, time.Duration(0), time.Now()
	for from := first; from < first+count && !t.Failed(); from += chunk {
		var list []simulation.Settings
		lines := map[uint64]*strings.Builder{}
		for seed := from; seed < min(from+chunk, first+count); seed++ {
			lines[seed] = &strings.Builder{}
			list = append(list, settings(seed, lines[seed]))
		}
		simulation.PlayAll(t, list, func(s simulation.Settings, out simulation.Outcome) bool {
			simulated += out.Simulated
			for what, n := range out.Counts {
				total[what] += n
			}
			if len(out.Faults) > 0 || count == 1 && testing.Verbose() {
				t.Log(lines[s.Seed])
			}
			if len(out.Faults) > 0 {
				t.Errorf("seed %d: %s\nplay it again: ATELIER_TEST_FIRST_SEED=%d ATELIER_TEST_SEEDS=1 go test -v -run TestSeeds ./internal/simulation",
					s.Seed, strings.Join(out.Faults, "\n"), s.Seed)
			}
			return len(out.Faults) == 0
		})
	}
	t.Logf("%d seeds, %.0f simulated hours in %.0f seconds: %v", count, simulated.Hours(), time.Since(began).Seconds(), total)
}

// chunk is how many games are played on one database.
const chunk = 25

// A seed plays the same game again, also after others, so that what it finds can be found again.
//
//atelier:norace
func TestSameSeedSameGame(t *testing.T) {
	leaveOutRacing(t)
	first, count := seeds(t)
	count = max(1, count/10)
	var list []simulation.Settings
	lines := map[uint64]*strings.Builder{}
	for seed := first; seed < first+count; seed++ {
		lines[seed] = &strings.Builder{}
		list = append(list, settings(seed, lines[seed]))
	}
	traces := map[uint64]uint64{}
	simulation.PlayAll(t, list, func(s simulation.Settings, out simulation.Outcome) bool {
		traces[s.Seed] = out.Trace
		return true
	})
	for seed := first; seed < first+count; seed++ {
		if again, after := play(t, seed); again.Trace != traces[seed] {
			t.Fatalf("seed %d plays another game: %s", seed, firstDifference(lines[seed].String(), after))
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
//
//atelier:norace
func TestSeedsDiffer(t *testing.T) {
	leaveOutRacing(t)
	one, _ := play(t, 1)
	two, _ := play(t, 2)
	if one.Trace == two.Trace {
		t.Error("the seeds 1 and 2 play the same game")
	}
}
