package remote

import (
	"context"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// soundRate is the sample rate of joined sound.
const soundRate = 48000

// maxSound is how much of the sound of a clip is read, in seconds.
const maxSound = 30 * 60

// sound is that of a joined clip: the old sound before and after the new one, or
// all of the old.
func (k *cut) sound(ctx context.Context, part string) (*film.Sound, error) {
	old, err := film.ReadSound(ctx, k.source, film.Auto, maxSound)
	if err != nil {
		return nil, err
	}
	added, err := film.ReadSound(ctx, part, film.Auto, maxSound)
	if err != nil || old == nil && added == nil {
		return nil, err
	}
	rate := k.facts.Rate()
	first, last, whole := float64(k.first)/rate, float64(k.last)/rate, float64(max(k.facts.Frames, k.last))/rate
	out := make([]int16, 2*int(math.Round(whole*soundRate)))
	extends := k.first >= k.facts.Frames
	switch {
	case k.keepSound && !extends:
		copySound(out, old, 0, 0, whole)
		return &film.Sound{Rate: soundRate, Channels: 2, Samples: out}, nil
	case k.keepSound || !extends:
		copySound(out, old, 0, 0, first)
		copySound(out, old, last, last, whole)
	}
	copySound(out, added, first, 0, last)
	return &film.Sound{Rate: soundRate, Channels: 2, Samples: out}, nil
}

// copySound copies s, from the second from on, into out, from the second at until
// the second until.
func copySound(out []int16, s *film.Sound, at, from, until float64) {
	if s == nil || s.Channels < 1 {
		return
	}
	frames := len(s.Samples) / s.Channels
	for i := int(math.Round(at * soundRate)); i < min(len(out)/2, int(math.Round(until*soundRate))); i++ {
		x := (float64(i)/soundRate - at + from) * float64(s.Rate)
		n := int(x)
		if n >= frames {
			return
		}
		part := x - float64(n)
		for side := range 2 {
			c := min(side, s.Channels-1)
			v := float64(s.Samples[n*s.Channels+c])
			if n+1 < frames {
				v += (float64(s.Samples[(n+1)*s.Channels+c]) - v) * part
			}
			out[2*i+side] = int16(math.Round(v))
		}
	}
}
