package cpu

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/studio/pixel"
)

// journey is a clip made of still pictures: it rests on them, travels over them
// and turns one into the next.
type journey struct {
	w, h    int
	seconds float64
	stops   []stop
	camera  camera
	effect  *effect
	relief  *relief // of the only picture
	back    bool    // the camera arrives at the picture instead of leaving it

	morph  *morph // between the stops of the last frame
	leg    int
	net    *lattice
	inner  *image.RGBA
	canvas *image.RGBA
}

// stop is a picture that the clip shows at a moment.
type stop struct {
	at  float64
	img *image.RGBA
}

func newJourney(ctx context.Context, w, h int, seconds float64, stops []stop, prompt string, seed int64) (*journey, error) {
	j := &journey{
		w: w, h: h, seconds: seconds, stops: slices.Clone(stops), camera: cameraOf(prompt, seed), effect: effectOf(prompt, seed), leg: -1,
		net: newLattice(w, h), inner: image.NewRGBA(image.Rect(0, 0, w, h)), canvas: image.NewRGBA(image.Rect(0, 0, w, h)),
	}
	slices.SortStableFunc(j.stops, func(a, b stop) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	if len(j.stops) > 1 {
		j.effect.light = nil // the pictures have their own
	}
	if len(j.stops) == 1 {
		// What stands out moves before what lies behind. A picture without a
		// subject is a landscape: its foot is near and its head far.
		subject, _, err := pixel.Subject(ctx, j.stops[0].img)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			subject = nil
		}
		j.relief = reliefOf(subject, w, h)
		if subject != nil {
			j.camera.look(boxIn(subject))
		}
	}
	return j, nil
}

// frame is the picture at a time. It is used again for the next.
func (j *journey) frame(seconds float64) *image.RGBA {
	part := 0.0
	if j.seconds > 0 {
		part = min(seconds/max(j.seconds-1.0/frameRate, 1e-6), 1)
	}
	if j.relief != nil {
		j.travel(seconds, part)
	} else {
		j.turn(seconds)
	}
	j.effect.finish(j.canvas, seconds, part)
	return j.canvas
}

// travel moves the camera over the only picture.
func (j *journey) travel(seconds, part float64) {
	along := part
	clock := seconds
	if j.back {
		along, clock = 1-part, max(j.seconds-1.0/frameRate, 0)-seconds
	}
	v, swing := j.camera.at(along, clock)
	stir := ease(along * 6) // the first frame is the picture itself
	aspect := float64(j.w) / float64(j.h)
	src := j.stops[0].img
	j.net.bend(src.Rect, func(x, y float64) (float64, float64) {
		u, w := v.place(x, y, aspect)
		if swing != 0 {
			u += swing * (j.relief.at(u, w) - 0.5)
		}
		su, sw := j.effect.stir(u, w, seconds)
		return u + (su-u)*stir, w + (sw-w)*stir
	})
	j.net.draw(j.canvas, src)
}

// turn is the passage between two stops.
func (j *journey) turn(seconds float64) {
	n := 0
	for n+1 < len(j.stops) && j.stops[n+1].at <= seconds {
		n++
	}
	a := j.stops[n]
	if n+1 == len(j.stops) || seconds <= a.at {
		j.rest(a.img, seconds)
		return
	}
	b := j.stops[n+1]
	if j.leg != n {
		j.leg, j.morph = n, newMorph(a.img, b.img)
	}
	t := (seconds - a.at) / max(b.at-a.at, 1e-6)
	j.morph.at(t, j.inner)
	// The camera leans in on the way and is back when it arrives.
	lean := 1 - 0.05*math.Sin(math.Pi*t)
	j.net.bend(j.inner.Rect, func(x, y float64) (float64, float64) {
		u, v := view{0.5, 0.5, lean, 0}.place(x, y, 1)
		su, sv := j.effect.stir(u, v, seconds)
		k := math.Sin(math.Pi * t)
		return u + (su-u)*k, v + (sv-v)*k
	})
	j.net.draw(j.canvas, j.inner)
}

// rest is a stop that is left or reached but not passed: a slow breath of the
// camera, so that nothing freezes.
func (j *journey) rest(img *image.RGBA, seconds float64) {
	first, last := j.stops[0].at, j.stops[len(j.stops)-1].at
	away := 0.0
	if seconds < first {
		away = first - seconds
	} else if seconds > last {
		away = seconds - last
	}
	v := view{0.5, 0.5, 1 - 0.10*ease(away/6), 0}
	j.net.bend(img.Rect, func(x, y float64) (float64, float64) { return v.place(x, y, 1) })
	j.net.draw(j.canvas, img)
}
