package song

import (
	"math/rand/v2"

	"github.com/atelier-project/atelier/internal/tonality"
)

// accompaniment plays the chords in the pattern of the style. In the patterns X and x are
// chords, v an upstroke, P and p power chords, digits single notes of the chord,
// - holds and . is silence.
func accompaniment(s style, g grid, parts []part, cs []chord, centre int, chance *rand.Rand) []note {
	sets := voicings(s.key, cs, centre)
	var out []note
	strummed := s.Comp == "strum" || s.Chords == "harp"
	for _, p := range parts {
		name := s.Comp
		pattern := g.pattern(patterns.Comp[name])
		g.eachSign(p, pattern, func(at, held int, sign byte) {
			k := indexAt(cs, at)
			// A chord that lasts longer than its bar is struck once.
			if name == "block" && cs[k].tick != at && cs[k].ticks > g.barTicks {
				return
			}
			ticks := held
			if name == "block" {
				ticks = cs[k].tick + cs[k].ticks - at
			}
			n := note{tick: at, ticks: ticks, force: 0.62 + 0.12*p.intensity}
			if sign == 'X' || sign == 'P' || sign == '1' {
				n.force += 0.12
			}
			n.force += 0.06 * (chance.Float64() - 0.5)
			out = append(out, playSign(s, sets[k], cs[k], n, sign, strummed, name)...)
			// A long block also plays a chord that changes inside the bar.
			if name == "block" && k+1 < len(cs) && cs[k+1].tick < (at/g.barTicks+1)*g.barTicks {
				n.tick, n.ticks = cs[k+1].tick, cs[k+1].ticks
				out = append(out, playSign(s, sets[k+1], cs[k+1], n, sign, strummed, name)...)
			}
		})
	}
	// The last chord rings.
	last := len(cs) - 1
	n := note{tick: cs[last].tick, ticks: 4 * g.barTicks, force: 0.75}
	return append(out, playSign(s, sets[last], cs[last], n, 'X', true, "")...)
}

// eachSign calls a function for each sign of a pattern in the bars of a part, with
// its tick and how many ticks it is held.
func (g grid) eachSign(p part, pattern string, play func(at, held int, sign byte)) {
	for bar := p.bar; bar < p.bar+p.bars; bar++ {
		for i := range len(pattern) {
			sign := pattern[i]
			if sign == '.' || sign == '-' {
				continue
			}
			held := 1
			for i+held < len(pattern) && pattern[i+held] == '-' {
				held++
			}
			play(bar*g.barTicks+i*g.step(), held*g.step(), sign)
		}
	}
}

func indexAt(cs []chord, tick int) int {
	k := 0
	for k+1 < len(cs) && cs[k+1].tick <= tick {
		k++
	}
	return k
}

// playSign turns one sign of a pattern into notes.
func playSign(s style, set []int, c chord, n note, sign byte, strummed bool, name string) []note {
	var out []note
	switch {
	case sign >= '1' && sign <= '9':
		i := int(sign - '1')
		n.pitch = set[i%len(set)] + 12*(i/len(set))
		if name == "arpeggio" || name == "ballad" {
			n.ticks *= 2
		}
		return []note{n}
	case sign == 'P' || sign == 'p':
		root := s.key.Note(c.degree)
		for root > 51 {
			root -= 12
		}
		fifth := s.key.Note(c.degree+4) - s.key.Note(c.degree)
		for _, p := range []int{root, root + fifth, root + 12} {
			n.pitch = p
			n.short = sign == 'p' && name == "gallop"
			out = append(out, n)
		}
		return out
	}
	if s.Chords == "crunch" || s.Chords == "metal" {
		return playSign(s, set, c, n, 'P', strummed, "")
	}
	full := set
	if s.Comp == "strum" {
		full = append([]int{set[0] - 12 + (set[len(set)-1]-set[0])/12*12}, set...)
		if !s.key.Has(full[0]) {
			full = set
		}
	}
	for i := range full {
		k := i
		if sign == 'v' {
			k = len(full) - 1 - i
		}
		m := n
		m.pitch = full[k]
		if strummed {
			m.late = float64(i) * 0.014
		}
		if sign == 'v' {
			m.force *= 0.8
		}
		out = append(out, m)
	}
	return out
}

// bassLine plays 1 the root, 3 the third, 5 the fifth, 8 the octave and a the
// note of the scale that leads to the next root.
func bassLine(s style, g grid, parts []part, cs []chord, chance *rand.Rand) []note {
	low := func(step int) int {
		p := s.key.Note(step)
		for p > 47 {
			p -= 12
		}
		for p < 33 {
			p += 12
		}
		return p
	}
	pattern := g.pattern(patterns.Bass[s.Line])
	var out []note
	for _, p := range parts {
		if p.intensity < 0.53 && s.Drums != "none" && p.name == "intro" {
			continue
		}
		g.eachSign(p, pattern, func(at, held int, sign byte) {
			k := indexAt(cs, at)
			c := cs[k]
			root := low(c.degree)
			n := note{tick: at, ticks: held, pitch: root, force: 0.7 + 0.1*onBeat(at) + 0.06*(chance.Float64()-0.5)}
			switch sign {
			case '3':
				n.pitch = above(s.key, root, c.degree+2)
			case '5':
				n.pitch = above(s.key, root, c.degree+4)
			case '8':
				n.pitch = root + 12
			case 'a':
				next := cs[min(k+1, len(cs)-1)]
				n.pitch = low(next.degree - 1 + 2*chance.IntN(2))
			}
			out = append(out, n)
		})
	}
	last := cs[len(cs)-1]
	return append(out, note{tick: last.tick, ticks: 4 * g.barTicks, pitch: low(0), force: 0.75})
}

// above returns the pitch of a step in the octave over a root.
func above(k tonality.Key, root, step int) int {
	p := k.Note(step)
	for p > root+12 {
		p -= 12
	}
	for p < root {
		p += 12
	}
	return p
}
