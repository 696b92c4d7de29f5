package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// report prints rows as they are measured.
type report struct{ w io.Writer }

// part begins a part of the report.
func (r report) part(title string) { fmt.Fprintf(r.w, "\n%s\n", title) }

// row prints a figure, the aim it has and what else is known about it.
func (r report) row(name, figure string, a aim, reached bool, more string) {
	verdict := ""
	if a != "" && !reached {
		verdict = "MISSED"
	}
	line := fmt.Sprintf("  %-36s %9s   %-14s %-6s   %s", name, figure, a, verdict, more)
	fmt.Fprintln(r.w, strings.TrimRight(line, " "))
}

// skip says why there is no figure.
func (r report) skip(name, why string) { fmt.Fprintf(r.w, "  %-36s left out: %s\n", name, why) }

// aim is what a figure should be, in words; empty when there is no aim.
type aim string

func atLeast(ratio float64) aim {
	if ratio == 0 {
		return ""
	}
	return aim(fmt.Sprintf("aim ≥ %.1f", ratio))
}

func below(limit string) aim { return aim("aim < " + limit) }

// median is the middle of the values: a turn that another process disturbed
// does not count.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// count writes a number with its thousands apart.
func count(n float64) string {
	digits := fmt.Sprintf("%.0f", n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
