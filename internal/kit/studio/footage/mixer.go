package footage

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// SoundRate is the sample rate of every sound that is mixed here.
const SoundRate = 48000

// Mixer mixes sounds in stereo. It holds 16-bit samples, as files do, so that
// ten minutes take a hundred megabytes.
type Mixer struct{ pcm []int16 }

// NewMixer returns silence of a length.
func NewMixer(seconds float64) *Mixer {
	return &Mixer{make([]int16, 2*int(math.Round(seconds*SoundRate)))}
}

// Frames returns the length in frames.
func (d *Mixer) Frames() int { return len(d.pcm) / 2 }

// Sound returns the mix for a clip.
func (d *Mixer) Sound() *film.Sound {
	return &film.Sound{Rate: SoundRate, Channels: 2, Samples: d.pcm}
}

// Cue is a sound to mix in, with its place and gain.
type Cue struct {
	Clip    *sound.Clip
	At      float64 // seconds into the mix
	From    float64 // seconds into the clip
	Seconds float64 // how much of it; all if zero
	Gain    float32 // one if zero
	In, Out float64 // seconds of fading
}

// Add adds a sound. What does not fit is left out.
func (d *Mixer) Add(c Cue) {
	if c.Clip == nil || c.Clip.Frames() == 0 {
		return
	}
	if c.Gain == 0 {
		c.Gain = 1
	}
	rate := float64(c.Clip.Rate)
	first := int(math.Round(c.From * rate))
	last := c.Clip.Frames()
	if c.Seconds > 0 {
		last = min(last, first+int(math.Round(c.Seconds*rate)))
	}
	if first >= last {
		return
	}
	length := float64(last-first) / rate
	at := int(math.Round(c.At * SoundRate))
	level := func(i int) float32 {
		t := float64(i) / SoundRate
		g := c.Gain
		if c.In > 0 && t < c.In {
			g *= float32(math.Sin(math.Pi / 2 * t / c.In))
		}
		if c.Out > 0 && t > length-c.Out {
			g *= float32(math.Sin(math.Pi / 2 * max(0, length-t) / c.Out))
		}
		return g
	}
	for side := range 2 {
		channel := min(side, c.Clip.Channels-1)
		resampled(c.Clip, channel, first, last, func(i int, x float32) {
			if k := at + i; k >= 0 && k < d.Frames() {
				d.pcm[2*k+side] = saturate(int32(d.pcm[2*k+side]) + int32(x*level(i)))
			}
		})
	}
}

// AddPlanes adds a sound at the rate of the mix.
func (d *Mixer) AddPlanes(left, right []float32, at float64, gain float32) {
	first := int(math.Round(at * SoundRate))
	for i := range min(len(left), len(right)) {
		if k := first + i; k >= 0 && k < d.Frames() {
			d.pcm[2*k] = saturate(int32(d.pcm[2*k]) + int32(32767*gain*left[i]))
			d.pcm[2*k+1] = saturate(int32(d.pcm[2*k+1]) + int32(32767*gain*right[i]))
		}
	}
}

func saturate(v int32) int16 { return int16(min(max(v, -32768), 32767)) }

// resampled gives the samples of a channel between two frames at the rate of
// the mix, as 16-bit values. It works in blocks that both rates share, so that
// memory does not grow with the clip.
func resampled(c *sound.Clip, channel, first, last int, give func(i int, x float32)) {
	read := func(i int) float32 {
		if i < first || i >= last {
			return 0
		}
		return float32(c.PCM[i*c.Channels+channel])
	}
	if c.Rate == SoundRate {
		for i := first; i < last; i++ {
			give(i-first, read(i))
		}
		return
	}
	g := gcd(c.Rate, SoundRate)
	in, out := c.Rate/g, SoundRate/g
	margin := (256 + in - 1) / in // blocks on both sides that are only read
	blocks := max(1, 4*c.Rate/in)
	plane := make([]float32, (blocks+2*margin)*in)
	for start, made := first, 0; start < last; start += blocks * in {
		for i := range plane {
			plane[i] = read(start - margin*in + i)
		}
		got := sound.Resample(plane, c.Rate, SoundRate)
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

// Duck lowers the mix between two times, with fades.
func (d *Mixer) Duck(from, to float64, gain float64) {
	const soft = 0.15
	for k := max(0, int((from-soft)*SoundRate)); k < min(d.Frames(), int((to+soft)*SoundRate)); k++ {
		t := float64(k) / SoundRate
		near := min(max((t-from+soft)/soft, 0), max((to+soft-t)/soft, 0), 1)
		g := float32(1 - (1-gain)*near)
		d.pcm[2*k], d.pcm[2*k+1] = int16(float32(d.pcm[2*k])*g), int16(float32(d.pcm[2*k+1])*g)
	}
}

// Normalize normalizes the loudness of the mix, unless it is silent.
func (d *Mixer) Normalize(lufs float64) {
	c := SoundOf(d.Sound())
	c.Normalise(lufs, -1)
}

// SoundOf converts the sound of a clip to the type of package sound.
func SoundOf(s *film.Sound) *sound.Clip {
	if s == nil {
		return nil
	}
	return &sound.Clip{Rate: s.Rate, Channels: s.Channels, PCM: s.Samples}
}
