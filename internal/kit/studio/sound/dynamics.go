package sound

import "math"

// Compressor compresses the dynamics of two planes together, so that the stereo
// image does not move.
type Compressor struct {
	threshold, slope float64
	attack, release  float64
	level            float64 // of the follower, in power
	gain             float32
	count            int
}

// NewCompressor attenuates what is above threshold (in dB) by the ratio.
func NewCompressor(rate int, threshold, ratio, attack, release float64) *Compressor {
	return &Compressor{
		threshold: threshold, slope: 1 - 1/ratio,
		attack:  1 - math.Exp(-1/(attack*float64(rate))),
		release: 1 - math.Exp(-1/(release*float64(rate))),
		gain:    1,
	}
}

// Process compresses both planes in place; they may be the same one.
func (c *Compressor) Process(left, right []float32) {
	mono := len(left) > 0 && &left[0] == &right[0]
	for i := range left {
		p := float64(left[i]*left[i]+right[i]*right[i]) / 2
		if p > c.level {
			c.level += (p - c.level) * c.attack
		} else {
			c.level += (p - c.level) * c.release
		}
		// The logarithm is computed every few samples only.
		if c.count&15 == 0 {
			over := 10*math.Log10(c.level+1e-12) - c.threshold
			c.gain = float32(math.Pow(10, -max(over, 0)*c.slope/20))
		}
		c.count++
		left[i] *= c.gain
		if !mono {
			right[i] *= c.gain
		}
	}
}

// Limiter keeps peaks under a ceiling. It looks ahead, so the gain is already
// down when the peak arrives, and it moves smoothly, so nothing is clipped.
type Limiter struct {
	ceiling float32
	ahead   int
	delay   [2]*Line
	need    []float32 // the gains that the samples ahead need, as a ring buffer
	at      int
	release float32
	low     float32 // the smallest of need
	held    float32 // low, rising slowly
	smooth  []float32
	sum     float64
}

// NewLimiter makes a limiter with a ceiling in dB of full scale.
func NewLimiter(rate int, ceiling float64) *Limiter {
	n := max(2, rate*4/1000)
	l := &Limiter{
		ceiling: Decibel(ceiling), ahead: n, delay: [2]*Line{NewLine(n), NewLine(n)},
		need: make([]float32, n), smooth: make([]float32, n),
		release: float32(1 - math.Exp(-1/(0.08*float64(rate)))), low: 1, held: 1, sum: float64(n),
	}
	for i := range n {
		l.need[i], l.smooth[i] = 1, 1
	}
	return l
}

// Latency returns how many samples the output is behind the input.
func (l *Limiter) Latency() int { return l.ahead - 1 }

// Next limits one frame and returns the frame of Latency frames ago.
func (l *Limiter) Next(left, right float32) (float32, float32) {
	peak := max(left, -left, right, -right)
	want := float32(1)
	if peak > l.ceiling {
		want = l.ceiling / peak
	}
	l.delay[0].Push(left)
	l.delay[1].Push(right)
	i := l.at
	if l.at++; l.at == l.ahead {
		l.at = 0
	}
	// The smallest gain asked for within the window. The ring is searched only
	// when its smallest entry leaves, which is rare.
	old := l.need[i]
	l.need[i] = want
	if want <= l.low {
		l.low = want
	} else if old <= l.low {
		l.low = 1
		for _, n := range l.need {
			l.low = min(l.low, n)
		}
	}
	if l.low < l.held {
		l.held = l.low
	} else {
		l.held += (l.low - l.held) * l.release
	}
	// The mean over the window turns the steps into ramps that are complete
	// when the peak leaves the delay.
	l.sum += float64(l.held) - float64(l.smooth[i])
	l.smooth[i] = l.held
	gain := float32(l.sum / float64(l.ahead))
	return clamp(l.delay[0].Tap(l.ahead-1)*gain, l.ceiling), clamp(l.delay[1].Tap(l.ahead-1)*gain, l.ceiling)
}

func clamp(x, top float32) float32 { return min(max(x, -top), top) }

// Soften is a soft clipper.
func Soften(x float32) float32 {
	switch {
	case x > 1.5:
		return 1
	case x < -1.5:
		return -1
	}
	return x - x*x*x*(4.0/27.0)
}
