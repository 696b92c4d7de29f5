package motion

import (
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// AudioPulse is the loudness and the onsets of a sound, frame by frame, from 0 to 1.
type AudioPulse struct {
	level []float64 // how loud
	hit   []float64 // decay since the last onset: 1 at the onset
	Beats []int
}

// AudioPulseOf measures a sound for a number of frames.
func AudioPulseOf(c *sound.Clip, frames int) *AudioPulse {
	p := &AudioPulse{level: make([]float64, frames), hit: make([]float64, frames)}
	loud := c.Loudness(footage.FrameRate)
	top := 1e-4
	for _, l := range loud {
		top = max(top, l)
	}
	rises := sound.Onsets(c.Mono(), c.Rate/footage.FrameRate)
	strong := 1e-9
	for _, r := range rises {
		strong = max(strong, r)
	}
	held, hit, since := 0.0, 0.0, 99
	for i := range frames {
		now := 0.0
		if i < len(loud) {
			now = math.Sqrt(loud[i] / top)
		}
		// The level rises at once and falls slowly.
		if now > held {
			held += (now - held) * 0.7
		} else {
			held += (now - held) * 0.22
		}
		p.level[i] = held
		hit *= 0.78
		since++
		if i < len(rises) && rises[i] > 0.35*strong && now > 0.1 && since > 3 {
			hit, since = 0.4+0.6*rises[i]/strong, 0
			p.Beats = append(p.Beats, i)
		}
		p.hit[i] = hit
	}
	return p
}

// Draw draws a frame that follows the sound: nearer and brighter when it is
// loud, with a shake, a flash and sparks at onsets.
func (p *AudioPulse) Draw(dst, src *image.RGBA, net *WarpGrid, i int, seed uint64) {
	level, hit := p.level[i], p.hit[i]
	v := View{0.5, 0.5, 1 - 0.07*level - 0.035*hit, 0.010 * hit * math.Sin(float64(len(p.Beats))+float64(i)*0.9)}
	aspect := float64(dst.Rect.Dx()) / float64(dst.Rect.Dy())
	wave := 0.004 * level
	net.Set(src.Rect, func(x, y float64) (float64, float64) {
		u, w := v.Place(x, y, aspect)
		dx, dy := (x-0.5)*aspect, y-0.5
		r := math.Hypot(dx, dy) + 1e-6
		k := wave * math.Sin(22*r-float64(i)*0.55) / r
		return u + dx*k/aspect, w + dy*k
	})
	net.Draw(dst, src)
	l := 0.90 + 0.22*level + 0.16*hit
	Light{l, l, l * (1 - 0.03*hit), 0}.Apply(dst)
	s := Particles{kind: "sparkles", count: 1.6, seed: seed}
	if n := len(p.Beats); n > 0 {
		last := 0
		for last+1 < n && p.Beats[last+1] <= i {
			last++
		}
		s.seed += uint64(last) * 104729 // each beat has its own sparks
	}
	s.Draw(dst, float64(i)/footage.FrameRate, hit*0.8)
}
