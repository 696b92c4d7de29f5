package cpu

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
)

// soundToVideo makes clips that move with a sound: pictures, or a painted scene, that
// swell with its loudness and flash with its beats.
func soundToVideo(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	path, ok := t.Files["audioSourceIndex"]
	if !ok {
		return nil, worker.Failf("sound_to_video needs a sound to follow.")
	}
	frames, err := length(t, 5)
	if err != nil {
		return nil, err
	}
	given, err := references(t)
	if err != nil {
		return nil, err
	}
	source, err := open(ctx, t, "sourceImageIndex")
	if err != nil {
		return nil, err
	}
	if source == nil && len(given.images) > 0 {
		if source, err = openPicture(ctx, given.images[0]); err != nil {
			return nil, err
		}
	}
	end, err := open(ctx, t, "endImageIndex")
	if err != nil {
		return nil, err
	}
	return shoot(ctx, t, "following the sound", func(_ int, seed int64) (*take, error) {
		var b image.Rectangle
		if source != nil {
			b = source.Bounds()
		}
		w, h, err := canvas(t, b.Dx(), b.Dy())
		if err != nil {
			return nil, err
		}
		k := &take{width: w, height: h, frames: frames}
		frame, err := k.scenery(ctx, t, source, end, seed)
		if err != nil {
			return nil, err
		}
		if frame, err = k.follow(ctx, t, path, number(t, "audioStart", 0), frame, seed); err != nil {
			return nil, err
		}
		limits(t, k)
		k.note("follows", "loudness and onsets of the sound; lips and gestures are not animated")
		mark := stamp(t, w, h)
		k.frame = func(i int) (image.Image, error) {
			img, err := frame(i)
			if err == nil {
				mark(img)
			}
			return img, err
		}
		return k, nil
	})
}

// scenery is what moves with the sound: the pictures that were given, or a scene.
func (k *take) scenery(ctx context.Context, t worker.Task, source, end image.Image, seed int64) (func(int) (*image.RGBA, error), error) {
	last := max(k.seconds()-1.0/frameRate, 1e-6)
	stops, err := keyframes(ctx, t, k.width, k.height, last)
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		img image.Image
		at  float64
	}{{source, 0}, {end, last}} {
		if s.img == nil {
			continue
		}
		fitted, err := fill(ctx, s.img, k.width, k.height)
		if err != nil {
			return nil, err
		}
		stops = append(stops, stop{s.at, fitted})
	}
	prompt := text(t, "prompt")
	if len(stops) == 0 {
		p := newPainter(ctx, t, prompt, k.width, k.height, seed)
		if err := p.account(k, prompt); err != nil {
			return nil, err
		}
		return func(i int) (*image.RGBA, error) {
			seconds := float64(i) / frameRate
			return p.at(seconds, seconds/last)
		}, nil
	}
	j, err := newJourney(ctx, k.width, k.height, k.seconds(), stops, prompt, seed)
	if err != nil {
		return nil, err
	}
	k.note("pictures", len(stops))
	return func(i int) (*image.RGBA, error) { return j.frame(float64(i) / frameRate), nil }, nil
}

// follow lets frames move with a sound from a moment of it on, and gives the
// take that sound.
func (k *take) follow(ctx context.Context, t worker.Task, path string, start float64, frame func(int) (*image.RGBA, error), seed int64) (func(int) (*image.RGBA, error), error) {
	clip, err := hear(ctx, path)
	if err != nil {
		return nil, err
	}
	if long := clip.Duration().Seconds(); start >= long {
		return nil, worker.Failf("The sound lasts %.1f seconds; it cannot begin at %g.", long, start)
	}
	d := newDesk(k.seconds())
	d.lay(cue{clip: clip, from: start, seconds: k.seconds(), in: 0.01, out: 0.05})
	p := pulseOf(clipOf(d.sound()), k.frames)
	if flag(t, "generateAudio", true) {
		k.sound = d.sound()
	}
	k.note("loudness", math.Round(clipOf(d.sound()).LUFS()*10)/10)
	k.note("beats", len(p.beats))
	net := newLattice(k.width, k.height)
	out := image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	return func(i int) (*image.RGBA, error) {
		img, err := frame(i)
		if err != nil {
			return nil, err
		}
		p.move(out, img, net, i, uint64(seed))
		return out, nil
	}, nil
}

// pulse is a sound as a picture feels it, frame by frame, from 0 to 1.
type pulse struct {
	level []float64 // how loud
	hit   []float64 // how long ago something began: 1 is now
	beats []int
}

// pulseOf measures a sound of so many frames.
func pulseOf(c *sound.Clip, frames int) *pulse {
	p := &pulse{level: make([]float64, frames), hit: make([]float64, frames)}
	loud := c.Loudness(frameRate)
	top := 1e-4
	for _, l := range loud {
		top = max(top, l)
	}
	rises := sound.Onsets(c.Mono(), c.Rate/frameRate)
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
		// Loudness is felt at once and forgotten slowly.
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
			p.beats = append(p.beats, i)
		}
		p.hit[i] = hit
	}
	return p
}

// move draws a frame as the sound has it: nearer and brighter when it is loud,
// with a jolt, a flash and sparks where something begins.
func (p *pulse) move(dst, src *image.RGBA, net *lattice, i int, seed uint64) {
	level, hit := p.level[i], p.hit[i]
	v := view{0.5, 0.5, 1 - 0.07*level - 0.035*hit, 0.010 * hit * math.Sin(float64(len(p.beats))+float64(i)*0.9)}
	aspect := float64(dst.Rect.Dx()) / float64(dst.Rect.Dy())
	wave := 0.004 * level
	net.bend(src.Rect, func(x, y float64) (float64, float64) {
		u, w := v.place(x, y, aspect)
		dx, dy := (x-0.5)*aspect, y-0.5
		r := math.Hypot(dx, dy) + 1e-6
		k := wave * math.Sin(22*r-float64(i)*0.55) / r
		return u + dx*k/aspect, w + dy*k
	})
	net.draw(dst, src)
	l := 0.90 + 0.22*level + 0.16*hit
	light{l, l, l * (1 - 0.03*hit), 0}.shine(dst)
	s := swarm{kind: "sparkles", count: 1.6, seed: seed}
	if n := len(p.beats); n > 0 {
		last := 0
		for last+1 < n && p.beats[last+1] <= i {
			last++
		}
		s.seed += uint64(last) * 104729 // each beat has its own sparks
	}
	s.draw(dst, float64(i)/frameRate, hit*0.8)
}
