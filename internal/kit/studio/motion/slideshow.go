package motion

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Slideshow is a clip of still pictures: the camera holds and moves over them,
// and one morphs into the next.
type Slideshow struct {
	w, h    int
	seconds float64
	Stops   []Stop
	Camera  Camera
	Effect  *Effect
	Depth   *depthMap // of the only picture
	Back    bool      // the camera arrives at the picture instead of leaving it

	morph  *Morph // between the stops of the last frame
	leg    int
	net    *WarpGrid
	inner  *image.RGBA
	canvas *image.RGBA
}

// Stop is a picture that the clip shows at a time.
type Stop struct {
	At  float64
	Img *image.RGBA
}

// NewSlideshow makes a clip of pictures, with the camera and the effects of a
// prompt.
func NewSlideshow(ctx context.Context, w, h int, seconds float64, stops []Stop, prompt string, seed int64) (*Slideshow, error) {
	j := &Slideshow{
		w: w, h: h, seconds: seconds, Stops: slices.Clone(stops), Camera: CameraOf(prompt, seed), Effect: EffectOf(prompt, seed), leg: -1,
		net: NewWarpGrid(w, h), inner: image.NewRGBA(image.Rect(0, 0, w, h)), canvas: image.NewRGBA(image.Rect(0, 0, w, h)),
	}
	slices.SortStableFunc(j.Stops, func(a, b Stop) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	if len(j.Stops) > 1 {
		j.Effect.Light = nil // the pictures have their own
	}
	if len(j.Stops) == 1 {
		// The subject moves more than the background. A picture without a subject
		// is a landscape: near at the bottom and far at the top.
		subject, _, err := pixel.Subject(ctx, j.Stops[0].Img)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			subject = nil
		}
		j.Depth = depthMapOf(subject, w, h)
		if subject != nil {
			j.Camera.aimAt(pixel.BoxIn(subject))
		}
	}
	return j, nil
}

// Frame returns the picture at a time. The next call overwrites it.
func (j *Slideshow) Frame(seconds float64) *image.RGBA {
	part := 0.0
	if j.seconds > 0 {
		part = min(seconds/max(j.seconds-1.0/footage.FrameRate, 1e-6), 1)
	}
	if j.Depth != nil {
		j.moveCamera(seconds, part)
	} else {
		j.morphStops(seconds)
	}
	j.Effect.Draw(j.canvas, seconds, part)
	return j.canvas
}

// moveCamera moves the camera over the only picture.
func (j *Slideshow) moveCamera(seconds, part float64) {
	along := part
	clock := seconds
	if j.Back {
		along, clock = 1-part, max(j.seconds-1.0/footage.FrameRate, 0)-seconds
	}
	v, swing := j.Camera.At(along, clock)
	stir := footage.Ease(along * 6) // the first frame is the picture itself
	aspect := float64(j.w) / float64(j.h)
	src := j.Stops[0].Img
	j.net.Set(src.Rect, func(x, y float64) (float64, float64) {
		u, w := v.Place(x, y, aspect)
		if swing != 0 {
			u += swing * (j.Depth.at(u, w) - 0.5)
		}
		su, sw := j.Effect.Displace(u, w, seconds)
		return u + (su-u)*stir, w + (sw-w)*stir
	})
	j.net.Draw(j.canvas, src)
}

// morphStops draws the transition between two stops.
func (j *Slideshow) morphStops(seconds float64) {
	n := 0
	for n+1 < len(j.Stops) && j.Stops[n+1].At <= seconds {
		n++
	}
	a := j.Stops[n]
	if n+1 == len(j.Stops) || seconds <= a.At {
		j.holdStop(a.Img, seconds)
		return
	}
	b := j.Stops[n+1]
	if j.leg != n {
		j.leg, j.morph = n, NewMorph(a.Img, b.Img)
	}
	t := (seconds - a.At) / max(b.At-a.At, 1e-6)
	j.morph.At(t, j.inner)
	// The camera moves in a little and back during the transition.
	lean := 1 - 0.05*math.Sin(math.Pi*t)
	j.net.Set(j.inner.Rect, func(x, y float64) (float64, float64) {
		u, v := View{0.5, 0.5, lean, 0}.Place(x, y, 1)
		su, sv := j.Effect.Displace(u, v, seconds)
		k := math.Sin(math.Pi * t)
		return u + (su-u)*k, v + (sv-v)*k
	})
	j.net.Draw(j.canvas, j.inner)
}

// holdStop draws a stop before the first or after the last transition, with a slow
// camera movement, so that nothing freezes.
func (j *Slideshow) holdStop(img *image.RGBA, seconds float64) {
	first, last := j.Stops[0].At, j.Stops[len(j.Stops)-1].At
	away := 0.0
	if seconds < first {
		away = first - seconds
	} else if seconds > last {
		away = seconds - last
	}
	v := View{0.5, 0.5, 1 - 0.10*footage.Ease(away/6), 0}
	j.net.Set(img.Rect, func(x, y float64) (float64, float64) { return v.Place(x, y, 1) })
	j.net.Draw(j.canvas, img)
}
