package clip

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// restyle repaints a clip in the style, light, weather and colours of the prompt.
func (c *conversion) restyle(ctx context.Context, t task.Task) error {
	mood, lit := lightOf(c.scene)
	effect := motion.EffectOf(c.prompt, c.seed)
	effect.Light, effect.Ripple, effect.Sway = nil, 0, 0
	given := t.Files["sourceImageIndex"] != ""
	if len(c.scene.Styles) == 0 && len(c.scene.Palette) == 0 && len(c.scene.Moods) == 0 && !lit && !given && len(effect.Particles) == 0 && effect.Fog == 0 {
		return worker.Failf("Nothing in the prompt says how the video is to look. Name a style (oil painting, comic, pixel art, …), colours, a time of day, a season or weather.")
	}
	var to *footage.ToneMap
	if given || len(c.scene.Palette) > 0 {
		var err error
		if to, err = c.targetTones(ctx, t); err != nil {
			return err
		}
	}
	// Only style, mood and palette are used: the clip has its own content.
	style := paint.Scene{Styles: c.scene.Styles, Moods: c.scene.Moods, Palette: c.scene.Palette}
	c.mapFrames(func(img *image.RGBA, i int) (*image.RGBA, error) {
		if to != nil {
			to.Tint(img, 0.5)
		}
		mood.Apply(img)
		if len(style.Styles)+len(style.Moods)+len(style.Palette) > 0 {
			out, err := paint.Stylise(ctx, img, style, c.look, c.seed)
			if err != nil {
				return nil, err
			}
			img = footage.ToRGBA(out)
		}
		effect.Draw(img, c.seconds(i), 0)
		return img, nil
	})
	c.out.note("styles", c.scene.Styles)
	return nil
}

// canny keeps the edges of a clip and repaints what lies between them.
func (c *conversion) canny(ctx context.Context, t task.Task) error {
	to, err := c.targetTones(ctx, t)
	if err != nil {
		return err
	}
	e := footage.NewEdgeDetector(c.w, c.h)
	style := paint.Scene{Styles: c.scene.Styles, Moods: c.scene.Moods}
	if to == nil { // colours that belong to no thing
		style.Palette = c.scene.Palette
	}
	smooth := image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	small := image.NewRGBA(image.Rect(0, 0, max(2, c.w/3), max(2, c.h/3)))
	down, up := footage.NewScaler(smooth.Rect.Max, small.Rect.Max, footage.Linear), footage.NewScaler(small.Rect.Max, smooth.Rect.Max, footage.BSpline)
	c.mapFrames(func(img *image.RGBA, _ int) (*image.RGBA, error) {
		e.Find(img)
		down.Frame(small, img)
		up.Frame(smooth, small)
		footage.Posterise(smooth, 7)
		if to != nil {
			to.Tint(smooth, 0.55)
		}
		img = smooth
		if len(style.Styles)+len(style.Moods)+len(style.Palette) > 0 {
			out, err := paint.Stylise(ctx, smooth, style, c.look, c.seed)
			if err != nil {
				return nil, err
			}
			img = footage.ToRGBA(out)
		}
		e.Draw(img, 0.9)
		return img, nil
	})
	c.out.note("method", "edges of the source as ink over its repainted tones")
	return nil
}

// depth reads lightness as height and repaints a clip as a lit relief.
func (c *conversion) depth(ctx context.Context, t task.Task) error {
	to, err := c.targetTones(ctx, t)
	if err != nil {
		return err
	}
	if to == nil {
		to = &footage.ToneMap{}
		for v := range 256 {
			to[v] = [3]uint8{uint8(v * 7 / 8), uint8(v * 15 / 16), uint8(min(v+24, 255))}
		}
	}
	small := image.NewRGBA(image.Rect(0, 0, max(2, c.w/4), max(2, c.h/4)))
	soften := image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	down, up := footage.NewScaler(soften.Rect.Max, small.Rect.Max, footage.Linear), footage.NewScaler(small.Rect.Max, soften.Rect.Max, footage.BSpline)
	out := image.NewRGBA(soften.Rect)
	height := make([]float32, c.w*c.h)
	c.mapFrames(func(img *image.RGBA, i int) (*image.RGBA, error) {
		down.Frame(small, img)
		up.Frame(soften, small)
		// Large shapes give most of the height, fine ones a little. The lower
		// part of the picture is nearer.
		footage.Rows(c.h, func(y int) {
			for x := range c.w {
				at := y*soften.Stride + 4*x
				big, fine := float32(footage.Lightness(soften.Pix[at:])), float32(footage.Lightness(img.Pix[y*img.Stride+4*x:]))
				height[y*c.w+x] = 0.62*big + 0.38*fine + 26*float32(y)/float32(c.h)
			}
		})
		angle := 0.6 + 0.25*math.Sin(c.seconds(i)*0.7)
		lx, ly := float32(-math.Cos(angle)), float32(-math.Sin(angle))
		scale := float32(c.w) / 640 * 0.16
		footage.Rows(c.h, func(y int) {
			for x := range c.w {
				h := func(dx, dy int) float32 {
					return height[min(max(y+dy, 0), c.h-1)*c.w+min(max(x+dx, 0), c.w-1)]
				}
				gx, gy := (h(1, 0)-h(-1, 0))*scale, (h(0, 1)-h(0, -1))*scale
				n := float32(1 / math.Sqrt(float64(gx*gx+gy*gy+1)))
				shade := (0.62 - 0.5*(gx*lx+gy*ly)) * (0.35 + 0.65*n)
				tone := to[uint8(min(max(h(0, 0)*0.92, 0), 255))]
				p := out.Pix[y*out.Stride+4*x:]
				for k := range 3 {
					p[k] = uint8(min(max(float32(tone[k])*(0.45+0.95*shade), 0), 255))
				}
				p[3] = 255
			}
		})
		return out, nil
	})
	c.out.note("method", "lightness read as height, lit as a relief")
	return nil
}
