package sound

import "math"

const sineSize = 4096

// sineTable has one more entry than a turn, so that reading between two entries
// needs no wrap.
var sineTable = func() (t [sineSize + 1]float32) {
	for i := range t {
		t[i] = float32(math.Sin(2 * math.Pi * float64(i) / sineSize))
	}
	return t
}()

// Sine reads the sine of a phase in turns, 0 to below 1.
func Sine(phase float32) float32 {
	at := phase * sineSize
	i := int(at)
	a := sineTable[i&(sineSize-1)]
	return a + (sineTable[i&(sineSize-1)+1]-a)*(at-float32(i))
}

// Oscillator makes a band-limited saw, pulse or triangle: the steps of the
// plain waves are rounded by a polynomial over two samples, (polyBLEP), which
// reduces aliasing.
type Oscillator struct {
	phase float32
	last  float32
}

// NewOscillator starts at a phase in turns.
func NewOscillator(phase float64) Oscillator {
	return Oscillator{phase: float32(phase - math.Floor(phase))}
}

func blep(t, step float32) float32 {
	switch {
	case t < step:
		t /= step
		return t + t - t*t - 1
	case t > 1-step:
		t = (t - 1) / step
		return t*t + t + t + 1
	}
	return 0
}

// Saw gives the next sample; step is the frequency over the sample rate.
func (o *Oscillator) Saw(step float32) float32 {
	p := o.phase
	o.advance(step)
	return 2*p - 1 - blep(p, step)
}

// Pulse gives the next sample of a pulse that is high for width of each turn.
func (o *Oscillator) Pulse(step, width float32) float32 {
	p := o.phase
	o.advance(step)
	v := float32(-1)
	if p < width {
		v = 1
	}
	q := p - width
	if q < 0 {
		q++
	}
	return v + blep(p, step) - blep(q, step)
}

// Triangle gives the next sample: a leaky integral of a square wave.
func (o *Oscillator) Triangle(step float32) float32 {
	o.last += 4*step*o.Pulse(step, 0.5) - o.last*step*0.5
	return o.last
}

// Sine gives the next sample of a sine.
func (o *Oscillator) Sine(step float32) float32 {
	p := o.phase
	o.advance(step)
	return Sine(p)
}

func (o *Oscillator) advance(step float32) {
	o.phase += step
	if o.phase >= 1 {
		o.phase -= float32(int(o.phase))
	}
}

// Noise is white noise from a seed.
type Noise struct{ state uint64 }

// NewNoise starts a noise. The same seed gives the same noise.
func NewNoise(seed uint64) *Noise {
	return &Noise{state: seed*0x9E3779B97F4A7C15 ^ 0xD1B54A32D192ED03}
}

// Next gives a sample from -1 to 1.
func (n *Noise) Next() float32 {
	if n.state == 0 {
		n.state = 0x9E3779B97F4A7C15
	}
	n.state ^= n.state << 13
	n.state ^= n.state >> 7
	n.state ^= n.state << 17
	return float32(int32(n.state>>32)) / (1 << 31)
}
