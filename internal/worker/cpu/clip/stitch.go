package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/studio/motion"
	"github.com/atelier-project/atelier/internal/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/cpu/task"
)

// Stitch joins clips in their order, with transitions between them, and lays a
// soundtrack under the whole.
func Stitch(ctx context.Context, t task.Task) ([]worker.Output, error) {
	paths := t.Paths("videoIndices")
	if len(paths) == 0 {
		return nil, worker.Failf("stitch_video needs videos.")
	}
	return shoot(ctx, t, "stitching", func(int, int64) (*take, error) {
		s, err := newSeam(ctx, t, paths)
		if err != nil {
			return nil, err
		}
		k := s.take
		k.frame = func(i int) (image.Image, error) { return s.frame(ctx, i) }
		k.note("clips", len(paths))
		if s.cross > 0 {
			k.note("transition", s.kind)
		}
		return k, s.mix(ctx, t)
	})
}

// seam is clips on their way to be one.
type seam struct {
	task  task.Task
	take  *take
	kind  string
	cross float64 // seconds that clips overlap
	parts []part

	blend motion.Blender
}

// part is a clip in its place.
type part struct {
	path      string
	start     float64
	seconds   float64
	in, out   float64 // seconds that it shares with the one before and the next
	plainSize bool
	reel      *task.Video
	mount     *footage.Mount
}

func newSeam(ctx context.Context, t task.Task, paths []string) (*seam, error) {
	s := &seam{task: t}
	if o, ok := t.Arguments["transition"].(map[string]any); ok {
		s.kind, _ = o["type"].(string)
		s.cross = 0.5
		if d, ok := o["durationSeconds"].(float64); ok {
			s.cross = d
		}
		if motion.Transitions[s.kind] == nil {
			return nil, worker.Failf("There is no transition %q.", s.kind)
		}
	}
	for _, path := range paths {
		r, err := t.OpenVideo(ctx, path)
		if err != nil {
			return nil, err
		}
		r.Close()
		if s.take == nil {
			s.take = outputLike(r)
		}
		w, h := r.Size()
		s.parts = append(s.parts, part{path: path, seconds: r.Seconds(), plainSize: w == s.take.width && h == s.take.height})
	}
	end := 0.0
	for i := range s.parts {
		p := &s.parts[i]
		if i > 0 {
			// A clip gives at most half of itself to each neighbour.
			p.in = min(s.cross, p.seconds/2, s.parts[i-1].seconds/2)
			s.parts[i-1].out = p.in
		}
		p.start = end - p.in
		end = p.start + p.seconds
	}
	if end > task.MaxSeconds {
		return nil, worker.Failf("The CPU renderer makes clips of up to %d seconds; these would be %.0f.", task.MaxSeconds, end)
	}
	k := s.take
	k.frames = max(1, int(math.Round(end*float64(k.fps)/float64(k.den))))
	s.blend.Out = image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	return s, nil
}

// frame returns what is seen at a number.
func (s *seam) frame(ctx context.Context, i int) (image.Image, error) {
	seconds := (float64(i) + 0.25) * float64(s.take.den) / float64(s.take.fps)
	n := 0
	for n+1 < len(s.parts) && s.parts[n+1].start <= seconds {
		n++
	}
	p := &s.parts[n]
	for k := range n - 1 {
		s.parts[k].leave()
	}
	progress := 1.0
	if n > 0 && p.in > 0 {
		progress = min((seconds-p.start)/p.in, 1)
	}
	if progress >= 1 {
		if n > 0 {
			s.parts[n-1].leave()
		}
		if p.plainSize {
			if err := p.enter(ctx, s); err != nil {
				return nil, err
			}
			return p.reel.Samples(p.reel.IndexAt(seconds - p.start))
		}
		return p.look(ctx, s, seconds)
	}
	old := &s.parts[n-1]
	a, err := old.look(ctx, s, seconds)
	if err != nil {
		return nil, err
	}
	b, err := p.look(ctx, s, seconds)
	if err != nil {
		return nil, err
	}
	motion.Transitions[s.kind](&s.blend, a, b, progress)
	return s.blend.Out, nil
}

func (p *part) enter(ctx context.Context, s *seam) error {
	if p.reel != nil {
		return nil
	}
	r, err := s.task.OpenVideo(ctx, p.path)
	if err != nil {
		return err
	}
	p.reel = s.take.reads(r)
	p.mount = footage.NewMount(image.Pt(r.Size()), image.Pt(s.take.width, s.take.height))
	return nil
}

func (p *part) leave() {
	if p.reel != nil {
		p.reel.Close()
	}
}

// look returns the clip at a moment of the whole, fitted to it.
func (p *part) look(ctx context.Context, s *seam, seconds float64) (*image.RGBA, error) {
	if err := p.enter(ctx, s); err != nil {
		return nil, err
	}
	img, err := p.reel.RGBA(p.reel.IndexAt(seconds - p.start))
	if err != nil {
		return nil, err
	}
	return p.mount.Frame(img), nil
}

// mix joins the sounds as the pictures are joined.
func (s *seam) mix(ctx context.Context, t task.Task) error {
	music, under := t.Files["audioIndex"]
	d := footage.NewDesk(s.take.seconds())
	heard := false
	for i, p := range s.parts {
		r, err := t.OpenVideo(ctx, p.path)
		if err != nil {
			return err
		}
		r.Close()
		own, err := r.Sound(ctx)
		if err != nil {
			return err
		}
		if own == nil {
			continue
		}
		heard = true
		gain := float32(1)
		if under {
			gain = 0.5
		}
		// Cuts get a hundredth of a second, so that they do not click.
		in, out := max(p.in, 0.01), max(p.out, 0.01)
		if i == 0 {
			in = 0
		}
		if i == len(s.parts)-1 {
			out = 0
		}
		d.Lay(footage.Cue{Clip: footage.SoundOf(own), At: p.start, Seconds: p.seconds, Gain: gain, In: in, Out: out})
	}
	if under {
		clip, err := t.Sound(ctx, music)
		if err != nil {
			return err
		}
		loop(d, clip, 0.9)
		heard = true
	}
	if heard {
		s.take.sound = d.Sound()
	}
	return nil
}

// loop lays a sound under the whole mix, again and again if it is short, and
// fades it out at the end.
func loop(d *footage.Desk, c *sound.Clip, gain float32) {
	total, long := float64(d.Frames())/footage.SoundRate, c.Duration().Seconds()
	if long <= 0 {
		return
	}
	cross := min(1, long/4)
	for at := 0.0; at < total; at += long - cross {
		q := footage.Cue{Clip: c, At: at, Gain: gain, Seconds: min(long, total-at), Out: cross}
		if at > 0 {
			q.In = cross
		}
		if at+long >= total {
			q.Out = min(1.2, total/4)
		}
		d.Lay(q)
		if at+long >= total {
			return
		}
	}
}
