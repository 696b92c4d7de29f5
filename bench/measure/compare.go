package measure

import (
	"fmt"
	"io"
	"math"
)

// Change is how a measurement differs between two results.
type Change struct {
	Part, Name    string
	Before, After float64
	Verdict       ChangeVerdict
}

// ChangeVerdict says what a change is.
type ChangeVerdict string

const (
	Worse    ChangeVerdict = "WORSE"
	Improved ChangeVerdict = "better"
	Same     ChangeVerdict = "noise"   // the change is not larger than the spreads
	Unknown  ChangeVerdict = "unknown" // too few turns to know the spread
)

// Medians of two runs of one program differ by this share of the figure when nothing else runs.
const smallest = 0.02

// fewest is how many turns it takes to know a spread.
const fewest = 3

// Compare finds the measurements that two results share. Parts that were measured in turns of different length are
// left out.
func Compare(before, after Result) (changes []Change) {
	for _, now := range after.Parts {
		old, found := before.Part(now.Name)
		if !found || old.Turn != now.Turn {
			continue
		}
		for _, m := range now.Measurements {
			for _, than := range old.Measurements {
				if than.Name == m.Name && than.Unit == m.Unit && m.Better != "" {
					changes = append(changes, Change{now.Name, m.Name, than.Turns.Median(), m.Turns.Median(), change(than, m)})
				}
			}
		}
	}
	return changes
}

func change(before, after Measurement) ChangeVerdict {
	if min(len(before.Turns), len(after.Turns)) < fewest {
		return Unknown
	}
	by := after.Turns.Median() - before.Turns.Median()
	noise := max(before.Turns.Spread(), after.Turns.Spread(), smallest*math.Abs(before.Turns.Median()))
	switch {
	case math.Abs(by) <= noise:
		return Same
	case (by > 0) == (after.Better == More):
		return Improved
	default:
		return Worse
	}
}

// PrintChanges prints those that are larger than noise, and how many are not.
func PrintChanges(w io.Writer, changes []Change) {
	count := map[ChangeVerdict]int{}
	for _, c := range changes {
		count[c.Verdict]++
		if c.Verdict == Worse || c.Verdict == Improved {
			fmt.Fprintf(w, "  %-6s  %s: %s: %s, was %s\n", c.Verdict, c.Part, c.Name, Number(c.After), Number(c.Before))
		}
	}
	fmt.Fprintf(w, "  %d worse, %d better, %d within noise, %d of too few turns\n", count[Worse], count[Improved], count[Same], count[Unknown])
}
