package measure

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Report prints measurements as they are made, and keeps them for a result.
type Report struct {
	w    io.Writer
	turn string
	aims map[string]Aim // by part and name of the measurement, with a slash between

	Result Result
	part   Part
}

// NewReport is a report of turns of a length. Aims are for turns of full length: without them none is judged.
func NewReport(w io.Writer, result Result, turn string, aims map[string]Aim) *Report {
	return &Report{w: w, turn: turn, aims: aims, Result: result}
}

// Begin begins a part.
func (r *Report) Begin(name, title string) {
	r.part = Part{Name: name, Title: title, Turn: r.turn, Load: LoadAverage()}
	fmt.Fprintf(r.w, "\n%s: %s\n", name, title)
}

// End puts the part into the result.
func (r *Report) End() { r.Result.Add(r.part) }

// Add takes a measurement down.
func (r *Report) Add(m Measurement) {
	if aim, aimed := r.aims[r.part.Name+"/"+m.Name]; aimed {
		m.Aim = &aim
	}
	m.judge()
	r.part.Measurements = append(r.part.Measurements, m)
	fmt.Fprintln(r.w, m.line())
}

// Skip says what is not measured, and why.
func (r *Report) Skip(name, why string) {
	r.part.LeftOut = append(r.part.LeftOut, name+": "+why)
	fmt.Fprintf(r.w, "  %-48s left out: %s\n", name, why)
}

// PrintAims prints how many aims were met, and those that no measurement of their part had.
func (r *Report) PrintAims() {
	if len(r.aims) == 0 {
		return
	}
	missing := maps.Clone(r.aims)
	maps.DeleteFunc(missing, func(name string, _ Aim) bool {
		part, _, _ := strings.Cut(name, "/")
		_, measured := r.Result.Part(part)
		return !measured
	})
	count := map[Verdict]int{}
	for _, p := range r.Result.Parts {
		for _, m := range p.Measurements {
			if m.Aim != nil {
				count[m.Verdict]++
				delete(missing, p.Name+"/"+m.Name)
			}
		}
	}
	fmt.Fprintf(r.w, "\nAims: %d met, %d missed, %d within noise, %d not measured\n", count[Met], count[Missed], count[Noise], len(missing))
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(r.w, "  not measured: %s %s\n", name, missing[name])
	}
}

// Print prints a stored result.
func (r Result) Print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, %s\n", r.Date, r.Commit, r.Machine)
	for _, p := range r.Parts {
		fmt.Fprintf(w, "\n%s: %s (turns of %s, load %s)\n", p.Name, p.Title, p.Turn, Number(p.Load))
		for _, m := range p.Measurements {
			fmt.Fprintln(w, m.line())
		}
		for _, text := range p.LeftOut {
			fmt.Fprintln(w, "  left out:", text)
		}
	}
}
