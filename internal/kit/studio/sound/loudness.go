package sound

import (
	"math"

	"github.com/atelier-project/atelier/internal/codec/pcm"
)

// meter is the K-weighting of ITU-R BS.1770: a high shelf and a highpass.
type meter struct{ shelf, high *Biquad }

func newMeter(rate int) meter {
	r := float64(rate)
	// Both filters are given by the recommendation for 48 kHz only; these are
	// the analogue corners behind the printed coefficients, for any rate.
	k := math.Tan(math.Pi * 1681.974450955533 / r)
	q := 0.7071752369554196
	vh := math.Pow(10, 3.999843853973347/20)
	vb := math.Pow(vh, 0.4996667741545416)
	shelf := biquad(vh+vb*k/q+k*k, 2*(k*k-vh), vh-vb*k/q+k*k, 1+k/q+k*k, 2*(k*k-1), 1-k/q+k*k)
	k, q = math.Tan(math.Pi*38.13547087602444/r), 0.5003270373238773
	high := biquad(1, -2, 1, 1, 2*(k*k-1)/(1+k/q+k*k), (1-k/q+k*k)/(1+k/q+k*k))
	return meter{shelf, high}
}

func (m meter) next(x float32) float64 {
	y := float64(m.high.Next(m.shelf.Next(x)))
	return y * y
}

// LUFS returns the gated loudness of the whole clip. Silence is -70.
func (c *Clip) LUFS() float64 {
	step := c.Rate / 10
	if step == 0 || c.Frames() == 0 {
		return -70
	}
	// Tenths of a second; a block of the recommendation is four of them.
	tenths := make([]float64, c.Frames()/step+1)
	for ch := range c.Channels {
		m := newMeter(c.Rate)
		for i := range c.Frames() {
			tenths[i/step] += m.next(float32(c.PCM[i*c.Channels+ch]) / 32768)
		}
	}
	// A clip shorter than a block is one block of its own length.
	span := min(4, max(1, c.Frames()/step))
	blocks := make([]float64, 0, len(tenths))
	for i := 0; i == 0 || (i+span)*step <= c.Frames(); i++ {
		var sum float64
		for _, v := range tenths[i : i+span] {
			sum += v
		}
		blocks = append(blocks, sum/float64(min(span*step, c.Frames())))
	}
	mean := func(floor float64) float64 {
		var sum float64
		var n int
		for _, b := range blocks {
			if b > floor {
				sum, n = sum+b, n+1
			}
		}
		return sum / float64(max(n, 1))
	}
	gate := math.Pow(10, (-70+0.691)/10)
	p := mean(max(gate, mean(gate)*0.1))
	if p <= gate {
		return -70
	}
	return -0.691 + 10*math.Log10(p)
}

// Normalise brings a clip of one or two channels to a loudness in LUFS, with no
// peak above the ceiling in dB of full scale. It works in place. Limiting costs
// some loudness, so a clip with many peaks is raised once more.
func (c *Clip) Normalise(lufs, ceiling float64) {
	for range 2 {
		now := c.LUFS()
		if now <= -70 || math.Abs(lufs-now) < 0.3 {
			return
		}
		c.limit(Decibel(min(lufs-now, 40)), ceiling)
	}
}

func (c *Clip) limit(gain float32, ceiling float64) {
	limit := NewLimiter(c.Rate, ceiling)
	late := limit.Latency()
	n := c.Frames()
	for i := range n + late {
		var l, r float32
		if i < n {
			l = float32(c.PCM[i*c.Channels]) / 32768 * gain
			r = l
			if c.Channels > 1 {
				r = float32(c.PCM[i*c.Channels+1]) / 32768 * gain
			}
		}
		l, r = limit.Next(l, r)
		if at := i - late; at >= 0 {
			c.PCM[at*c.Channels] = pcm.Quantise(l)
			if c.Channels > 1 {
				c.PCM[at*c.Channels+1] = pcm.Quantise(r)
			}
		}
	}
}

// Loudness returns the level (root mean square, 1 being full scale) of each of the
// frames of a film that runs at perSecond frames a second. It always has at
// least one entry and covers the whole clip.
func (c *Clip) Loudness(perSecond float64) []float64 {
	if perSecond <= 0 || c.Rate <= 0 {
		return []float64{0}
	}
	span := float64(c.Rate) / perSecond
	out := make([]float64, max(1, int(math.Ceil(float64(c.Frames())/span-1e-9))))
	for f := range out {
		start, end := int(float64(f)*span), min(int(float64(f+1)*span), c.Frames())
		var sum float64
		for _, s := range c.PCM[start*c.Channels : max(start, end)*c.Channels] {
			sum += float64(s) * float64(s)
		}
		out[f] = math.Sqrt(sum/float64(max(1, (end-start)*c.Channels))) / 32768
	}
	return out
}
