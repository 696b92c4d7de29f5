package measure

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// Measurement is one figure, turn by turn.
type Measurement struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit,omitempty"`   // of the figure; empty for a ratio
	Better  Better  `json:"better,omitempty"` // empty where neither direction is
	Turns   Series  `json:"turns"`            // the figure of each turn
	Sides   []Side  `json:"sides,omitempty"`  // what the figure compares: the service first
	Aim     *Aim    `json:"aim,omitempty"`
	Verdict Verdict `json:"verdict,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// Side is one of those that took turns.
type Side struct {
	Name  string `json:"name"`
	Unit  string `json:"unit,omitempty"`
	Turns Series `json:"turns"`
}

// Better says which direction of a figure is an improvement.
type Better string

const (
	More Better = "more"
	Less Better = "less"
)

// Verdict is what a measurement says about its aim or, without one, about its sides.
type Verdict string

const (
	Met    Verdict = "met"
	Missed Verdict = "missed"
	Noise  Verdict = "noise" // the spread is larger than the difference
)

// Aim is the limit of a figure that is measured in turns of full length.
type Aim struct {
	Better Better  `json:"better"` // at least the limit, or at most
	Limit  float64 `json:"limit"`
}

// AtLeast and AtMost are the two kinds of aims.
func AtLeast(limit float64) Aim { return Aim{More, limit} }
func AtMost(limit float64) Aim  { return Aim{Less, limit} }

func (a Aim) String() string {
	if a.Better == More {
		return "≥ " + Number(a.Limit)
	}
	return "≤ " + Number(a.Limit)
}

// Value is a figure of the service alone.
func Value(name, unit string, better Better, turns Series) Measurement {
	return Measurement{Name: name, Unit: unit, Better: better, Turns: turns}
}

// Ratio compares two sides by division.
func Ratio(name string, better Better, ours, theirs Side) Measurement {
	return Measurement{Name: name, Better: better, Turns: quotients(ours.Turns, theirs.Turns), Sides: []Side{ours, theirs}}
}

// Added is how much more ours takes than theirs, in the unit of both.
func Added(name string, ours, theirs Side) Measurement {
	return Measurement{Name: name, Unit: ours.Unit, Better: Less, Turns: differences(ours.Turns, theirs.Turns), Sides: []Side{ours, theirs}}
}

// Over is a side without what the base takes anyway.
func (s Side) Over(base Side) Side {
	return Side{Name: s.Name, Unit: s.Unit, Turns: differences(s.Turns, base.Turns)}
}

// judge fills the verdict in. The difference is that to the aim or, without one, that between the sides.
func (m *Measurement) judge() {
	m.Verdict = ""
	against := 0.0
	switch {
	case m.Aim != nil:
		against = m.Aim.Limit
	case len(m.Sides) != 2:
		return
	case m.Unit == "":
		against = 1
	}
	above := m.Turns.Median() - against
	switch {
	case m.Turns.Spread() > math.Abs(above), len(m.Sides) == 2 && len(m.Turns) < len(m.Sides[1].Turns):
		m.Verdict = Noise // in some turns not even a ratio could be told
	case m.Aim == nil:
	case above == 0, (above > 0) == (m.Aim.Better == More):
		m.Verdict = Met
	default:
		m.Verdict = Missed
	}
}

// compares reports whether the figure is a ratio of two sides.
func (m Measurement) compares() bool { return m.Unit == "" && len(m.Sides) == 2 }

// line is the measurement as a line of the report.
func (m Measurement) line() string {
	aim, verdict, spread := "", "", "1 turn"
	if m.Aim != nil {
		aim = m.Aim.String()
	}
	switch m.Verdict {
	case Met:
	case Missed:
		verdict = "MISSED"
	default:
		verdict = string(m.Verdict)
	}
	if len(m.Turns) > 1 {
		spread = Number(m.Turns.Low()) + "–" + Number(m.Turns.High())
	}
	var notes []string
	for _, s := range m.Sides {
		notes = append(notes, strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Name, Number(s.Turns.Median()), s.Unit)))
	}
	if m.Note != "" {
		notes = append(notes, m.Note)
	}
	figure := strings.TrimSpace(Number(m.Turns.Median()) + " " + m.Unit)
	text := fmt.Sprintf("  %-48s %12s  %-15s %-9s %-6s  %s", m.Name, figure, spread, aim, verdict, strings.Join(notes, "; "))
	return strings.TrimRight(text, " ")
}

// Number writes a figure with three digits, and thousands apart.
func Number(v float64) string {
	digits := 0
	for limit := 100.0; digits < 3 && math.Abs(v) < limit && v != math.Trunc(v); limit /= 10 {
		digits++
	}
	text := fmt.Sprintf("%.*f", digits, v)
	whole, rest, _ := strings.Cut(text, ".")
	first := strings.IndexFunc(whole, unicode.IsDigit)
	for at := len(whole) - 3; at > first; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return whole
}
