package sound

import "math"

// ADSR is the shape of a note's loudness: seconds to rise, seconds to fall to
// the sustained level, that level, and seconds to die away once released.
type ADSR struct {
	Attack, Decay, Sustain, Release float64
}

// Envelope runs an ADSR sample by sample. The parts after the attack are
// exponential.
type Envelope struct {
	rise, fall, die float32
	sustain         float32
	hold            int
	n               int
	level           float32
	falling         bool
}

// Start begins a note that is held for some seconds.
func (a ADSR) Start(rate int, held float64) *Envelope {
	r := float64(rate)
	return &Envelope{
		rise:    float32(1 / max(1, a.Attack*r)),
		fall:    float32(1 - math.Exp(-3/max(1, a.Decay*r))),
		die:     float32(math.Exp(-5 / max(1, a.Release*r))),
		sustain: float32(a.Sustain),
		hold:    int(held * r),
	}
}

// Next gives the level of the next sample.
func (e *Envelope) Next() float32 {
	switch {
	case e.n >= e.hold:
		e.level *= e.die
	case e.falling:
		e.level += (e.sustain - e.level) * e.fall
	default:
		e.level += e.rise
		if e.level >= 1 {
			e.level, e.falling = 1, true
		}
	}
	e.n++
	return e.level
}

// Done reports whether the rest is silence.
func (e *Envelope) Done() bool {
	return e.n >= e.hold && e.level < 2e-4 || e.falling && e.sustain == 0 && e.level < 2e-4
}
