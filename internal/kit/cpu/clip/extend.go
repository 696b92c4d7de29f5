package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
)

// Extend makes a clip longer: the motion of its last frames continues and slows
// down, and the effects of the prompt appear.
func Extend(ctx context.Context, t task.Task) ([]worker.Output, error) {
	more := t.Number("duration", 5)
	prompt := t.Text("prompt")
	return renderClips(ctx, t, "extending", func(_ int, seed int64) (*output, error) {
		r, k, err := openVideo(ctx, t, "videoIndex")
		if err != nil {
			return nil, err
		}
		if total := r.Seconds() + more; !(more > 0) || total > task.MaxSeconds {
			return k, worker.Failf("The CPU renderer makes clips of up to %d seconds; this one would be %.0f.", task.MaxSeconds, total)
		}
		first := k.frames
		k.frames += max(1, int(math.Round(more*r.Rate())))
		a := &extension{k: k, prompt: prompt, seed: seed, rate: r.Rate(), frames: k.frames - first}
		if changesScene(prompt) {
			a.scene = newPainter(ctx, t, prompt, k.width, k.height, seed)
		} else if names := motion.EffectOf(prompt, seed).Names; len(names) > 0 {
			k.note("effects", names)
		} else if prompt != "" {
			k.note("notUnderstood", []string{prompt})
			k.addNote("nothing in the prompt could happen to the picture here, so that the clip goes on as it was; weather, water, wind, light and another scene can")
		}
		k.frame = func(i int) (image.Image, error) {
			if i >= first {
				return a.frame(i - first)
			}
			// The motion is estimated from the last frames.
			if i < first-flowFrames {
				return r.Samples(i)
			}
			img, err := r.RGBA(i)
			if err == nil {
				a.addFrame(img)
			}
			return img, err
		}
		k.note("addedSeconds", float64(k.frames-first)/r.Rate())
		err = a.sound(ctx, t, r)
		if err == nil && a.scene != nil {
			err = a.scene.noteUnderstood(k, prompt)
		}
		return k, err
	})
}

// flowFrames is the number of last frames for the motion estimate.
const flowFrames = 8

// changesScene reports whether a prompt asks for another scene.
func changesScene(prompt string) bool {
	scene := paint.Read(prompt)
	return !scene.Empty() && motion.HasPhrase(motion.NormalizeText(prompt), "cut to", "cuts to", "then", "next", "reveal", "reveals", "revealing", "turns into", "becomes", "transforms", "transform",
		"arrives", "arrive", "appears", "appear", "suddenly", "scene changes", "fades to", "dissolves to", "new scene")
}

// extension makes the frames after the end of a clip.
type extension struct {
	k      *output
	prompt string
	seed   int64
	rate   float64
	frames int
	scene  *painter // the new scene, if there is one

	last     *image.RGBA
	small    []*motion.Grey
	drift    motion.Drift
	residual *motion.Flow // the motion that is not the camera's
	mesh     *motion.WarpGrid
	out      *image.RGBA
	effect   *motion.Effect
}

// addFrame keeps a copy of the last frame, and small copies of those before it.
func (a *extension) addFrame(img *image.RGBA) {
	if a.last == nil {
		a.last = image.NewRGBA(img.Rect)
	}
	copy(a.last.Pix, img.Pix)
	a.small = append(a.small, motion.GreyOf(img, motion.FlowSide))
}

// estimateMotion finds the motion of the last frames: the mean of their optical
// flows, split into camera motion and the rest.
func (a *extension) estimateMotion() {
	w, h := a.last.Rect.Dx(), a.last.Rect.Dy()
	a.mesh, a.out = motion.NewWarpGrid(w, h), image.NewRGBA(a.last.Rect)
	a.effect = motion.EffectOf(a.prompt, a.seed)
	a.effect.Rise = 2
	n := 0.0
	for i := 1; i < len(a.small); i++ {
		f := motion.FlowOf(a.small[i-1], a.small[i])
		if f.Error > 0.12 {
			a.residual, n = nil, 0 // a cut: earlier frames do not count
			continue
		}
		n++
		if a.residual == nil {
			a.residual = f
			continue
		}
		for k := range f.Dx {
			a.residual.Dx[k] += f.Dx[k]
			a.residual.Dy[k] += f.Dy[k]
		}
	}
	a.small = nil
	if a.residual == nil {
		a.residual = &motion.Flow{Cols: 1, Rows: 1, Dx: []float64{0}, Dy: []float64{0}}
		return
	}
	for k := range a.residual.Dx {
		a.residual.Dx[k] /= n
		a.residual.Dy[k] /= n
	}
	a.drift = a.residual.Drift()
	for j := range a.residual.Rows {
		for i := range a.residual.Cols {
			x, y := a.drift.At((float64(i)+0.5)/float64(a.residual.Cols)-0.5, (float64(j)+0.5)/float64(a.residual.Rows)-0.5)
			k := j*a.residual.Cols + i
			a.residual.Dx[k] = min(max(a.residual.Dx[k]-x, -0.01), 0.01)
			a.residual.Dy[k] = min(max(a.residual.Dy[k]-y, -0.01), 0.01)
		}
	}
}

// frame returns the i-th frame after the end.
func (a *extension) frame(i int) (image.Image, error) {
	if a.mesh == nil {
		if a.last == nil {
			return nil, worker.Failf("There is no frame in the video that could be read.")
		}
		a.estimateMotion()
	}
	n := float64(i + 1)
	seconds, part := n/a.rate, n/float64(a.frames)
	// The camera comes to rest; the other motion oscillates and decays.
	tau := 1.3 * a.rate
	gone := tau * (1 - math.Exp(-n/tau))
	beat := 0.35 * a.rate
	swing := beat * math.Sin(n/beat) * math.Exp(-n/(3*a.rate))
	shift := func(v float64) float64 { return min(max(v*gone, -0.22), 0.22) }
	d := motion.Drift{X: shift(a.drift.X), Y: shift(a.drift.Y), Zoom: shift(a.drift.Zoom), Turn: shift(a.drift.Turn)}
	near := 1 - 0.08*footage.Ease((seconds-0.4)/max(float64(a.frames)/a.rate, 2))
	stir := footage.Ease(seconds)
	a.mesh.Set(a.last.Rect, func(u, v float64) (float64, float64) {
		x, y := (u-0.5)*near, (v-0.5)*near
		dx, dy := d.At(x, y)
		rx, ry := a.residual.At(x+0.5, y+0.5)
		su, sv := x+0.5-dx-rx*swing, y+0.5-dy-ry*swing
		eu, ev := a.effect.Displace(su, sv, seconds)
		return su + (eu-su)*stir, sv + (ev-sv)*stir
	})
	a.mesh.Draw(a.out, a.last)
	if a.scene != nil {
		if into := footage.Ease((part - 0.2) / 0.45); into > 0 {
			next, err := a.scene.frameAt(seconds, part)
			if err != nil {
				return nil, err
			}
			motion.Crossfade(a.out, a.out, next, into)
		}
		return a.out, nil
	}
	a.effect.Draw(a.out, seconds, part)
	return a.out, nil
}

// sound keeps the sound of the clip, unless keepOriginalAudio is false, and
// continues it.
func (a *extension) sound(ctx context.Context, t task.Task, r *task.Video) error {
	k := a.k
	whole, before := k.seconds(), r.Seconds()
	own, err := r.Sound(ctx)
	if err != nil {
		return err
	}
	d := footage.NewMixer(whole)
	if own != nil && t.Flag("keepOriginalAudio", true) {
		c := footage.SoundOf(own)
		d.Add(footage.Cue{Clip: c, Seconds: before, Out: 0.3})
		tail := c.Cut(c.Frames()-3*c.Rate, c.Frames())
		more := whole - before + 0.3
		var planes [2][]float32
		for side := range planes {
			planes[side] = sound.Texture(tail.Plane(min(side, tail.Channels-1)), int(more*float64(c.Rate)), uint64(a.seed)+uint64(side))
			sound.Fade(planes[side], int(0.3*float64(c.Rate)), int(min(0.8, more/3)*float64(c.Rate)))
		}
		d.Add(footage.Cue{Clip: sound.FromPlanes(c.Rate, planes[0], planes[1]), At: before - 0.3})
		k.sound = d.Sound()
		k.note("heard", []string{"the original, carried on as a texture of its last seconds"})
		return nil
	}
	if a.prompt == "" {
		return nil
	}
	d, heard, err := soundtrack{prompt: a.prompt, seconds: whole, seed: a.seed}.mix(ctx, t)
	if err != nil {
		return err
	}
	k.sound = d.Sound()
	k.note("heard", heard)
	return nil
}
