package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// controlModes are the control modes that need no model.
var controlModes = map[string]func(c *conversion, ctx context.Context, t task.Task) error{
	"canny": (*conversion).canny, "depth": (*conversion).depth, "detailer": (*conversion).detail,
	"outpaint": (*conversion).outpaint, "inpaint": (*conversion).inpaint, "seedance-v2v": (*conversion).restyle, "": (*conversion).restyle,
}

// modesThatNeedModel are the other ones, and which model serves them.
var modesThatNeedModel = map[string]string{
	"pose":            "following poses needs a model: connect a worker with a GPU that serves ltx25-22b-int8_v2v_distilled",
	"animate-move":    "carrying motion over to a person needs a model: connect a worker with a GPU that serves wan_v2.2-14b-fp8_animate-move_lightx2v",
	"animate-replace": "replacing a person needs a model: connect a worker with a GPU that serves wan_v2.2-14b-fp8_animate-replace_lightx2v",
}

// Convert makes a new clip from an existing one.
func Convert(ctx context.Context, t task.Task) ([]worker.Output, error) {
	mode := t.Text("controlMode")
	if why, ok := modesThatNeedModel[mode]; ok {
		return nil, worker.Failf("The CPU renderer cannot do %s: %s.", mode, why)
	}
	prepare := controlModes[mode]
	if prepare == nil {
		return nil, worker.Failf("There is no control mode %q.", mode)
	}
	return renderClips(ctx, t, "converting", func(_ int, seed int64) (*output, error) {
		r, k, err := openVideo(ctx, t, "videoSourceIndex")
		if err != nil {
			return nil, err
		}
		c := &conversion{ctx: ctx, out: k, video: r, prompt: t.Text("prompt"), seed: seed, look: paint.LookOf("")}
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
		if err := c.setSize(t); err != nil {
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
		noteLimits(t, k)
		if k.sound == nil {
			err = k.addSound(ctx, t, c.prompt, seed)
		}
		return k, err
	})
}

// conversion is the state of one conversion.
type conversion struct {
	ctx    context.Context
	out    *output
	video  *task.Video
	prompt string
	scene  paint.Scene
	look   paint.Look
	seed   int64

	w, h   int // the size at which frames are repainted
	shrink *footage.Scaler
	shrunk *image.RGBA
	grow   *footage.Scaler
	grown  *image.RGBA
}

// maxRepaintedPixels limits the size at which frames are repainted; larger
// frames are enlarged afterwards.
const maxRepaintedPixels = 520_000

// setSize chooses the size of the result: as the arguments say, in the aspect
// ratio of the source.
func (c *conversion) setSize(t task.Task) error {
	k := c.out
	w, h := k.width, k.height
	if t.Number("targetResolution", 0) > 0 {
		var err error
		if k.width, k.height, err = frameSize(t, w, h); err != nil {
			return err
		}
	}
	if k.width*k.height > maxFramePixels {
		s := math.Sqrt(float64(maxFramePixels) / float64(k.width*k.height))
		k.width, k.height = int(float64(k.width)*s)/2*2, int(float64(k.height)*s)/2*2
	}
	c.w, c.h = k.width, k.height
	if n := c.w * c.h; n > maxRepaintedPixels {
		s := math.Sqrt(maxRepaintedPixels / float64(n))
		c.w, c.h = int(float64(c.w)*s)/2*2, int(float64(c.h)*s)/2*2
	}
	if c.w != w || c.h != h {
		c.shrink, c.shrunk = footage.NewScaler(image.Pt(w, h), image.Pt(c.w, c.h), footage.Linear), image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	}
	if c.w != k.width || c.h != k.height {
		c.grow, c.grown = footage.NewScaler(image.Pt(c.w, c.h), image.Pt(k.width, k.height), footage.Lanczos3), image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	}
	return nil
}

// sourceFrame returns a frame of the source at the size at which it is
// repainted.
func (c *conversion) sourceFrame(i int) (*image.RGBA, error) {
	img, err := c.video.WritableRGBA(i)
	if err != nil || c.shrink == nil {
		return img, err
	}
	c.shrink.Frame(c.shrunk, img)
	return c.shrunk, nil
}

// atOutputSize returns a repainted frame at the size of the result.
func (c *conversion) atOutputSize(img *image.RGBA) *image.RGBA {
	if c.grow == nil {
		return img
	}
	c.grow.Frame(c.grown, img)
	return c.grown
}

// mapFrames sets the function that repaints each frame.
func (c *conversion) mapFrames(repaint func(img *image.RGBA, i int) (*image.RGBA, error)) {
	c.out.frame = func(i int) (image.Image, error) {
		img, err := c.sourceFrame(i)
		if err != nil {
			return nil, err
		}
		if img, err = repaint(img, i); err != nil {
			return nil, task.Failure(err)
		}
		return c.atOutputSize(img), nil
	}
}

// seconds returns the time of a frame.
func (c *conversion) seconds(i int) float64 { return float64(i) / c.video.Rate() }
