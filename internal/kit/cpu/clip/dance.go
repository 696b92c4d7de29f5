package clip

import (
	"context"
	"errors"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/song"
	"github.com/atelier-project/atelier/internal/worker"
)

// Dance makes the figure of a picture dance: it is cut out, made a solid, and
// deformed to the beat of music that is composed for it.
func Dance(ctx context.Context, t task.Task) ([]worker.Output, error) {
	name := t.Text("dance")
	steps, ok := motion.Dances[name]
	if !ok {
		return nil, worker.Failf("There is no dance %q.", name)
	}
	seconds := t.Number("duration", 15)
	if !(seconds > 0) || seconds > 60 {
		return nil, worker.Failf("A dance of %g seconds cannot be made.", seconds)
	}
	single := t.Flag("singleClip", false)
	return renderClips(ctx, t, "dancing", func(_ int, seed int64) (*output, error) {
		source, err := dancerPicture(ctx, t, seed)
		if err != nil {
			return nil, err
		}
		w, h, err := frameSize(t, source.Bounds().Dx(), source.Bounds().Dy())
		if err != nil {
			return nil, err
		}
		k := &output{width: w, height: h, frames: max(1, int(math.Round(seconds*footage.FrameRate)))}
		floor, err := newDanceScene(ctx, source, steps, w, h, seed)
		if err != nil {
			return nil, err
		}
		clip, score, err := song.Compose(ctx, song.Request{
			Prompt: steps.Music, Seconds: max(song.MinSeconds, seconds), BPM: steps.Bpm, TimeSig: 4, Seed: seed, Model: "turbo",
		}, nil)
		if err != nil {
			return nil, task.Failure(err)
		}
		d := footage.NewMixer(k.seconds())
		d.Add(footage.Cue{Clip: clip, Seconds: k.seconds(), Out: min(1, k.seconds()/4)})
		k.sound = d.Sound()
		k.frame = func(i int) (image.Image, error) { return floor.Frame(float64(i)/footage.FrameRate, single), nil }
		k.note("dance", name)
		k.note("music", map[string]any{"genre": score.Genre, "bpm": score.BPM, "key": score.Key})
		k.note("method", "the figure as a relief that is bent to the beat; its limbs are not tracked, and the music is composed for it, not the song of that name")
		return k, nil
	})
}

// dancerPicture returns the picture of the dancer: the input, or one painted
// from imagePrompt.
func dancerPicture(ctx context.Context, t task.Task, seed int64) (image.Image, error) {
	source, err := t.Picture(ctx, "sourceImageIndex")
	if err != nil || source != nil {
		return source, err
	}
	words := t.Text("imagePrompt")
	if words == "" {
		return nil, worker.Failf("dance_montage needs a picture of the dancer, or imagePrompt to describe one.")
	}
	scene := paint.Read(words)
	if len(scene.Subjects) == 0 {
		return nil, worker.Failf("No dancer was recognised in imagePrompt. Name a person, an animal or a figure.")
	}
	scene.Subjects = scene.Subjects[:1]
	scene.Subjects[0].Count, scene.Subjects[0].On, scene.Subjects[0].HeldBy = 1, -1, -1
	scene.Settings, scene.Sky, scene.Weather = []paint.Thing{{Key: "studio", Count: 1, Size: 1, On: -1, HeldBy: -1}}, nil, nil
	// Painted a little larger than it is shown.
	_, h, err := frameSize(t, 4, 5)
	if err != nil {
		return nil, err
	}
	high := min(max(h*5/4, 200), 960)
	img, err := paint.PaintScene(ctx, scene, paint.LookOf(""), high*4/5, high, seed, 0, nil)
	return img, task.Failure(err)
}

// newDanceScene makes the dance of the figure in a picture.
func newDanceScene(ctx context.Context, source image.Image, steps motion.Choreography, w, h int, seed int64) (*motion.DanceScene, error) {
	img, err := shrinkTo(ctx, source, min(2*max(w, h), 1024))
	if err != nil {
		return nil, err
	}
	cut, score, err := pixel.Subject(ctx, img)
	if errors.Is(err, pixel.ErrNoSubject) || err == nil && score < motion.MinSpriteScore {
		return nil, worker.Failf("No figure stands out clearly in the picture. Send one with a plain background, or describe the dancer as imagePrompt.")
	}
	if err != nil {
		return nil, err
	}
	body, err := solidOf(ctx, img, cut, w, h)
	if err != nil {
		return nil, err
	}
	behind, err := backgroundOf(ctx, img, cut, w, h, seed)
	if err != nil {
		return nil, err
	}
	return motion.NewDanceScene(steps, body, behind, w, h, seed), nil
}
