package sound

import (
	"math"

	"github.com/atelier-project/atelier/internal/codec/pcm"
)

// ambiences are the background sounds by name. Each fills two planes of the
// same length with sound around a tenth of full scale.
var ambiences = map[string]func(*ambience){
	"wind": (*ambience).wind, "sea": (*ambience).sea, "rain": (*ambience).rain, "thunder": (*ambience).thunder, "fire": (*ambience).fire,
	"stream": (*ambience).stream, "birds": (*ambience).birds, "crickets": (*ambience).crickets, "city": (*ambience).city, "crowd": (*ambience).crowd,
	"engine": (*ambience).engine, "room": (*ambience).room, "space": (*ambience).space, "underwater": (*ambience).underwater,
}

// Ambience returns frames of a background sound in stereo. It fades in and out.
// The same seed gives the same sound; an unknown name is silence.
func Ambience(name string, rate, frames int, seed uint64) (left, right []float32) {
	s := &ambience{rate: rate, left: make([]float32, frames), right: make([]float32, frames), chance: NewNoise(seed*2654435761 + 97)}
	if fill := ambiences[name]; fill != nil && rate >= pcm.MinRate {
		fill(s)
	}
	edge := min(rate/4, frames/4)
	Fade(s.left, edge, edge)
	Fade(s.right, edge, edge)
	return s.left, s.right
}

// ambience is the state of an ambience that is being made.
type ambience struct {
	rate        int
	left, right []float32
	chance      *Noise
}

// unit returns a random number from 0 to 1.
func (s *ambience) unit() float64 { return float64(s.chance.Next()+1) / 2 }

// between returns a random number from low to high.
func (s *ambience) between(low, high float64) float64 { return low + (high-low)*s.unit() }

// newNoise returns a noise that differs at each call.
func (s *ambience) newNoise() *Noise { return NewNoise(uint64(s.unit()*(1<<52)) + 1) }

// randomCurve returns a slow random curve from 0 to 1 that turns about hz times a second.
func (s *ambience) randomCurve(hz float64) func() float32 {
	step := hz / float64(s.rate)
	at, from, to := 1.0, s.unit(), s.unit()
	return func() float32 {
		if at += step; at >= 1 {
			at, from, to = at-1, to, s.unit()
		}
		return float32(from + (to-from)*(0.5-0.5*math.Cos(math.Pi*at)))
	}
}

// addNoiseBed adds noise through a lowpass whose corner and level move: the base of
// wind, surf and traffic.
func (s *ambience) addNoiseBed(low, high, q, turns, gain float64) {
	for _, plane := range [][]float32{s.left, s.right} {
		noise, corner, level := s.newNoise(), s.randomCurve(turns), s.randomCurve(turns*0.7)
		var f SVF
		for i := range plane {
			if i%32 == 0 {
				f.Set(s.rate, low+(high-low)*float64(corner()), q)
			} else {
				corner()
			}
			deep, band := f.Next(noise.Next())
			plane[i] += (0.6*deep + 0.8*band) * (0.35 + 0.65*level()) * float32(gain)
		}
	}
}

// addEvent adds a sound at a place and a time, given as a function of the seconds
// since it began.
func (s *ambience) addEvent(start int, seconds, place float64, gain float32, tone func(t float64) float64) {
	l, r := Pan(place)
	for i := range int(seconds * float64(s.rate)) {
		at := start + i
		if at < 0 || at >= len(s.left) {
			continue
		}
		v := float32(tone(float64(i)/float64(s.rate))) * gain
		s.left[at] += v * l
		s.right[at] += v * r
	}
}

// randomly calls do at random times, perSecond times a second on average.
func (s *ambience) randomly(perSecond float64, do func(at int)) {
	for at := 0.0; ; {
		at += -math.Log(1-0.999*s.unit()) / perSecond * float64(s.rate)
		if at >= float64(len(s.left)) {
			return
		}
		do(int(at))
	}
}
