package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/worker"
)

// ReplaceSegment replaces a part of a clip by a part of another, or by a
// painted scene. The clip keeps its length.
func ReplaceSegment(ctx context.Context, t task.Task) ([]worker.Output, error) {
	return renderClips(ctx, t, "replacing", func(_ int, seed int64) (*output, error) {
		r, k, err := openVideo(ctx, t, "videoIndex")
		if err != nil {
			return nil, err
		}
		start, end := t.Number("startSeconds", 0), t.Number("endSeconds", 0)
		if start >= r.Seconds()-0.5/r.Rate() {
			return k, worker.Failf("The video lasts %.2f seconds; there is nothing to replace from %g on.", r.Seconds(), start)
		}
		first, last := int(math.Round(start*r.Rate())), min(int(math.Round(end*r.Rate())), k.frames)
		if last <= first {
			return k, worker.Failf("There is no frame between %g and %g seconds.", start, end)
		}
		g := &replacement{k: k, first: first, last: last, rate: r.Rate()}
		if path, ok := t.Files["replacementVideoIndex"]; ok {
			err = g.fromClip(ctx, t, path)
		} else {
			err = g.fromPrompt(ctx, t, seed)
		}
		if err != nil {
			return k, err
		}
		k.frame = func(i int) (image.Image, error) {
			switch {
			case i < first-1 || i > last:
				return r.Samples(i)
			case i < first || i == last:
				img, err := r.RGBA(i)
				if err == nil && i < first {
					g.before = footage.CopyFrame(g.before, img)
				}
				return img, err
			}
			return g.frame(i - first)
		}
		k.note("replaced", map[string]float64{"startSeconds": float64(first) / r.Rate(), "endSeconds": float64(last) / r.Rate()})
		return k, g.mix(ctx, t, r)
	})
}

// replacement is the new content of a segment.
type replacement struct {
	k           *output
	first, last int
	rate        float64
	before      *image.RGBA // the frame before the segment
	frame       func(i int) (image.Image, error)
	sound       *film.Sound // of the new content
	from        float64     // where it begins in the replacement
	speed       float64
}

// seconds returns the length of the segment.
func (g *replacement) seconds() float64 { return float64(g.last-g.first) / g.rate }

// fromClip fills the segment with a part of another clip. A longer part is cut;
// a shorter one is played slower, down to half its speed.
func (g *replacement) fromClip(ctx context.Context, t task.Task, path string) error {
	r, err := t.OpenVideo(ctx, path)
	if err != nil {
		return err
	}
	g.k.keepOpen(r)
	from, to := t.Number("replacementStartSeconds", 0), min(t.Number("replacementEndSeconds", math.Inf(1)), r.Seconds())
	if from >= to {
		return worker.Failf("The replacement lasts %.2f seconds; it has nothing from %g on.", r.Seconds(), from)
	}
	g.from, g.speed = from, min(1, (to-from)/g.seconds())
	if g.speed < 0.5 {
		return worker.Failf("The replacement of %.2f seconds is too short to fill %.2f; send at least %.2f.", to-from, g.seconds(), g.seconds()/2)
	}
	m := footage.NewLetterbox(image.Pt(r.Size()), image.Pt(g.k.width, g.k.height))
	g.frame = func(i int) (image.Image, error) {
		img, err := r.RGBA(r.IndexAt(from + (float64(i)+0.25)/g.rate*g.speed))
		if err != nil {
			return nil, err
		}
		return m.Frame(img), nil
	}
	g.k.note("speed", math.Round(g.speed*1000)/1000)
	g.sound, err = r.Sound(ctx)
	return err
}

// fromPrompt fills the segment with a painted scene, into which the frame
// before it fades.
func (g *replacement) fromPrompt(ctx context.Context, t task.Task, seed int64) error {
	prompt := t.Text("prompt")
	p := newPainter(ctx, t, prompt, g.k.width, g.k.height, seed)
	if p.scene.Empty() {
		return worker.Failf("Nothing in the prompt can be painted. Name a subject or a place, or send a replacement video.")
	}
	g.speed = 1
	turn := min(0.4, g.seconds()/4)
	out := image.NewRGBA(image.Rect(0, 0, g.k.width, g.k.height))
	g.frame = func(i int) (image.Image, error) {
		seconds := float64(i) / g.rate
		img, err := p.frameAt(seconds, seconds/g.seconds())
		if err != nil || g.before == nil || seconds >= turn {
			return img, err
		}
		motion.Crossfade(out, g.before, img, footage.Ease((seconds+1/g.rate)/turn))
		return out, nil
	}
	if !t.Flag("keepOriginalAudio", false) {
		d, heard, err := soundtrack{prompt: prompt, seconds: g.seconds(), seed: seed}.mix(ctx, t)
		if err != nil {
			return err
		}
		g.k.note("heard", heard)
		g.sound = d.Sound()
	}
	return p.noteUnderstood(g.k, prompt)
}

// mix keeps the sound of the clip, all of it or outside the segment.
func (g *replacement) mix(ctx context.Context, t task.Task, r *task.Video) error {
	own, err := r.Sound(ctx)
	if err != nil {
		return err
	}
	if t.Flag("keepOriginalAudio", false) || own == nil && g.sound == nil {
		g.k.sound = own
		return nil
	}
	const soft = 0.02
	start, end := float64(g.first)/g.rate, float64(g.last)/g.rate
	d := footage.NewMixer(g.k.seconds())
	if own != nil {
		c := footage.SoundOf(own)
		if start > 0 {
			d.Add(footage.Cue{Clip: c, Seconds: start, Out: soft})
		}
		d.Add(footage.Cue{Clip: c, At: end, From: end, In: soft})
	}
	if g.sound != nil {
		c := footage.SoundOf(g.sound)
		// Slower pictures have slower and lower sound.
		c.Rate = int(float64(c.Rate)*g.speed + 0.5)
		d.Add(footage.Cue{Clip: c, At: start, From: g.from / g.speed, Seconds: g.seconds(), In: soft, Out: soft})
	}
	g.k.sound = d.Sound()
	return nil
}
