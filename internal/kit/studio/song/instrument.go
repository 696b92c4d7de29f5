package song

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// noteVoice is one note while it sounds. render adds to out and reports whether
// the note goes on.
type noteVoice interface {
	render(out []float32) bool
}

func hertz(pitch int) float64 { return 440 * math.Exp2(float64(pitch-69)/12) }

// modalNote is a note of modal synthesis: piano, bells, marimba. Each mode is a
// resonator with its own decay.
type modalNote struct {
	c, d, y1, y2 []float64
	age, hold    int
	damp, level  float32
	click        *sound.Noise
	clickLevel   float32
}

// modeSet is the modes of an instrument: frequencies and levels relative to the
// first, the decay of the first at middle C, and how much shorter the higher
// ones are.
type modeSet struct {
	ratios, levels []float64
	piano          bool
	seconds        float64
	dull           float64
	click          float32
	damped         bool
}

func (m modeSet) play(hz, held, force float64, seed uint64) noteVoice {
	ratios, levels := m.ratios, m.levels
	if m.piano {
		ratios, levels = pianoModes(hz, force)
	}
	s := &modalNote{hold: int(held * Rate), damp: float32(math.Exp(-5 / (0.18 * Rate))), level: 1, click: sound.NewNoise(seed), clickLevel: m.click * float32(force*force)}
	if !m.damped {
		s.hold = 1 << 30
	}
	long := m.seconds * math.Pow(261.6/hz, 0.6)
	for i, r := range ratios {
		f := hz * r
		if f > 0.4*Rate {
			continue
		}
		w := 2 * math.Pi * f / Rate
		decay := math.Exp(-6.9 / (long / (1 + m.dull*(r-1)) * Rate))
		a := levels[i] * math.Pow(force, 0.7+0.08*r) * 0.5
		s.c = append(s.c, 2*decay*math.Cos(w))
		s.d = append(s.d, -decay*decay)
		s.y1 = append(s.y1, 0)
		s.y2 = append(s.y2, -a*math.Sin(w)) // the next sample is then a sin(w)
	}
	return s
}

// pianoModes returns stretched overtones without those at the hammer's
// position. The lowest are doubled, slightly detuned, like the strings.
func pianoModes(hz, force float64) (ratios, levels []float64) {
	stiff := 0.00035 * math.Pow(hz/261.6, 0.7)
	for k := 1.0; k <= 14 && k*hz < 12000; k++ {
		r := k * math.Sqrt(1+stiff*k*k)
		l := math.Abs(math.Sin(math.Pi*k*0.125)+0.12) / math.Pow(k, 1.25-0.3*force)
		if k <= 3 {
			ratios = append(ratios, r*1.0005, r*0.9996)
			levels = append(levels, l*0.6, l*0.45)
			continue
		}
		ratios, levels = append(ratios, r), append(levels, l)
	}
	return ratios, levels
}

func (s *modalNote) render(out []float32) bool {
	for i := range out {
		if s.age >= s.hold {
			s.level *= s.damp
		}
		var sum float64
		for k := range s.c {
			y := s.c[k]*s.y1[k] + s.d[k]*s.y2[k]
			s.y2[k], s.y1[k] = s.y1[k], y
			sum += y
		}
		if s.clickLevel > 1e-4 {
			sum += float64(s.click.Next() * s.clickLevel)
			s.clickLevel *= 0.985
		}
		out[i] += float32(sum) * s.level
		s.age++
	}
	// Inaudible modes are dropped.
	keep := 0
	for k := range s.c {
		if math.Abs(s.y1[k])+math.Abs(s.y2[k]) > 2e-5 {
			s.c[keep], s.d[keep], s.y1[keep], s.y2[keep] = s.c[k], s.d[k], s.y1[k], s.y2[k]
			keep++
		}
	}
	s.c, s.d, s.y1, s.y2 = s.c[:keep], s.d[:keep], s.y1[:keep], s.y2[:keep]
	return keep > 0 && s.level > 2e-4
}

// stringNote is a Karplus-Strong string: a burst of noise in a delay line as long
// as the period, which loses treble with every turn.
type stringNote struct {
	ring        []float32
	at          int
	keep, blunt float32
	last        float32
	allpass     float32
	apIn, apOut float32
	hold, age   int
	damp, level float32
}

type stringSet struct {
	seconds float64 // ring of middle C
	blunt   float64 // 0 bright to 0.5 dull
	soft    float64 // how much treble the finger takes
	place   float64 // where it is plucked
	damped  bool
}

func (p stringSet) play(hz, held, force float64, seed uint64) noteVoice {
	period := Rate/hz - p.blunt
	n := max(2, int(period-0.2))
	frac := period - float64(n)
	s := &stringNote{
		ring: make([]float32, n), blunt: float32(p.blunt), allpass: float32((1 - frac) / (1 + frac)), level: 1,
		keep: float32(math.Pow(0.001, 1/(hz*p.seconds*math.Pow(261.6/hz, 0.4)))),
		hold: int(held * Rate), damp: float32(math.Exp(-5 / (0.09 * Rate))),
	}
	if !p.damped {
		s.hold = int((held + 0.4) * Rate)
	}
	noise := sound.NewNoise(seed)
	edge := float32(min(max(1-p.soft-0.35*(1-force), 0.08), 1))
	var low float32
	for i := range s.ring {
		low += edge * (noise.Next() - low)
		s.ring[i] = low
	}
	// Plucking removes the overtones with a node at the plucking position.
	gap := max(1, int(p.place*float64(n)))
	bare := append([]float32(nil), s.ring...)
	var peak float32 = 1e-6
	for i := range s.ring {
		s.ring[i] = bare[i] - bare[(i-gap+n)%n]
		peak = max(peak, s.ring[i], -s.ring[i])
	}
	for i := range s.ring {
		s.ring[i] *= float32(force) * 0.7 / peak
	}
	return s
}

func (s *stringNote) render(out []float32) bool {
	var top float32
	for i := range out {
		if s.age >= s.hold {
			s.level *= s.damp
		}
		x := s.ring[s.at]
		y := (x*(1-s.blunt) + s.last*s.blunt) * s.keep
		s.last = x
		z := s.allpass*(y-s.apOut) + s.apIn
		s.apIn, s.apOut = y, z
		s.ring[s.at] = z
		if s.at++; s.at == len(s.ring) {
			s.at = 0
		}
		out[i] += x * s.level
		top = max(top, x*s.level, -x*s.level)
		s.age++
	}
	return top > 2e-4
}
