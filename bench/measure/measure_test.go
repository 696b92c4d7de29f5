package measure_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/bench/measure"
)

func TestSeries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of                measure.Series
		median, low, high float64
	}{
		{nil, 0, 0, 0},
		{measure.Series{7}, 7, 7, 7},
		{measure.Series{4, 2}, 3, 2.5, 3.5},
		{measure.Series{9, 1, 5}, 5, 3, 7},
		{measure.Series{5, 1, 4, 2, 1000}, 4, 2, 5}, // one that was disturbed
	} {
		if c.of.Median() != c.median || c.of.Low() != c.low || c.of.High() != c.high || c.of.Spread() != c.high-c.low {
			t.Errorf("%v: got %v (%v to %v), want %v (%v to %v)", c.of, c.of.Median(), c.of.Low(), c.of.High(), c.median, c.low, c.high)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	values := []float64{5, 3, 1, 4, 2}
	for p, want := range map[int]float64{0: 1, 20: 1, 21: 2, 50: 3, 99: 5, 100: 5} {
		if got := measure.Percentile(values, p); got != want {
			t.Errorf("p%d of 1 to 5: got %v, want %v", p, got, want)
		}
	}
	if got := measure.Percentile(nil, 50); got != 0 {
		t.Errorf("p50 of nothing: got %v", got)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 2: "2", 0.1234: "0.123", 1.5: "1.50", 12.34: "12.3", 123.4: "123", 999.6: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123", 1000: "1,000",
	} {
		if got := measure.Number(v); got != want {
			t.Errorf("Number(%v): got %q, want %q", v, got, want)
		}
	}
}

func side(turns ...float64) measure.Side {
	return measure.Side{Name: "x", Unit: "ms", Turns: turns}
}

// report measures one thing, with an aim or without.
func report(t *testing.T, m measure.Measurement, aims ...measure.Aim) measure.Measurement {
	t.Helper()
	byName := map[string]measure.Aim{}
	for _, a := range aims {
		byName["Part/"+m.Name] = a
	}
	r := measure.NewReport(&bytes.Buffer{}, measure.Result{}, "1s", byName)
	r.Begin("Part", "of a test")
	r.Add(m)
	r.End()
	return r.Result.Parts[0].Measurements[0]
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	steady, shaky := side(10, 10.1, 9.9), side(6, 10, 14)
	base := side(5, 5, 5)
	for _, c := range []struct {
		name string
		m    measure.Measurement
		aims []measure.Aim
		want measure.Verdict
	}{
		{"well above", measure.Ratio("r", measure.More, steady, base), []measure.Aim{measure.AtLeast(1)}, measure.Met},
		{"well below", measure.Ratio("r", measure.More, base, steady), []measure.Aim{measure.AtLeast(1)}, measure.Missed},
		{"above by less than the spread", measure.Ratio("r", measure.More, shaky, side(9, 9, 9)), []measure.Aim{measure.AtLeast(1)}, measure.Noise},
		{"below a limit", measure.Value("v", "ms", measure.Less, steady.Turns), []measure.Aim{measure.AtMost(11)}, measure.Met},
		{"at the limit", measure.Value("v", "ms", measure.Less, measure.Series{3}), []measure.Aim{measure.AtMost(3)}, measure.Met},
		{"over a limit", measure.Value("v", "ms", measure.Less, steady.Turns), []measure.Aim{measure.AtMost(9)}, measure.Missed},
		{"sides that do not differ", measure.Ratio("r", measure.More, shaky, side(9, 9, 9)), nil, measure.Noise},
		{"sides that differ", measure.Ratio("r", measure.More, steady, base), nil, ""},
		{"nothing that can be told is added", measure.Added("a", shaky, side(9, 9, 9)), nil, measure.Noise},
		{"something is added", measure.Added("a", steady, base), nil, ""},
		{"a value without an aim", measure.Value("v", "ms", measure.Less, shaky.Turns), nil, ""},
	} {
		if got := report(t, c.m, c.aims...).Verdict; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSides(t *testing.T) {
	t.Parallel()
	direct, own, peer := side(1, 2, 3), side(2, 3, 4), side(5, 6, 7)
	if got := measure.Added("a", own, direct).Turns.Median(); got != 1 {
		t.Errorf("added: got %v, want 1", got)
	}
	if got := measure.Ratio("r", measure.Less, own.Over(direct), peer.Over(direct)).Turns; got.Median() != 0.25 || got.Spread() != 0 {
		t.Errorf("what is added, as a ratio: got %v, want 0.25 in each turn", got)
	}
	// What a peer adds may be lost in noise.
	if got := report(t, measure.Ratio("r", measure.Less, own, side(0, 1, -1)), measure.AtMost(9)); len(got.Turns) != 1 || got.Verdict != measure.Noise {
		t.Errorf("a ratio to nothing: got %v, %q", got.Turns, got.Verdict)
	}
}

func result(commit, date string, turns ...float64) measure.Result {
	return measure.Result{Date: date, Commit: commit, Machine: measure.ThisMachine(), Parts: []measure.Part{{
		Name: "Part", Turn: "1s", Measurements: []measure.Measurement{measure.Value("rate", "/s", measure.More, turns)},
	}}}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	before := result("a", "2026-01-01T00:00:00Z", 100, 104, 96)
	for _, c := range []struct {
		turns []float64
		want  measure.ChangeVerdict
	}{
		{[]float64{80, 81, 79}, measure.Worse},
		{[]float64{120, 121, 119}, measure.Improved},
		{[]float64{98, 99, 97}, measure.Same},
		{[]float64{60, 80, 120}, measure.Same}, // its own spread is larger than the change
		{[]float64{50}, measure.Unknown},
	} {
		changes := measure.Compare(before, result("b", "2026-01-02T00:00:00Z", c.turns...))
		if len(changes) != 1 || changes[0].Verdict != c.want {
			t.Errorf("from 100 to %v: got %+v, want %s", c.turns, changes, c.want)
		}
	}
	// Less of a latency is no loss, and one percent may be an accident.
	old, now := before, result("b", "", 99, 99, 99)
	old.Parts[0].Measurements[0].Turns = measure.Series{100, 100, 100}
	if changes := measure.Compare(old, now); changes[0].Verdict != measure.Same {
		t.Errorf("one percent: got %+v", changes)
	}
	short := result("b", "", 50, 50, 50)
	short.Parts[0].Turn = "10ms"
	if changes := measure.Compare(before, short); len(changes) != 0 {
		t.Errorf("turns of another length were compared: %+v", changes)
	}
	var out bytes.Buffer
	measure.PrintChanges(&out, measure.Compare(before, result("b", "", 80, 81, 79)))
	if got := out.String(); !strings.Contains(got, "WORSE") || !strings.Contains(got, "Part: rate: 80, was 100") {
		t.Errorf("a run that is worse is not marked: %q", got)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := result("aaaa", "2026-01-01T10:00:00Z", 1, 2, 3)
	if _, err := first.Store(dir); err != nil {
		t.Fatal(err)
	}
	second := result("bbbb", "2026-01-02T10:00:00Z", 4)
	if _, _, found := first.Last(dir); found {
		t.Error("a result is compared with itself")
	}
	file, err := second.Store(dir)
	if err != nil || filepath.Base(file) != "2026-01-02-bbbb.json" {
		t.Fatalf("stored as %s, %v", file, err)
	}
	// A part that is measured again takes the place of its older self, and the others stay.
	more := result("bbbb", "2026-01-02T12:00:00Z", 5)
	more.Parts = append(more.Parts, measure.Part{Name: "Other"})
	if file, err = more.Store(dir); err != nil {
		t.Fatal(err)
	}
	stored, err := measure.Read(file)
	if err != nil || len(stored.Parts) != 2 || stored.Parts[0].Measurements[0].Turns[0] != 5 || stored.Date != second.Date {
		t.Errorf("got %+v, %v", stored, err)
	}
	foreign := result("cccc", "2026-01-03T10:00:00Z", 6)
	foreign.Machine.CPU = "another"
	if _, err := foreign.Store(dir); err != nil {
		t.Fatal(err)
	}
	third := result("dddd", "2026-01-04T10:00:00Z", 7)
	if last, _, found := third.Last(dir); !found || filepath.Base(last) != "2026-01-02-bbbb.json" {
		t.Errorf("the last result of this machine: got %q", last)
	}
}

func TestSkippedAndMissing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := measure.NewReport(&out, measure.Result{}, "1s", map[string]measure.Aim{"Part/other": measure.AtMost(1)})
	r.Begin("Part", "of a test")
	r.Skip("PostgreSQL", "no server")
	r.End()
	r.PrintAims()
	if got := r.Result.Parts[0].LeftOut; len(got) != 1 || got[0] != "PostgreSQL: no server" {
		t.Errorf("left out: got %q", got)
	}
	if !strings.Contains(out.String(), "not measured: Part/other ≤ 1") {
		t.Errorf("an aim without a measurement is not listed: %s", out.String())
	}
}

func TestPlots(t *testing.T) {
	t.Parallel()
	r := result("aaaa", "2026-01-01T10:00:00Z", 1)
	r.Parts = append(r.Parts, measure.Part{Name: "Ratios", Measurements: []measure.Measurement{
		measure.Ratio("4 to 1 & more", measure.More, side(4, 4, 4), side(1, 1, 1)),
	}})
	files, err := r.Plots(t.TempDir())
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "bench-ratios.svg" {
		t.Fatalf("got %q, %v; want one plot, of the part that has ratios", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2026-01-01-aaaa.json", "4 to 1 &amp; more", `<circle class="point"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the plot has no %q", want)
		}
	}
}
