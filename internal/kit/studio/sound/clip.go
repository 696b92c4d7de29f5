package sound

import (
	"time"

	"github.com/atelier-project/atelier/internal/codec/pcm"
)

// Clip is a finished recording. PCM holds the frames one after another, each
// with one sample per channel.
type Clip pcm.Sound

// NewClip makes a silent clip.
func NewClip(rate, channels, frames int) *Clip {
	return &Clip{Rate: rate, Channels: channels, PCM: make([]int16, channels*frames)}
}

// FromPlanes makes a clip of one plane per channel. Planes shorter than the
// first are read as silence where they end.
func FromPlanes(rate int, planes ...[]float32) *Clip {
	if len(planes) == 0 {
		return &Clip{Rate: rate, Channels: 1}
	}
	c := NewClip(rate, len(planes), len(planes[0]))
	for ch, plane := range planes {
		for i := range min(len(plane), c.Frames()) {
			c.PCM[i*c.Channels+ch] = pcm.Quantise(plane[i])
		}
	}
	return c
}

// Frames returns the length in samples of one channel.
func (c *Clip) Frames() int { return (*pcm.Sound)(c).Frames() }

// Check returns what is wrong with a clip that a caller assembled.
func (c *Clip) Check() error { return (*pcm.Sound)(c).Check() }

// Duration returns the length in time.
func (c *Clip) Duration() time.Duration {
	if c.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(c.Frames()) / float64(c.Rate) * float64(time.Second))
}

// Plane copies one channel.
func (c *Clip) Plane(channel int) []float32 {
	out := make([]float32, c.Frames())
	for i := range out {
		out[i] = float32(c.PCM[i*c.Channels+channel]) / 32768
	}
	return out
}

// Mono copies the mean of all channels.
func (c *Clip) Mono() []float32 {
	out := make([]float32, c.Frames())
	scale := 1 / (32768 * float32(max(c.Channels, 1)))
	for i := range out {
		var sum int
		for ch := range c.Channels {
			sum += int(c.PCM[i*c.Channels+ch])
		}
		out[i] = float32(sum) * scale
	}
	return out
}

// Cut returns the frames from start to end as a clip that shares them.
func (c *Clip) Cut(start, end int) *Clip {
	start = min(max(start, 0), c.Frames())
	end = min(max(end, start), c.Frames())
	return &Clip{Rate: c.Rate, Channels: c.Channels, PCM: c.PCM[start*c.Channels : end*c.Channels]}
}

// Peak returns the largest absolute sample, 1 being full scale.
func (c *Clip) Peak() float64 {
	var top int
	for _, s := range c.PCM {
		top = max(top, int(s), -int(s))
	}
	return float64(top) / 32768
}
