package song

import (
	"math/rand/v2"
	"strings"

	"github.com/atelier-project/atelier/internal/tonality"
)

// chord is a degree of the scale that sounds for a while.
type chord struct {
	tick, ticks int
	degree      int // 0 is the tonic's
	seventh     bool
}

// steps returns the steps of the scale in the chord, from its root on.
func (c chord) steps() []int {
	out := []int{c.degree, c.degree + 2, c.degree + 4}
	if c.seventh {
		out = append(out, c.degree+6)
	}
	return out
}

// has reports whether a step of the scale belongs to the chord.
func (c chord) has(step int) bool {
	d := step - c.degree - 7*floorDiv(step-c.degree, 7)
	return d == 0 || d == 2 || d == 4 || c.seventh && d == 6
}

var romans = [7]string{"I", "II", "III", "IV", "V", "VI", "VII"}

// name returns the chord in roman numerals, small for the minor ones.
func (c chord) name(k tonality.Key) string {
	n := romans[c.degree]
	if k.Note(c.degree+2)-k.Note(c.degree) == 3 {
		n = strings.ToLower(n)
	}
	if c.seventh {
		n += "7"
	}
	return n
}

func degrees(s string) []int {
	var out []int
	for _, f := range strings.Fields(s) {
		out = append(out, int(f[0]-'1'))
	}
	return out
}

// harmony writes the chords of the whole song. Each kind of section has its own
// progression and keeps it, so that a chorus is recognised when it returns.
func harmony(s style, g grid, parts []part, chance *rand.Rand) []chord {
	verses, choruses := s.Verse, s.Chorus
	if s.key.IsMinor() {
		verses, choruses = s.Minor, s.Minor
	}
	v := chance.IntN(len(verses))
	c := chance.IntN(len(choruses))
	if s.key.IsMinor() && len(s.Minor) > 1 && c == v {
		c = (v + 1) % len(choruses)
	}
	progression := map[string][]int{"verse": degrees(verses[v]), "chorus": degrees(choruses[c])}
	progression["intro"], progression["outro"] = progression["verse"], progression["chorus"]
	progression["bridge"] = degrees([]string{"6 4 2 5", "4 5 6 5", "2 3 4 5"}[chance.IntN(3)])
	if s.key.IsMinor() {
		progression["bridge"] = degrees([]string{"4 7 3 6", "6 7 1 7", "4 1 7 7"}[chance.IntN(3)])
	}

	slot := g.barTicks
	switch bar := float64(g.barTicks) * g.tick(); {
	case bar > 4.4:
		slot /= 2
	case s.Slow || bar < 1.1:
		slot *= 2
	}
	// The dominant leads to the tonic; in a scale without a leading note, the
	// seventh degree does.
	dominant := 4
	if s.key.IsMinor() {
		dominant = 6
	}
	var out []chord
	for _, p := range parts {
		prog := progression[p.name]
		end := (p.bar + p.bars) * g.barTicks
		for i, t := 0, p.bar*g.barTicks; t < end; i, t = i+1, t+slot {
			n := min(slot, end-t)
			d := prog[i%len(prog)]
			if t+n == end && len(out) > 0 {
				switch {
				case p.last:
					d = dominant
				case d == 0 && p.next == "chorus":
					d = dominant
				}
			}
			out = append(out, chord{tick: t, ticks: n, degree: d, seventh: s.Sevenths})
		}
	}
	return append(out, chord{tick: g.bars * g.barTicks, ticks: g.barTicks, degree: 0})
}

// chordAt returns the chord that sounds at a tick.
func chordAt(cs []chord, tick int) chord {
	for i := len(cs) - 1; i >= 0; i-- {
		if cs[i].tick <= tick {
			return cs[i]
		}
	}
	return cs[0]
}

// voicings chooses the close positions of the chords with the least movement
// between them.
func voicings(k tonality.Key, cs []chord, centre int) [][]int {
	out := make([][]int, len(cs))
	var before []int
	for i, c := range cs {
		best, cost := []int(nil), 1<<30
		base := c.steps()
		for turn := range base {
			for octave := -2; octave <= 1; octave++ {
				v := make([]int, len(base))
				for j := range base {
					at := turn + j
					step := base[at%len(base)]
					if at >= len(base) {
						step += 7
					}
					v[j] = k.Note(step + 7*octave)
				}
				sum := 0
				for j := range v {
					d := v[j] - centre
					if before != nil {
						d = 3*(v[j]-before[min(j, len(before)-1)]) + d/2
					}
					sum += max(d, -d)
				}
				if mid := (v[0] + v[len(v)-1]) / 2; mid > centre+8 || mid < centre-8 {
					sum += 200
				}
				if sum < cost {
					best, cost = v, sum
				}
			}
		}
		out[i], before = best, best
	}
	return out
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
