package voice

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// frame is the parameters of the synthesiser at one time.
type frame struct {
	hz                  float64    // of the vocal folds
	voice, breath, fric float64    // dB, 0 is off
	f, b                [3]float64 // the moving formants
	nasal               float64    // 0 to 1: how far the nose is open
	noise               [2]band
}

// frameRate is how often the parameters of the tract change, in Hz.
const frameRate = 400

// tract is the vocal tract: a source of pulses and breath goes through a
// cascade of resonators, and the noise of fricatives and bursts goes in
// parallel through two bands of its own.
type tract struct {
	rate   int
	timbre Timbre
	noise  *sound.Noise

	phase        float64 // of the vocal folds, in turns
	wobble       float64
	tilt, tilted float64
	lips         float64
	hiss         float64

	formants [6]resonator
	nosePole resonator
	noseZero antiresonator
	bands    [2]*sound.SVF
	bandGain [2]float64
	now      frame
}

func newTract(rate int, t Timbre, seed uint64) *tract {
	s := &tract{rate: rate, timbre: t, noise: sound.NewNoise(seed), bands: [2]*sound.SVF{{}, {}}}
	// Loss at 3 kHz sets the corner of a filter of first order.
	loss := math.Pow(10, t.Tilt/20)
	corner := 3000 / math.Sqrt(max(loss*loss-1, 1e-3))
	s.tilt = 1 - math.Exp(-2*math.Pi*min(corner, 0.45*float64(rate))/float64(rate))
	return s
}

// render appends the sound of the frames to out.
func (s *tract) render(frames []frame, out []float32) []float32 {
	step := s.rate / frameRate
	if len(frames) > 0 {
		s.now = frames[0]
	}
	for _, f := range frames {
		s.tune(f)
		before := s.now
		for i := range step {
			t := float64(i) / float64(step)
			voice := level(before.voice)*(1-t) + level(f.voice)*t
			breath := level(before.breath)*(1-t) + level(f.breath)*t
			fric := level(before.fric)*(1-t) + level(f.fric)*t
			out = append(out, float32(s.next(before.hz+(f.hz-before.hz)*t, voice, breath, fric)))
		}
		s.now = f
	}
	return out
}

// level turns the table's decibels into a factor: 60 is 1.
func level(db float64) float64 {
	if db <= 0 {
		return 0
	}
	return math.Pow(10, (db-60)/20)
}

func (s *tract) tune(f frame) {
	for k := range 3 {
		s.formants[k].set(s.rate, f.f[k]*s.timbre.Size, f.b[k]*(1+s.timbre.Breath))
	}
	// Formants above the third hardly move.
	s.formants[3].set(s.rate, 3500*s.timbre.Size, 260)
	s.formants[4].set(s.rate, 4500*s.timbre.Size, 320)
	s.formants[5].set(s.rate, 5600*s.timbre.Size, 500)
	s.nosePole.set(s.rate, 270, 100)
	s.noseZero.set(s.rate, 270+330*f.nasal, 100)
	for k, n := range f.noise {
		if n.hz > 0 {
			s.bands[k].Set(s.rate, min(n.hz, 0.42*float64(s.rate)), n.hz/n.width)
			s.bandGain[k] = math.Pow(10, n.db/20)
		}
	}
}

// next makes one sample.
func (s *tract) next(hz, voice, breath, fric float64) float64 {
	t := s.timbre
	step := hz / float64(s.rate) * (1 + s.wobble)
	s.phase += step
	if s.phase >= 1 {
		s.phase -= 1
		s.wobble = float64(s.noise.Next()) * (0.006 + 0.05*t.Rough)
		if t.Machine {
			s.wobble = 0
		}
	}
	// The slope of the air flow through the folds: it swells while they are open
	// and ends with a jump when they close. The jump is what excites the mouth;
	// it is smoothed over two samples so that high voices stay clean.
	open := 0.56 + 0.24*t.Breath
	var pulse float64
	if u := s.phase / open; u < 1 {
		pulse = 2*u - 3*u*u
	}
	pulse += blepStep(s.phase-open, step)
	s.tilted += s.tilt * (pulse - s.tilted)

	white := float64(s.noise.Next())
	s.hiss = 0.6*s.hiss + 0.4*white // breath is softer than white noise
	gust := s.hiss
	if voice > 0.01 && s.phase > open {
		gust *= 0.4 // air hardly passes closed folds
	}
	x := s.tilted*voice*(1-0.85*t.Breath*t.Breath) + gust*(0.5*breath+voice*(0.02+0.28*t.Breath))

	x = s.noseZero.next(s.nosePole.next(x))
	for k := range s.formants {
		x = s.formants[k].next(x)
	}
	if fric > 0 {
		h := white
		if voice > 0.01 && s.phase > open {
			h *= 0.6
		}
		var y float64
		for k, b := range s.bands {
			_, band := b.Next(float32(h))
			y += float64(band) * s.bandGain[k]
		}
		x += y * fric * 0.9
	}
	// Radiation from the lips, and the formants above those modelled, lift the
	// treble.
	y := x + 0.55*(x-s.lips)
	s.lips = x
	return y * 0.25
}

// blepStep rounds off the step by one at a distance d (in turns) behind it.
func blepStep(d, step float64) float64 {
	switch {
	case d >= 0 && d < step:
		u := d/step - 1
		return -0.5 * u * u
	case d < 0 && d > -step:
		u := d/step + 1
		return 0.5 * u * u
	}
	return 0
}

// resonator is a formant. It leaves the lowest frequencies as they are, so a
// chain of them has the shape of a vowel without further gains.
type resonator struct{ a, b, c, y1, y2 float64 }

func (r *resonator) set(rate int, hz, width float64) {
	if hz > 0.46*float64(rate) {
		r.a, r.b, r.c = 1, 0, 0
		return
	}
	e := math.Exp(-math.Pi * width / float64(rate))
	r.c = -e * e
	r.b = 2 * e * math.Cos(2*math.Pi*hz/float64(rate))
	r.a = 1 - r.b - r.c
}

func (r *resonator) next(x float64) float64 {
	y := r.a*x + r.b*r.y1 + r.c*r.y2 + 1e-30
	r.y2, r.y1 = r.y1, y
	return y
}

// antiresonator takes out what a resonator of the same tuning puts in.
type antiresonator struct{ a, b, c, x1, x2 float64 }

func (r *antiresonator) set(rate int, hz, width float64) {
	var p resonator
	p.set(rate, hz, width)
	r.a, r.b, r.c = 1/p.a, -p.b/p.a, -p.c/p.a
}

func (r *antiresonator) next(x float64) float64 {
	y := r.a*x + r.b*r.x1 + r.c*r.x2
	r.x2, r.x1 = r.x1, x
	return y
}
