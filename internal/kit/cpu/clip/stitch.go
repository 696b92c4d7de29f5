package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
)

// Stitch joins clips in their order, with transitions between them, and adds a
// soundtrack.
func Stitch(ctx context.Context, t task.Task) ([]worker.Output, error) {
	paths := t.Paths("videoIndices")
	if len(paths) == 0 {
		return nil, worker.Failf("stitch_video needs videos.")
	}
	return renderClips(ctx, t, "stitching", func(int, int64) (*output, error) {
		s, err := newStitcher(ctx, t, paths)
		if err != nil {
			return nil, err
		}
		k := s.out
		k.frame = func(i int) (image.Image, error) { return s.frame(ctx, i) }
		k.note("clips", len(paths))
		if s.overlap > 0 {
			k.note("transition", s.kind)
		}
		return k, s.mix(ctx, t)
	})
}

// stitcher joins clips to one.
type stitcher struct {
	task    task.Task
	out     *output
	kind    string
	overlap float64 // seconds that clips overlap
	parts   []part

	blend motion.Blender
}

// part is one of the clips.
type part struct {
	path      string
	start     float64
	seconds   float64
	in, out   float64 // seconds of overlap with the one before and the next
	sameSize  bool
	video     *task.Video
	letterbox *footage.Letterbox
}

func newStitcher(ctx context.Context, t task.Task, paths []string) (*stitcher, error) {
	s := &stitcher{task: t}
	if o, ok := t.Arguments["transition"].(map[string]any); ok {
		s.kind, _ = o["type"].(string)
		s.overlap = 0.5
		if d, ok := o["durationSeconds"].(float64); ok {
			s.overlap = d
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
		if s.out == nil {
			s.out = outputLike(r)
		}
		w, h := r.Size()
		s.parts = append(s.parts, part{path: path, seconds: r.Seconds(), sameSize: w == s.out.width && h == s.out.height})
	}
	end := 0.0
	for i := range s.parts {
		p := &s.parts[i]
		if i > 0 {
			// At most half of a clip overlaps with each neighbour.
			p.in = min(s.overlap, p.seconds/2, s.parts[i-1].seconds/2)
			s.parts[i-1].out = p.in
		}
		p.start = end - p.in
		end = p.start + p.seconds
	}
	if end > task.MaxSeconds {
		return nil, worker.Failf("The CPU renderer makes clips of up to %d seconds; these would be %.0f.", task.MaxSeconds, end)
	}
	k := s.out
	k.frames = max(1, int(math.Round(end*float64(k.fps)/float64(k.den))))
	s.blend.Out = image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	return s, nil
}

// frame returns the i-th frame.
func (s *stitcher) frame(ctx context.Context, i int) (image.Image, error) {
	seconds := (float64(i) + 0.25) * float64(s.out.den) / float64(s.out.fps)
	n := 0
	for n+1 < len(s.parts) && s.parts[n+1].start <= seconds {
		n++
	}
	p := &s.parts[n]
	for k := range n - 1 {
		s.parts[k].close()
	}
	progress := 1.0
	if n > 0 && p.in > 0 {
		progress = min((seconds-p.start)/p.in, 1)
	}
	if progress >= 1 {
		if n > 0 {
			s.parts[n-1].close()
		}
		if p.sameSize {
			if err := p.open(ctx, s); err != nil {
				return nil, err
			}
			return p.video.Samples(p.video.IndexAt(seconds - p.start))
		}
		return p.frameAt(ctx, s, seconds)
	}
	old := &s.parts[n-1]
	a, err := old.frameAt(ctx, s, seconds)
	if err != nil {
		return nil, err
	}
	b, err := p.frameAt(ctx, s, seconds)
	if err != nil {
		return nil, err
	}
	motion.Transitions[s.kind](&s.blend, a, b, progress)
	return s.blend.Out, nil
}

func (p *part) open(ctx context.Context, s *stitcher) error {
	if p.video != nil {
		return nil
	}
	r, err := s.task.OpenVideo(ctx, p.path)
	if err != nil {
		return err
	}
	p.video = s.out.keepOpen(r)
	p.letterbox = footage.NewLetterbox(image.Pt(r.Size()), image.Pt(s.out.width, s.out.height))
	return nil
}

func (p *part) close() {
	if p.video != nil {
		p.video.Close()
	}
}

// frameAt returns the frame of the clip at a time of the result, fitted to its
// size.
func (p *part) frameAt(ctx context.Context, s *stitcher, seconds float64) (*image.RGBA, error) {
	if err := p.open(ctx, s); err != nil {
		return nil, err
	}
	img, err := p.video.RGBA(p.video.IndexAt(seconds - p.start))
	if err != nil {
		return nil, err
	}
	return p.letterbox.Frame(img), nil
}

// mix joins the sounds with the same transitions.
func (s *stitcher) mix(ctx context.Context, t task.Task) error {
	music, under := t.Files["audioIndex"]
	d := footage.NewMixer(s.out.seconds())
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
		// Cuts get a fade of ten milliseconds, so that they do not click.
		in, out := max(p.in, 0.01), max(p.out, 0.01)
		if i == 0 {
			in = 0
		}
		if i == len(s.parts)-1 {
			out = 0
		}
		d.Add(footage.Cue{Clip: footage.SoundOf(own), At: p.start, Seconds: p.seconds, Gain: gain, In: in, Out: out})
	}
	if under {
		clip, err := t.Sound(ctx, music)
		if err != nil {
			return err
		}
		layLooped(d, clip, 0.9)
		heard = true
	}
	if heard {
		s.out.sound = d.Sound()
	}
	return nil
}

// layLooped adds a sound to the whole mix, repeated if it is short, and fades
// it out at the end.
func layLooped(d *footage.Mixer, c *sound.Clip, gain float32) {
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
		d.Add(q)
		if at+long >= total {
			return
		}
	}
}
