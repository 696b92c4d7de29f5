package clip

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/studio/motion"
	"github.com/atelier-project/atelier/internal/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/cpu/task"
)

// Generate makes clips of a prompt: a painted scene that moves, led by what it was
// given besides words.
func Generate(ctx context.Context, t task.Task) ([]worker.Output, error) {
	frames, err := length(t, 5)
	if err != nil {
		return nil, err
	}
	given, err := references(t)
	if err != nil {
		return nil, err
	}
	return shoot(ctx, t, "filming", func(_ int, seed int64) (*take, error) {
		b := image.Rectangle{}
		if len(given.images) > 0 && t.Text("ratio") == "adaptive" {
			first, err := t.OpenPicture(ctx, given.images[0])
			if err != nil {
				return nil, err
			}
			b = first.Bounds()
		}
		w, h, err := canvas(t, b.Dx(), b.Dy())
		if err != nil {
			return nil, err
		}
		k := &take{width: w, height: h, frames: frames}
		prompt := t.Text("prompt")
		p := newPainter(ctx, t, prompt, w, h, seed)
		if err := k.lead(ctx, t, given, p, prompt, seed); err != nil {
			return nil, err
		}
		limits(t, k)
		if k.sound == nil {
			if err := k.accompany(ctx, t, prompt, seed); err != nil {
				return k, err
			}
		}
		return k, p.account(k, prompt)
	})
}

// account notes what of a prompt a take shows by its painted scene, and the words
// of which it neither shows nor lets hear anything.
func (p *painter) account(k *take, prompt string) error {
	if p.idle {
		return nil
	}
	// Two moments, since some things only show by moving.
	scene, err := p.scene.PaintedAt(p.ctx, p.look, p.pw, p.ph, p.seed, 0, 1.25)
	if err != nil {
		return task.Failure(err)
	}
	// What has a look must be seen; what only sounds is heard.
	scene.Unknown = task.Without(scene.Unknown, k.audible(prompt))
	var followed []string
	words := motion.Phrase(prompt)
	if p.moves || p.camera.Name == "static" {
		followed = append(followed, p.camera.Words...)
	}
	followed = append(followed, p.effect.Heard(words)...)
	if k.metadata == nil {
		k.metadata = map[string]any{}
	}
	task.NoteUnderstood(k.metadata, scene, followed)
	return nil
}

// painter paints the moments of a scene for frames of a size.
type painter struct {
	ctx    context.Context
	scene  paint.Scene
	look   paint.Look
	seed   int64
	w, h   int
	pw, ph int // the size that is painted
	grow   *footage.Scaler
	out    *image.RGBA
	effect *motion.Effect
	camera motion.Camera
	moves  bool
	idle   bool // nothing of the scene is shown
	net    *motion.Lattice
	bent   *image.RGBA

	// Styles that repaint every brush stroke are painted twelve times a second
	// and mixed in between, as drawn films are.
	twos       bool
	from, to   int
	past, next *image.RGBA
}

// paintedPixels is as much as is painted for a frame; larger frames are painted
// smaller and enlarged, as two-stage models do.
const paintedPixels = 600_000

func newPainter(ctx context.Context, t task.Task, prompt string, w, h int, seed int64) *painter {
	_, rest := spoken(prompt)
	p := &painter{ctx: ctx, scene: paint.Read(rest), look: paint.LookOf(t.ModelID), seed: seed, w: w, h: h, pw: w, ph: h, from: -1, to: -1}
	if no := t.Text("negativePrompt"); no != "" {
		p.scene.Exclude(paint.Read(no).Keys()...)
	}
	p.twos = len(p.scene.Styles) > 0 || len(p.look.Passes) > 0
	limit := paintedPixels
	if p.twos {
		limit /= 2
	}
	for n := 1; p.pw*p.ph > limit || twoStage(t) && n == 1; n++ {
		k := 1 - 0.125*float64(min(n, 6))
		if twoStage(t) {
			k = 1 / float64(n+1)
		}
		p.pw, p.ph = max(16, int(float64(w)*k)/2*2), max(16, int(float64(h)*k)/2*2)
		if n >= 6 {
			break
		}
	}
	if p.pw != w || p.ph != h {
		p.grow, p.out = footage.NewScaler(image.Pt(p.pw, p.ph), image.Pt(w, h), footage.Keen), image.NewRGBA(image.Rect(0, 0, w, h))
	}
	p.effect = motion.EffectOf(rest, seed).Without(p.scene)
	p.camera = motion.CameraOf(rest, seed)
	// A painted scene moves by itself: the camera only when it is told to.
	if p.moves = p.camera.Name != "drift" && p.camera.Name != "static" || p.camera.Shake > 0; p.moves {
		p.net, p.bent = motion.NewLattice(w, h), image.NewRGBA(image.Rect(0, 0, w, h))
	}
	return p
}

// at returns the scene at a moment; part is how far the clip is. The picture may be
// used again for the next.
func (p *painter) at(seconds, part float64) (*image.RGBA, error) {
	img, err := p.painted(seconds)
	if err != nil {
		return nil, err
	}
	if p.grow != nil {
		p.grow.Frame(p.out, img)
		img = p.out
	}
	if p.moves {
		v, _ := p.camera.At(part, seconds)
		p.net.Bend(img.Rect, func(x, y float64) (float64, float64) { return v.Place(x, y, float64(p.w)/float64(p.h)) })
		p.net.Draw(p.bent, img)
		img = p.bent
	}
	p.effect.Finish(img, seconds, part)
	return img, nil
}

func (p *painter) painted(seconds float64) (*image.RGBA, error) {
	if !p.twos {
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
	return footage.Colours(img), nil
}

// still returns a moment of the scene that is kept.
func (p *painter) still(seconds float64) (*image.RGBA, error) {
	img, err := p.at(seconds, 0)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(img.Rect)
	copy(out.Pix, img.Pix)
	return out, nil
}
