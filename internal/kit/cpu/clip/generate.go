package clip

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// Generate makes clips from a prompt: a painted scene that moves, with
// keyframes and references if there are any.
func Generate(ctx context.Context, t task.Task) ([]worker.Output, error) {
	frames, err := frameCount(t, 5)
	if err != nil {
		return nil, err
	}
	given, err := readReferences(t)
	if err != nil {
		return nil, err
	}
	return renderClips(ctx, t, "filming", func(_ int, seed int64) (*output, error) {
		b := image.Rectangle{}
		if len(given.images) > 0 && t.Text("ratio") == "adaptive" {
			first, err := t.OpenPicture(ctx, given.images[0])
			if err != nil {
				return nil, err
			}
			b = first.Bounds()
		}
		w, h, err := frameSize(t, b.Dx(), b.Dy())
		if err != nil {
			return nil, err
		}
		k := &output{width: w, height: h, frames: frames}
		prompt := t.Text("prompt")
		p := newPainter(ctx, t, prompt, w, h, seed)
		if err := k.setFrames(ctx, t, given, p, prompt, seed); err != nil {
			return nil, err
		}
		noteLimits(t, k)
		if k.sound == nil {
			if err := k.addSound(ctx, t, prompt, seed); err != nil {
				return k, err
			}
		}
		return k, p.noteUnderstood(k, prompt)
	})
}

// noteUnderstood notes what of a prompt the clip shows, and the words that have
// no effect on picture or sound.
func (p *painter) noteUnderstood(k *output, prompt string) error {
	if p.unused {
		return nil
	}
	// Two times, because some things are visible only by their motion.
	scene, err := p.scene.PaintedAt(p.ctx, p.look, p.pw, p.ph, p.seed, 0, 1.25)
	if err != nil {
		return task.Failure(err)
	}
	// Words that are only heard are understood too.
	scene.Unknown = task.Without(scene.Unknown, k.audibleWords(prompt))
	var followed []string
	words := motion.NormalizeText(prompt)
	if p.moves || p.camera.Name == "static" {
		followed = append(followed, p.camera.Words...)
	}
	followed = append(followed, p.effect.Words(words)...)
	if k.metadata == nil {
		k.metadata = map[string]any{}
	}
	task.NoteUnderstood(k.metadata, scene, followed)
	return nil
}

// painter paints the frames of a scene.
type painter struct {
	ctx    context.Context
	scene  paint.Scene
	look   paint.Look
	seed   int64
	w, h   int
	pw, ph int // the size that is painted
	scaler *footage.Scaler
	out    *image.RGBA
	effect *motion.Effect
	camera motion.Camera
	moves  bool
	unused bool // the scene is not shown
	mesh   *motion.WarpGrid
	warped *image.RGBA

	// Styles with visible brush strokes are painted twelve times a second (on
	// twos, as in drawn films) and interpolated between.
	onTwos     bool
	from, to   int
	past, next *image.RGBA
}

// paintedPixels limits what is painted for a frame; larger frames are painted
// smaller and enlarged.
const paintedPixels = 600_000

func newPainter(ctx context.Context, t task.Task, prompt string, w, h int, seed int64) *painter {
	_, rest := cutQuotes(prompt)
	p := &painter{ctx: ctx, scene: paint.Read(rest), look: paint.LookOf(t.ModelID), seed: seed, w: w, h: h, pw: w, ph: h, from: -1, to: -1}
	if no := t.Text("negativePrompt"); no != "" {
		p.scene.Exclude(paint.Read(no).Keys()...)
	}
	p.onTwos = len(p.scene.Styles) > 0 || len(p.look.Passes) > 0
	limit := paintedPixels
	if p.onTwos {
		limit /= 2
	}
	for n := 1; p.pw*p.ph > limit || isTwoStage(t) && n == 1; n++ {
		k := 1 - 0.125*float64(min(n, 6))
		if isTwoStage(t) {
			k = 1 / float64(n+1)
		}
		p.pw, p.ph = max(16, int(float64(w)*k)/2*2), max(16, int(float64(h)*k)/2*2)
		if n >= 6 {
			break
		}
	}
	if p.pw != w || p.ph != h {
		p.scaler, p.out = footage.NewScaler(image.Pt(p.pw, p.ph), image.Pt(w, h), footage.CatmullRom), image.NewRGBA(image.Rect(0, 0, w, h))
	}
	p.effect = motion.EffectOf(rest, seed).Without(p.scene)
	p.camera = motion.CameraOf(rest, seed)
	// A painted scene moves by itself; the camera moves only when the prompt
	// says so.
	if p.moves = p.camera.Name != "drift" && p.camera.Name != "static" || p.camera.Shake > 0; p.moves {
		p.mesh, p.warped = motion.NewWarpGrid(w, h), image.NewRGBA(image.Rect(0, 0, w, h))
	}
	return p
}

// frameAt returns the scene at a time; part is the progress of the clip, from 0
// to 1. The next call overwrites the picture.
func (p *painter) frameAt(seconds, part float64) (*image.RGBA, error) {
	img, err := p.interpolated(seconds)
	if err != nil {
		return nil, err
	}
	if p.scaler != nil {
		p.scaler.Frame(p.out, img)
		img = p.out
	}
	if p.moves {
		v, _ := p.camera.At(part, seconds)
		p.mesh.Set(img.Rect, func(x, y float64) (float64, float64) { return v.Place(x, y, float64(p.w)/float64(p.h)) })
		p.mesh.Draw(p.warped, img)
		img = p.warped
	}
	p.effect.Draw(img, seconds, part)
	return img, nil
}

func (p *painter) interpolated(seconds float64) (*image.RGBA, error) {
	if !p.onTwos {
		return p.paint(seconds)
	}
	n := int(seconds*footage.FrameRate + 0.5)
	step := n / 2
	if p.from != step {
		if p.to == step {
			p.past, p.next = p.next, p.past
		} else {
			img, err := p.paint(float64(2*step) / footage.FrameRate)
			if err != nil {
				return nil, err
			}
			p.past = img
		}
		p.from = step
		img, err := p.paint(float64(2*step+2) / footage.FrameRate)
		if err != nil {
			return nil, err
		}
		p.next, p.to = img, step+1
	}
	out := image.NewRGBA(p.past.Rect)
	motion.Crossfade(out, p.past, p.next, float64(n%2)/2)
	return out, nil
}

func (p *painter) paint(seconds float64) (*image.RGBA, error) {
	img, err := paint.PaintScene(p.ctx, p.scene, p.look, p.pw, p.ph, p.seed, seconds, nil)
	if err != nil {
		return nil, task.Failure(err)
	}
	return footage.ToRGBA(img), nil
}

// still returns a copy of the scene at a time.
func (p *painter) still(seconds float64) (*image.RGBA, error) {
	img, err := p.frameAt(seconds, 0)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(img.Rect)
	copy(out.Pix, img.Pix)
	return out, nil
}
