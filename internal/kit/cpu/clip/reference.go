package clip

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// references are the reference files of a clip, as paths.
type references struct{ images, videos, sounds []string }

// readReferences sorts the reference files of a job by kind.
func readReferences(t task.Task) (references, error) {
	g := references{t.Paths("referenceImageIndices"), t.Paths("referenceVideoIndices"), t.Paths("referenceAudioIndices")}
	for _, name := range []string{"referenceFileUrl", "referenceLinkUrl"} {
		path, ok := t.Files[name]
		if !ok {
			continue
		}
		kind, err := kindOf(path)
		switch {
		case err != nil:
			return g, err
		case kind == "image":
			g.images = append(g.images, path)
		case kind == "video":
			g.videos = append(g.videos, path)
		case kind == "audio":
			g.sounds = append(g.sounds, path)
		default:
			return g, worker.Failf("What %s points to is no picture, clip or recording; the CPU renderer reads nothing else.", name)
		}
	}
	return g, nil
}

// kindOf returns the kind of media in a file.
func kindOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, filetype.HeadSize)
	n, _ := io.ReadFull(f, head)
	return filetype.Kind(filetype.Detect(head[:n])), nil
}

// setFrames sets the source of the frames: keyframes, reference clips or
// reference pictures, and otherwise the painted scene.
func (k *output) setFrames(ctx context.Context, t task.Task, g references, p *painter, prompt string, seed int64) error {
	last := max(k.seconds()-1.0/footage.FrameRate, 1e-6)
	scene := func(i int) (*image.RGBA, error) {
		return p.frameAt(float64(i)/footage.FrameRate, float64(i)/footage.FrameRate/last)
	}
	stops, err := keyframes(ctx, t, k.width, k.height, last)
	if err != nil {
		return err
	}
	frame := scene
	switch {
	case len(stops) > 0:
		frame, err = k.throughKeyframes(ctx, p, stops, prompt, seed)
	case len(g.videos) > 0:
		frame, err = k.startWithClips(ctx, t, g.videos, scene)
	case len(g.images) > 0:
		frame, err = k.withSubjects(ctx, t, g.images, p, prompt)
	}
	if err != nil {
		return err
	}
	if len(g.sounds) > 0 {
		if frame, err = k.followSound(ctx, t, g.sounds[0], 0, frame, seed); err != nil {
			return err
		}
	}
	k.setMarked(t, frame)
	return nil
}

// throughKeyframes returns frames that go from the painted scene through the
// keyframes.
func (k *output) throughKeyframes(ctx context.Context, p *painter, stops []motion.Stop, prompt string, seed int64) (func(int) (*image.RGBA, error), error) {
	if stops[0].At > 0.4 {
		first, err := p.still(0)
		if err != nil {
			return nil, err
		}
		stops = append([]motion.Stop{{At: 0, Img: first}}, stops...)
	} else {
		p.unused = true
	}
	j, err := motion.NewSlideshow(ctx, k.width, k.height, k.seconds(), stops, prompt, seed)
	if err != nil {
		return nil, err
	}
	k.note("pictures", len(stops))
	return func(i int) (*image.RGBA, error) { return j.Frame(float64(i) / footage.FrameRate), nil }, nil
}

// startWithClips returns frames that begin with the reference clips, one after
// another, and fade into the scene.
func (k *output) startWithClips(ctx context.Context, t task.Task, paths []string, scene func(int) (*image.RGBA, error)) (func(int) (*image.RGBA, error), error) {
	share := 0.55 * k.seconds() / float64(len(paths))
	out := image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	var r *task.Video
	var m *footage.Letterbox
	at := -1
	k.note("opens", fmt.Sprintf("with %d of the reference clips", len(paths)))
	return func(i int) (*image.RGBA, error) {
		seconds := float64(i) / footage.FrameRate
		n := min(int(seconds/share), len(paths)-1)
		fade := footage.Ease((seconds - share*float64(len(paths)) + 0.6) / 1.2)
		if fade >= 1 {
			return scene(i)
		}
		if n != at {
			if r != nil {
				r.Close()
			}
			var err error
			if r, err = t.OpenVideo(ctx, paths[n]); err != nil {
				return nil, err
			}
			k.keepOpen(r)
			at, m = n, footage.NewLetterbox(image.Pt(r.Size()), image.Pt(k.width, k.height))
		}
		img, err := r.RGBA(r.IndexAt(seconds - share*float64(n)))
		if err != nil {
			return nil, err
		}
		img = m.Frame(img)
		if fade <= 0 {
			copy(out.Pix, img.Pix)
			return out, nil
		}
		next, err := scene(i)
		if err != nil {
			return nil, err
		}
		motion.Crossfade(out, img, next, fade)
		return out, nil
	}, nil
}

// withSubjects puts the subjects of pictures into the painted scene. Pictures
// without a subject open the clip and morph into the scene.
func (k *output) withSubjects(ctx context.Context, t task.Task, paths []string, p *painter, prompt string) (func(int) (*image.RGBA, error), error) {
	var sprites []*motion.Sprite
	var rest []*image.RGBA
	for _, path := range paths[:min(len(paths), 5)] {
		img, err := t.OpenPicture(ctx, path)
		if err != nil {
			return nil, err
		}
		a, err := motion.NewSprite(ctx, img, k.height)
		if err != nil {
			return nil, err
		}
		if a != nil {
			sprites = append(sprites, a)
			continue
		}
		fitted, err := footage.Cover(ctx, img, k.width, k.height)
		if err != nil {
			return nil, err
		}
		rest = append(rest, fitted)
	}
	// Each cut-out replaces a subject that would have been painted.
	for range sprites {
		if len(p.scene.Subjects) == 0 {
			break
		}
		p.scene.Exclude(p.scene.Subjects[0].Key)
	}
	if len(p.scene.Settings) == 0 && len(p.scene.Subjects) == 0 {
		p.scene.Settings = append(p.scene.Settings, paint.Thing{Key: "studio", Count: 1, Size: 1, On: -1, HeldBy: -1})
	}
	k.note("cast", map[string]int{"cut out": len(sprites), "shown whole": len(rest)})
	for i, a := range sprites {
		a.Place(i, len(sprites), prompt, p.scene)
	}
	opening := 0.35 * k.seconds()
	last := max(k.seconds()-1.0/footage.FrameRate, 1e-6)
	out := image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	var turn *motion.Morph
	leg := -1
	return func(i int) (*image.RGBA, error) {
		seconds := float64(i) / footage.FrameRate
		n := len(rest)
		if n > 0 && seconds < opening {
			step := opening / float64(n)
			at := min(int(seconds/step), n-1)
			next := rest[min(at+1, n-1)]
			if at == n-1 {
				scene, err := p.still(seconds)
				if err != nil {
					return nil, err
				}
				for _, a := range sprites {
					a.Draw(scene, seconds, seconds/last)
				}
				next = scene
			}
			if at != leg {
				leg, turn = at, motion.NewMorph(rest[at], next)
			}
			turn.B = next
			return turn.At(footage.Ease((seconds-step*float64(at))/step*1.6-0.6), out), nil
		}
		img, err := p.frameAt(seconds, seconds/last)
		if err != nil {
			return nil, err
		}
		copy(out.Pix, img.Pix)
		for _, a := range sprites {
			a.Draw(out, seconds, seconds/last)
		}
		return out, nil
	}, nil
}
