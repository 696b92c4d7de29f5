package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/worker"
)

// FollowSound makes clips of pictures or a painted scene that move with the
// loudness of a sound and flash with its beats.
func FollowSound(ctx context.Context, t task.Task) ([]worker.Output, error) {
	path, ok := t.Files["audioSourceIndex"]
	if !ok {
		return nil, worker.Failf("sound_to_video needs a sound to follow.")
	}
	frames, err := frameCount(t, 5)
	if err != nil {
		return nil, err
	}
	given, err := readReferences(t)
	if err != nil {
		return nil, err
	}
	source, err := t.Picture(ctx, "sourceImageIndex")
	if err != nil {
		return nil, err
	}
	if source == nil && len(given.images) > 0 {
		if source, err = t.OpenPicture(ctx, given.images[0]); err != nil {
			return nil, err
		}
	}
	end, err := t.Picture(ctx, "endImageIndex")
	if err != nil {
		return nil, err
	}
	return renderClips(ctx, t, "following the sound", func(_ int, seed int64) (*output, error) {
		var b image.Rectangle
		if source != nil {
			b = source.Bounds()
		}
		w, h, err := frameSize(t, b.Dx(), b.Dy())
		if err != nil {
			return nil, err
		}
		k := &output{width: w, height: h, frames: frames}
		frame, err := k.sourceFrames(ctx, t, source, end, seed)
		if err != nil {
			return nil, err
		}
		if frame, err = k.followSound(ctx, t, path, t.Number("audioStart", 0), frame, seed); err != nil {
			return nil, err
		}
		noteLimits(t, k)
		k.note("follows", "loudness and onsets of the sound; lips and gestures are not animated")
		k.setMarked(t, frame)
		return k, nil
	})
}

// sourceFrames returns the frames that move with the sound: the input pictures,
// or a painted scene.
func (k *output) sourceFrames(ctx context.Context, t task.Task, source, end image.Image, seed int64) (func(int) (*image.RGBA, error), error) {
	last := max(k.seconds()-1.0/footage.FrameRate, 1e-6)
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
		fitted, err := footage.Cover(ctx, s.img, k.width, k.height)
		if err != nil {
			return nil, err
		}
		stops = append(stops, motion.Stop{At: s.at, Img: fitted})
	}
	prompt := t.Text("prompt")
	if len(stops) == 0 {
		p := newPainter(ctx, t, prompt, k.width, k.height, seed)
		if err := p.noteUnderstood(k, prompt); err != nil {
			return nil, err
		}
		return func(i int) (*image.RGBA, error) {
			seconds := float64(i) / footage.FrameRate
			return p.frameAt(seconds, seconds/last)
		}, nil
	}
	j, err := motion.NewSlideshow(ctx, k.width, k.height, k.seconds(), stops, prompt, seed)
	if err != nil {
		return nil, err
	}
	k.note("pictures", len(stops))
	return func(i int) (*image.RGBA, error) { return j.Frame(float64(i) / footage.FrameRate), nil }, nil
}

// followSound makes frames move with a sound, from a start time in it, and adds
// the sound to the clip.
func (k *output) followSound(ctx context.Context, t task.Task, path string, start float64, frame func(int) (*image.RGBA, error), seed int64) (func(int) (*image.RGBA, error), error) {
	clip, err := t.Sound(ctx, path)
	if err != nil {
		return nil, err
	}
	if long := clip.Duration().Seconds(); start >= long {
		return nil, worker.Failf("The sound lasts %.1f seconds; it cannot begin at %g.", long, start)
	}
	d := footage.NewMixer(k.seconds())
	d.Add(footage.Cue{Clip: clip, From: start, Seconds: k.seconds(), In: 0.01, Out: 0.05})
	p := motion.AudioPulseOf(footage.SoundOf(d.Sound()), k.frames)
	if t.Flag("generateAudio", true) {
		k.sound = d.Sound()
	}
	k.note("loudness", math.Round(footage.SoundOf(d.Sound()).LUFS()*10)/10)
	k.note("beats", len(p.Beats))
	net := motion.NewWarpGrid(k.width, k.height)
	out := image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	return func(i int) (*image.RGBA, error) {
		img, err := frame(i)
		if err != nil {
			return nil, err
		}
		p.Draw(out, img, net, i, uint64(seed))
		return out, nil
	}, nil
}
