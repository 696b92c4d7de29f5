package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/studio/motion"
	"github.com/atelier-project/atelier/internal/studio/paint"
	"github.com/atelier-project/atelier/internal/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/cpu/task"
)

// Extend makes a clip longer: what moved in its last frames goes on moving, ever
// more gently, and what the prompt says happens.
func Extend(ctx context.Context, t task.Task) ([]worker.Output, error) {
	more := t.Number("duration", 5)
	prompt := t.Text("prompt")
	return shoot(ctx, t, "extending", func(_ int, seed int64) (*take, error) {
		r, err := t.Video(ctx, "videoIndex")
		if err != nil {
			return nil, err
		}
		k := outputLike(r)
		k.reads(r)
		if total := r.Seconds() + more; !(more > 0) || total > task.MaxSeconds {
			return k, worker.Failf("The CPU renderer makes clips of up to %d seconds; this one would be %.0f.", task.MaxSeconds, total)
		}
		first := k.frames
		k.frames += max(1, int(math.Round(more*r.Rate())))
		a := &afterlife{k: k, prompt: prompt, seed: seed, rate: r.Rate(), frames: k.frames - first}
		if changes(prompt) {
			a.scene = newPainter(ctx, t, prompt, k.width, k.height, seed)
		} else if names := motion.EffectOf(prompt, seed).Names; len(names) > 0 {
			k.note("effects", names)
		} else if prompt != "" {
			k.note("notUnderstood", []string{prompt})
			k.remark("nothing in the prompt could happen to the picture here, so that the clip goes on as it was; weather, water, wind, light and another scene can")
		}
		k.frame = func(i int) (image.Image, error) {
			if i >= first {
				return a.frame(i - first)
			}
			// The last frames are remembered, to see what moves.
			if i < first-motionFrames {
				return r.Samples(i)
			}
			img, err := r.RGBA(i)
			if err == nil {
				a.remember(img)
			}
			return img, err
		}
		k.note("addedSeconds", float64(k.frames-first)/r.Rate())
		err = a.sound(ctx, t, r)
		if err == nil && a.scene != nil {
			err = a.scene.account(k, prompt)
		}
		return k, err
	})
}

// motionFrames is how many of the last frames are looked at.
const motionFrames = 8

// changes reports whether a prompt leaves the picture for another one.
func changes(prompt string) bool {
	scene := paint.Read(prompt)
	return !scene.Empty() && motion.Said(motion.Phrase(prompt), "cut to", "cuts to", "then", "next", "reveal", "reveals", "revealing", "turns into", "becomes", "transforms", "transform",
		"arrives", "arrive", "appears", "appear", "suddenly", "scene changes", "fades to", "dissolves to", "new scene")
}

// afterlife is a clip after its end.
type afterlife struct {
	k      *take
	prompt string
	seed   int64
	rate   float64
	frames int
	scene  *painter // what comes instead, if anything

	last  *image.RGBA
	small []*motion.Greys
	drift motion.Drift
	rest  *motion.Flow // what moves besides the camera
	net   *motion.Lattice
	out   *image.RGBA
	doing *motion.Effect
}

// remember keeps the last frame, and small copies of some before it.
func (a *afterlife) remember(img *image.RGBA) {
	if a.last == nil {
		a.last = image.NewRGBA(img.Rect)
	}
	copy(a.last.Pix, img.Pix)
	a.small = append(a.small, motion.GreysOf(img, motion.FlowSide))
}

// study finds the motion of the last frames: the mean of their flows, parted into
// what the camera did and what did the rest.
func (a *afterlife) study() {
	w, h := a.last.Rect.Dx(), a.last.Rect.Dy()
	a.net, a.out = motion.NewLattice(w, h), image.NewRGBA(a.last.Rect)
	a.doing = motion.EffectOf(a.prompt, a.seed)
	a.doing.Rise = 2
	n := 0.0
	for i := 1; i < len(a.small); i++ {
		f := motion.FlowOf(a.small[i-1], a.small[i])
		if f.Error > 0.12 {
			a.rest, n = nil, 0 // a cut: what was before it does not count
			continue
		}
		n++
		if a.rest == nil {
			a.rest = f
			continue
		}
		for k := range f.Dx {
			a.rest.Dx[k] += f.Dx[k]
			a.rest.Dy[k] += f.Dy[k]
		}
	}
	a.small = nil
	if a.rest == nil {
		a.rest = &motion.Flow{Cols: 1, Rows: 1, Dx: []float64{0}, Dy: []float64{0}}
		return
	}
	for k := range a.rest.Dx {
		a.rest.Dx[k] /= n
		a.rest.Dy[k] /= n
	}
	a.drift = a.rest.Drift()
	for j := range a.rest.Rows {
		for i := range a.rest.Cols {
			x, y := a.drift.At((float64(i)+0.5)/float64(a.rest.Cols)-0.5, (float64(j)+0.5)/float64(a.rest.Rows)-0.5)
			k := j*a.rest.Cols + i
			a.rest.Dx[k] = min(max(a.rest.Dx[k]-x, -0.01), 0.01)
			a.rest.Dy[k] = min(max(a.rest.Dy[k]-y, -0.01), 0.01)
		}
	}
}

// frame returns the picture so many frames after the end.
func (a *afterlife) frame(i int) (image.Image, error) {
	if a.net == nil {
		if a.last == nil {
			return nil, worker.Failf("There is no frame in the video that could be read.")
		}
		a.study()
	}
	n := float64(i + 1)
	seconds, part := n/a.rate, n/float64(a.frames)
	// The camera comes to rest; the rest swings back and forth and dies away.
	tau := 1.3 * a.rate
	gone := tau * (1 - math.Exp(-n/tau))
	beat := 0.35 * a.rate
	swing := beat * math.Sin(n/beat) * math.Exp(-n/(3*a.rate))
	shift := func(v float64) float64 { return min(max(v*gone, -0.22), 0.22) }
	d := motion.Drift{X: shift(a.drift.X), Y: shift(a.drift.Y), Zoom: shift(a.drift.Zoom), Turn: shift(a.drift.Turn)}
	near := 1 - 0.08*footage.Ease((seconds-0.4)/max(float64(a.frames)/a.rate, 2))
	stir := footage.Ease(seconds)
	a.net.Bend(a.last.Rect, func(u, v float64) (float64, float64) {
		x, y := (u-0.5)*near, (v-0.5)*near
		dx, dy := d.At(x, y)
		rx, ry := a.rest.At(x+0.5, y+0.5)
		su, sv := x+0.5-dx-rx*swing, y+0.5-dy-ry*swing
		eu, ev := a.doing.Stir(su, sv, seconds)
		return su + (eu-su)*stir, sv + (ev-sv)*stir
	})
	a.net.Draw(a.out, a.last)
	if a.scene != nil {
		if into := footage.Ease((part - 0.2) / 0.45); into > 0 {
			next, err := a.scene.at(seconds, part)
			if err != nil {
				return nil, err
			}
			motion.Crossfade(a.out, a.out, next, into)
		}
		return a.out, nil
	}
	a.doing.Finish(a.out, seconds, part)
	return a.out, nil
}

// sound keeps that of the clip, unless it is not wanted, and carries it on.
func (a *afterlife) sound(ctx context.Context, t task.Task, r *task.Video) error {
	k := a.k
	whole, before := k.seconds(), r.Seconds()
	own, err := r.Sound(ctx)
	if err != nil {
		return err
	}
	d := footage.NewDesk(whole)
	if own != nil && t.Flag("keepOriginalAudio", true) {
		c := footage.SoundOf(own)
		d.Lay(footage.Cue{Clip: c, Seconds: before, Out: 0.3})
		tail := c.Cut(c.Frames()-3*c.Rate, c.Frames())
		more := whole - before + 0.3
		var planes [2][]float32
		for side := range planes {
			planes[side] = sound.Texture(tail.Plane(min(side, tail.Channels-1)), int(more*float64(c.Rate)), uint64(a.seed)+uint64(side))
			sound.Fade(planes[side], int(0.3*float64(c.Rate)), int(min(0.8, more/3)*float64(c.Rate)))
		}
		d.Lay(footage.Cue{Clip: sound.FromPlanes(c.Rate, planes[0], planes[1]), At: before - 0.3})
		k.sound = d.Sound()
		k.note("heard", []string{"the original, carried on as a texture of its last seconds"})
		return nil
	}
	if a.prompt == "" {
		return nil
	}
	d, heard, err := bed{prompt: a.prompt, seconds: whole, seed: a.seed}.lay(ctx, t)
	if err != nil {
		return err
	}
	k.sound = d.Sound()
	k.note("heard", heard)
	return nil
}
