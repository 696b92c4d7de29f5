package song

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// subtractive is subtractive synthesis, for pads, leads, basses, brass and bowed
// strings.
type subtractive struct {
	saws    int     // how many, spread by detune
	detune  float64 // cents
	pulse   float64 // width of a pulse instead of saws
	tri     bool
	sub     float64 // level of a sine an octave below
	air     float64 // level of breath
	cut     float64 // corner of the filter over the pitch
	open    float64 // how much the envelope opens it
	q       float64
	amp     sound.ADSR
	filter  sound.ADSR
	vibrato float64 // cents
	vowel   bool    // send it through the formants of "aah"
}

type subtractiveNote struct {
	w         subtractive
	osc       []sound.Oscillator
	steps     []float32
	sub       sound.Oscillator
	subStep   float32
	amp, env  *sound.Envelope
	svf       sound.SVF
	vowel     []*sound.Biquad
	vowelGain []float32
	noise     *sound.Noise
	hz, force float64
	bend      float32
	lfo       float64
	age       int
}

func (w subtractive) play(hz, held, force float64, seed uint64) noteVoice {
	noise := sound.NewNoise(seed)
	s := &subtractiveNote{w: w, hz: hz, force: force, noise: noise, bend: 1, amp: w.amp.Start(Rate, held), env: w.filter.Start(Rate, held)}
	n := max(1, w.saws)
	for i := range n {
		cents := 0.0
		if n > 1 {
			cents = w.detune * (2*float64(i)/float64(n-1) - 1)
		}
		s.osc = append(s.osc, sound.NewOscillator(math.Abs(float64(noise.Next()))))
		s.steps = append(s.steps, float32(hz*math.Exp2(cents/1200)/Rate))
	}
	s.subStep = float32(hz / 2 / Rate)
	s.lfo = math.Abs(float64(noise.Next()))
	if w.vowel {
		for _, f := range [][3]float64{{720, 6, 1}, {1150, 8, 0.6}, {2750, 10, 0.3}, {3500, 10, 0.18}} {
			s.vowel = append(s.vowel, sound.Bandpass(Rate, f[0]*math.Pow(hz/260, 0.12), f[1]))
			s.vowelGain = append(s.vowelGain, float32(f[2]))
		}
	}
	return s
}

func (s *subtractiveNote) render(out []float32) bool {
	gain := float32(s.force) / float32(math.Sqrt(float64(len(s.osc))))
	for i := range out {
		e := s.env.Next()
		if s.age&15 == 0 {
			hz := s.hz * (s.w.cut + s.w.open*float64(e)*(0.4+0.6*s.force))
			s.svf.Set(Rate, min(max(hz, 60), 16000), s.w.q)
			if s.w.vibrato > 0 {
				t := float64(s.age) / Rate
				depth := s.w.vibrato * min(1, max(0, (t-0.15)*3))
				s.bend = float32(math.Exp2(depth * math.Sin(2*math.Pi*(s.lfo+5.3*t)) / 1200))
			}
		}
		var x float32
		for k := range s.osc {
			switch {
			case s.w.tri:
				x += s.osc[k].Triangle(s.steps[k] * s.bend)
			case s.w.pulse > 0:
				x += s.osc[k].Pulse(s.steps[k]*s.bend, float32(s.w.pulse))
			default:
				x += s.osc[k].Saw(s.steps[k] * s.bend)
			}
		}
		x *= gain
		if s.w.sub > 0 {
			x += float32(s.w.sub*s.force) * s.sub.Sine(s.subStep)
		}
		if s.w.air > 0 {
			x += float32(s.w.air*s.force) * s.noise.Next()
		}
		x, _ = s.svf.Next(x)
		if s.vowel != nil {
			var y float32
			for k, f := range s.vowel {
				y += f.Next(x) * s.vowelGain[k]
			}
			x = 2.2*y + 0.1*x
		}
		out[i] += 0.4 * x * s.amp.Next()
		s.age++
	}
	return !s.amp.Done()
}

// additive is additive and FM synthesis: organ pipes, flutes, and with modulators
// electric pianos.
type additive struct {
	levels  []float64 // of the harmonics
	half    float64   // an octave below
	air     float64
	amp     sound.ADSR
	vibrato float64
	// FM: index and ratio of a modulator with its own decay, and a bright one.
	index, decay float64
	tine         float64
}

type additiveNote struct {
	t              additive
	phase, step    float32
	low            float32
	levels         []float32
	amp            *sound.Envelope
	noise          *sound.Noise
	breath         float32
	index, tine    float32
	fall, tineFall float32
	bend           float32
	lfo            float64
	age            int
	force          float64
	tineP          float32
}

func (t additive) play(hz, held, force float64, seed uint64) noteVoice {
	s := &additiveNote{t: t, step: float32(hz / Rate), amp: t.amp.Start(Rate, held), noise: sound.NewNoise(seed), bend: 1, force: force}
	for k, l := range t.levels {
		if float64(k+1)*hz < 15000 {
			s.levels = append(s.levels, float32(l))
		}
	}
	s.index = float32(t.index * (0.35 + force) / 6.28)
	s.tine = float32(t.tine * force * force)
	s.fall = float32(math.Exp(-1 / (max(t.decay, 0.01) * Rate)))
	s.tineFall = float32(math.Exp(-1 / (0.06 * Rate)))
	s.lfo = math.Abs(float64(s.noise.Next()))
	return s
}

func (s *additiveNote) render(out []float32) bool {
	for i := range out {
		if s.t.vibrato > 0 && s.age&31 == 0 {
			t := float64(s.age) / Rate
			s.bend = float32(math.Exp2(s.t.vibrato * min(1, max(0, 3*(t-0.2))) * math.Sin(2*math.Pi*(s.lfo+5.1*t)) / 1200))
		}
		s.phase += s.step * s.bend
		if s.phase >= 1 {
			s.phase--
		}
		var x float32
		if s.index > 0 {
			s.tineP = wrap(s.tineP + 14*s.step)
			p := s.phase + s.index*sound.Sine(s.phase)
			x = sound.Sine(wrap(p)) + 0.35*s.tine*sound.Sine(s.tineP)
			s.index *= s.fall
			s.tine *= s.tineFall
		} else {
			for k, l := range s.levels {
				p := s.phase * float32(k+1)
				x += l * sound.Sine(p-float32(int(p)))
			}
		}
		if s.t.half > 0 {
			if s.low += s.step * 0.5 * s.bend; s.low >= 1 {
				s.low--
			}
			x += float32(s.t.half) * sound.Sine(s.low)
		}
		if s.t.air > 0 {
			s.breath += 0.3 * (s.noise.Next() - s.breath)
			x += float32(s.t.air) * s.breath
		}
		out[i] += 0.3 * float32(s.force) * x * s.amp.Next()
		s.age++
	}
	return !s.amp.Done()
}

func wrap(p float32) float32 {
	p -= float32(int(p))
	if p < 0 {
		p++
	}
	return p
}
