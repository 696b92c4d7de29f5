package song

import (
	"math/rand/v2"

	"github.com/atelier-project/atelier/internal/tonality"
)

// note is something to play.
type note struct {
	tick, ticks int
	pitch       int // 60 is middle C; for drums the number of the drum
	force       float64
	late        float64 // seconds, for strums and rolls
	short       bool    // muted
}

// beatCells are ways to fill a beat, in ticks; negative is a rest. The first are
// calm, the last busy.
var (
	straightCells = [][]int{{12}, {12}, {6, 6}, {9, 3}, {-6, 6}, {6, 3, 3}, {3, 3, 6}, {3, 6, 3}}
	roundCells    = [][]int{{12}, {8, 4}, {8, 4}, {4, 4, 4}, {-4, 4, 4}, {4, 8}, {6, 2, 4}, {4, 2, 2, 4}}
)

// melodist writes melodies over the chords of a song.
type melodist struct {
	key    tonality.Key
	grid   grid
	chords []chord
	dense  float64
	chance *rand.Rand
}

// rhythm fills a bar; with airy it ends with a rest.
func (t melodist) rhythm(ticks int, airy bool) (out []note) {
	cells := straightCells
	if t.grid.time == 6 {
		cells = roundCells
	}
	for at := 0; at < ticks; {
		// Two beats may be one long note.
		if ticks-at >= 24 && t.chance.Float64() < 0.5-0.6*t.dense {
			out = append(out, note{tick: at, ticks: 24})
			at += 24
			continue
		}
		pick := int(t.chance.Float64() * (0.35 + t.dense) * float64(len(cells)))
		cell := cells[min(max(pick, 0), len(cells)-1)]
		if airy && at+12 >= ticks {
			cell = []int{-12}
		}
		in := at
		for _, n := range cell {
			if n > 0 {
				out = append(out, note{tick: in, ticks: n})
			}
			in += max(n, -n)
		}
		at += 12
	}
	if len(out) == 0 || out[0].tick > 0 && t.chance.IntN(3) > 0 {
		out = append([]note{{tick: 0, ticks: max(6, firstTick(out, ticks))}}, out...)
	}
	return out
}

func firstTick(n []note, ticks int) int {
	if len(n) == 0 {
		return ticks
	}
	return n[0].tick
}

// motif is a rhythm of one bar with a direction for each of its notes.
type motif struct {
	notes []note
	moves []int
}

func (t melodist) motif(airy bool) motif {
	m := motif{notes: t.rhythm(t.grid.barTicks, airy)}
	drift := 1 - 2*t.chance.IntN(2)
	for range m.notes {
		move := []int{0, drift, drift, drift, -drift, 2 * drift, -2 * drift}[t.chance.IntN(7)]
		if t.chance.IntN(4) == 0 {
			drift = -drift
		}
		m.moves = append(m.moves, move)
	}
	return m
}

// section writes a melody in phrases of four bars: an idea, an answer to it,
// the idea again in another place, and a close. Every second phrase ends on the
// tonic; the others stay open.
func (t melodist) section(p part, centre int, a, b motif) []note {
	var out []note
	low, high := t.nearest(centre-9), t.nearest(centre+9)
	step := t.nearest(centre)
	for bar := 0; bar < p.bars; bar++ {
		m, shift := a, 0
		closing := bar%4 == 3 || bar == p.bars-1
		switch bar % 4 {
		case 1:
			m = b
		case 2:
			shift = 1 + p.repeat%2 // the sequence: the same idea a step higher
		}
		start := (p.bar + bar) * t.grid.barTicks
		notes := m.notes
		if closing {
			notes = t.closing(m.notes)
		}
		for i, n := range notes {
			at := start + n.tick
			c := chordAt(t.chords, at)
			move := m.moves[i%len(m.moves)]
			if i == 0 {
				move = shift
			}
			step = t.step(step+move, low, high, c, n.tick%ticksPerBeat == 0 || n.ticks >= ticksPerBeat)
			if closing && i == len(notes)-1 {
				step = t.cadenceNote(step, c, bar%8 == 7 || p.last && bar == p.bars-1)
			}
			out = append(out, note{tick: at, ticks: n.ticks, pitch: t.key.Note(step), force: 0.7 + 0.2*onBeat(n.tick)})
		}
	}
	return out
}

func onBeat(tick int) float64 {
	if tick%ticksPerBeat == 0 {
		return 1
	}
	return 0
}

// closing shortens a rhythm to a few notes and a long one.
func (t melodist) closing(notes []note) []note {
	half := t.grid.barTicks / 2
	if t.grid.time == 3 {
		half = 12
	}
	var out []note
	for _, n := range notes {
		if n.tick+n.ticks <= half {
			out = append(out, n)
		}
	}
	return append(out, note{tick: half, ticks: t.grid.barTicks - half})
}

// step keeps a melody in its range and, on the beat, in its chord.
func (t melodist) step(want, low, high int, c chord, strong bool) int {
	if want > high {
		want = 2*high - want
	}
	if want < low {
		want = 2*low - want
	}
	if strong && !c.has(want) {
		if c.has(want - 1) {
			return want - 1
		}
		return want + 1
	}
	return want
}

// cadenceNote picks the note a phrase ends on: the tonic when it is to sound finished
// and the chord allows it, else the nearest note of the chord.
func (t melodist) cadenceNote(near int, c chord, finished bool) int {
	best, cost := near, 99
	for s := near - 5; s <= near+5; s++ {
		if !c.has(s) {
			continue
		}
		d := max(s-near, near-s)
		if finished && s-7*floorDiv(s, 7) == 0 {
			d -= 6
		}
		if d < cost {
			best, cost = s, d
		}
	}
	return best
}

// nearest returns the step of the scale closest to a pitch.
func (t melodist) nearest(pitch int) int {
	best := 0
	for s := -21; s <= 28; s++ {
		if dist(t.key.Note(s), pitch) < dist(t.key.Note(best), pitch) {
			best = s
		}
	}
	return best
}

func dist(a, b int) int { return max(a-b, b-a) }
