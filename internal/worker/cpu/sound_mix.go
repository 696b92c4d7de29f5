package cpu

import (
	"math"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/studio/sound"
)

// soundRate is the sample rate of every sound that is mixed here.
const soundRate = 48000

// desk mixes sounds in stereo. It holds 16 bits a sample, as files do, so that
// ten minutes stay a hundred megabytes.
type desk struct{ pcm []int16 }

// newDesk is silence of a length.
func newDesk(seconds float64) *desk {
	return &desk{make([]int16, 2*int(math.Round(seconds*soundRate)))}
}

// frames is the length in moments.
func (d *desk) frames() int { return len(d.pcm) / 2 }

// sound is the mix for a clip.
func (d *desk) sound() *film.Sound {
	return &film.Sound{Rate: soundRate, Channels: 2, Samples: d.pcm}
}

// cue is a sound on its way into the mix.
type cue struct {
	clip    *sound.Clip
	at      float64 // seconds into the mix
	from    float64 // seconds into the clip
	seconds float64 // how much of it; all if zero
	gain    float32 // one if zero
	in, out float64 // seconds of fading
}

// lay adds a sound. What does not fit is left out.
func (d *desk) lay(c cue) {
	if c.clip == nil || c.clip.Frames() == 0 {
		return
	}
	if c.gain == 0 {
		c.gain = 1
	}
	rate := float64(c.clip.Rate)
	first := int(math.Round(c.from * rate))
	last := c.clip.Frames()
	if c.seconds > 0 {
		last = min(last, first+int(math.Round(c.seconds*rate)))
	}
	if first >= last {
		return
	}
	length := float64(last-first) / rate
	at := int(math.Round(c.at * soundRate))
	level := func(i int) float32 {
		t := float64(i) / soundRate
		g := c.gain
		if c.in > 0 && t < c.in {
			g *= float32(math.Sin(math.Pi / 2 * t / c.in))
		}
		if c.out > 0 && t > length-c.out {
			g *= float32(math.Sin(math.Pi / 2 * max(0, length-t) / c.out))
		}
		return g
	}
	for side := range 2 {
		channel := min(side, c.clip.Channels-1)
		resampled(c.clip, channel, first, last, func(i int, x float32) {
			if k := at + i; k >= 0 && k < d.frames() {
				d.pcm[2*k+side] = saturate(int32(d.pcm[2*k+side]) + int32(x*level(i)))
			}
		})
	}
}

// layPlanes adds a sound that was just made, at the rate of the desk.
func (d *desk) layPlanes(left, right []float32, at float64, gain float32) {
	first := int(math.Round(at * soundRate))
	for i := range min(len(left), len(right)) {
		if k := first + i; k >= 0 && k < d.frames() {
			d.pcm[2*k] = saturate(int32(d.pcm[2*k]) + int32(32767*gain*left[i]))
			d.pcm[2*k+1] = saturate(int32(d.pcm[2*k+1]) + int32(32767*gain*right[i]))
		}
	}
}

func saturate(v int32) int16 { return int16(min(max(v, -32768), 32767)) }

// resampled gives the samples of a channel between two frames at the rate of the
// desk, as 16-bit values. It works in blocks that both rates share, so that
// memory does not grow with the clip.
func resampled(c *sound.Clip, channel, first, last int, give func(i int, x float32)) {
	read := func(i int) float32 {
		if i < first || i >= last {
			return 0
		}
		return float32(c.PCM[i*c.Channels+channel])
	}
	if c.Rate == soundRate {
		for i := first; i < last; i++ {
			give(i-first, read(i))
		}
		return
	}
	g := gcd(c.Rate, soundRate)
	in, out := c.Rate/g, soundRate/g
	margin := (256 + in - 1) / in // blocks on both sides that only serve as neighbours
	blocks := max(1, 4*c.Rate/in)
	plane := make([]float32, (blocks+2*margin)*in)
	for start, made := first, 0; start < last; start += blocks * in {
		for i := range plane {
			plane[i] = read(start - margin*in + i)
		}
		got := sound.Resample(plane, c.Rate, soundRate)
		for i := range blocks * out {
			if k := margin*out + i; k < len(got) && made+i < (last-first)*out/in {
				give(made+i, got[k])
			}
		}
		made += blocks * out
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}

// duck lowers what is in the mix between two moments, softly.
func (d *desk) duck(from, to float64, gain float64) {
	const soft = 0.15
	for k := max(0, int((from-soft)*soundRate)); k < min(d.frames(), int((to+soft)*soundRate)); k++ {
		t := float64(k) / soundRate
		near := min(max((t-from+soft)/soft, 0), max((to+soft-t)/soft, 0), 1)
		g := float32(1 - (1-gain)*near)
		d.pcm[2*k], d.pcm[2*k+1] = int16(float32(d.pcm[2*k])*g), int16(float32(d.pcm[2*k+1])*g)
	}
}

// settle brings the mix to a comfortable level, unless it is silent.
func (d *desk) settle(lufs float64) {
	c := clipOf(d.sound())
	c.Normalise(lufs, -1)
}
