package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/cpu/task"
)

// controls are the control modes that can be done without a model.
var controls = map[string]func(c *conversion, ctx context.Context, t task.Task) error{
	"canny": (*conversion).canny, "depth": (*conversion).depth, "detailer": (*conversion).detail,
	"outpaint": (*conversion).outpaint, "inpaint": (*conversion).inpaint, "seedance-v2v": (*conversion).restyle, "": (*conversion).restyle,
}

// impossible are those that cannot, and what would.
var impossible = map[string]string{
	"pose":            "following poses needs a model: connect a worker with a GPU that serves ltx25-22b-int8_v2v_distilled",
	"animate-move":    "carrying motion over to a person needs a model: connect a worker with a GPU that serves wan_v2.2-14b-fp8_animate-move_lightx2v",
	"animate-replace": "replacing a person needs a model: connect a worker with a GPU that serves wan_v2.2-14b-fp8_animate-replace_lightx2v",
}

// Convert makes a new clip of an existing one.
func Convert(ctx context.Context, t task.Task) ([]worker.Output, error) {
	mode := t.Text("controlMode")
	if why, ok := impossible[mode]; ok {
		return nil, worker.Failf("The CPU renderer cannot do %s: %s.", mode, why)
	}
	prepare := controls[mode]
	if prepare == nil {
		return nil, worker.Failf("There is no control mode %q.", mode)
	}
	return shoot(ctx, t, "converting", func(_ int, seed int64) (*take, error) {
		r, err := t.Video(ctx, "videoSourceIndex")
		if err != nil {
			return nil, err
		}
		c := &conversion{ctx: ctx, take: outputLike(r), reel: r, prompt: t.Text("prompt"), seed: seed, look: paint.LookOf("")}
		k := c.take
		k.reads(r)
		if d := t.Number("duration", 0); d > 0 {
			if d > r.Seconds()+0.05 {
				k.note("length", "that of the source, which is shorter than what was asked for")
			}
			k.frames = min(k.frames, max(1, int(math.Round(d*r.Rate()))))
		}
		c.scene = paint.Read(c.prompt)
		if no := t.Text("negativePrompt"); no != "" {
			c.scene.Exclude(paint.Read(no).Keys()...)
		}
		if err := c.size(t); err != nil {
			return k, err
		}
		if err := prepare(c, ctx, t); err != nil {
			return k, err
		}
		if mode != "" {
			k.note("controlMode", mode)
		}
		if k.sound, err = r.Sound(ctx); err != nil {
			return k, err
		}
		limits(t, k)
		if k.sound == nil {
			err = k.accompany(ctx, t, c.prompt, seed)
		}
		return k, err
	})
}

// conversion is a clip on its way to be another.
type conversion struct {
	ctx    context.Context
	take   *take
	reel   *task.Video
	prompt string
	scene  paint.Scene
	look   paint.Look
	seed   int64

	w, h   int // at which frames are worked on
	fit    *footage.Scaler
	fitted *image.RGBA
	grow   *footage.Scaler
	grown  *image.RGBA
}

// worked is as many pixels of a frame as are repainted; larger frames are
// enlarged afterwards.
const worked = 520_000

// size chooses how large the result is: as asked for, in the shape of the source.
func (c *conversion) size(t task.Task) error {
	k := c.take
	w, h := k.width, k.height
	if t.Number("targetResolution", 0) > 0 {
		var err error
		if k.width, k.height, err = canvas(t, w, h); err != nil {
			return err
		}
	}
	if k.width*k.height > maxMade {
		s := math.Sqrt(float64(maxMade) / float64(k.width*k.height))
		k.width, k.height = int(float64(k.width)*s)/2*2, int(float64(k.height)*s)/2*2
	}
	c.w, c.h = k.width, k.height
	if n := c.w * c.h; n > worked {
		s := math.Sqrt(worked / float64(n))
		c.w, c.h = int(float64(c.w)*s)/2*2, int(float64(c.h)*s)/2*2
	}
	if c.w != w || c.h != h {
		c.fit, c.fitted = footage.NewScaler(image.Pt(w, h), image.Pt(c.w, c.h), footage.Soft), image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	}
	if c.w != k.width || c.h != k.height {
		c.grow, c.grown = footage.NewScaler(image.Pt(c.w, c.h), image.Pt(k.width, k.height), footage.Crisp), image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	}
	return nil
}

// source returns a frame of the source at the size at which it is worked on.
func (c *conversion) source(i int) (*image.RGBA, error) {
	img, err := c.reel.WritableRGBA(i)
	if err != nil || c.fit == nil {
		return img, err
	}
	c.fit.Frame(c.fitted, img)
	return c.fitted, nil
}

// deliver returns a frame that was worked on at the size of the result.
func (c *conversion) deliver(img *image.RGBA) *image.RGBA {
	if c.grow == nil {
		return img
	}
	c.grow.Frame(c.grown, img)
	return c.grown
}

// each repaints the frames one by one.
func (c *conversion) each(repaint func(img *image.RGBA, i int) (*image.RGBA, error)) {
	c.take.frame = func(i int) (image.Image, error) {
		img, err := c.source(i)
		if err != nil {
			return nil, err
		}
		if img, err = repaint(img, i); err != nil {
			return nil, task.Failure(err)
		}
		return c.deliver(img), nil
	}
}

// seconds returns the time of a frame.
func (c *conversion) seconds(i int) float64 { return float64(i) / c.reel.Rate() }
