package motion

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Camera is the movement over a picture: the view at the beginning and at the
// end, and the shake.
type Camera struct {
	Name     string
	Words    []string // the words of the prompt for it
	from, to View
	Shake    float64 // an unsteady hand, as a share of the picture
	swing    float64 // sideways movement, for parallax
	phase    float64
}

// View is the visible part of a picture: its centre, and its size relative to
// the whole.
type View struct{ X, Y, Size, Roll float64 }

// whole is a view of everything.
var whole = View{0.5, 0.5, 1, 0}

// cameraMoves are the phrases of prompts for camera movements, longer ones
// first.
var cameraMoves = []struct {
	words []string
	set   func(c *Camera)
}{
	{[]string{"static", "locked", "tripod", "still camera", "no camera movement", "fixed camera"}, func(c *Camera) { c.Name, c.to, c.swing = "static", c.from, 0 }},
	{[]string{"zoom out", "zooms out", "zooming out", "pull back", "pulls back", "dolly out", "pull out"}, func(c *Camera) { c.Name, c.from, c.to = "zoom out", View{0.5, 0.5, 0.74, 0}, whole }},
	{[]string{"zoom in", "zooms in", "zooming in", "push in", "pushes in", "dolly in", "closer", "close in", "zoom"}, func(c *Camera) { c.Name, c.to = "zoom in", View{0.5, 0.47, 0.66, 0} }},
	{[]string{"pan left", "pans left", "panning left", "moves left", "truck left"}, func(c *Camera) { c.Name, c.from, c.to = "pan left", View{0.59, 0.5, 0.82, 0}, View{0.41, 0.5, 0.82, 0} }},
	{[]string{"pan right", "pans right", "panning right", "moves right", "truck right", "pan"}, func(c *Camera) {
		c.Name, c.from, c.to = "pan right", View{0.41, 0.5, 0.82, 0}, View{0.59, 0.5, 0.82, 0}
	}},
	{[]string{"tilt up", "tilts up", "crane up", "rises", "pedestal up"}, func(c *Camera) { c.Name, c.from, c.to = "tilt up", View{0.5, 0.59, 0.82, 0}, View{0.5, 0.41, 0.82, 0} }},
	{[]string{"tilt down", "tilts down", "crane down", "descends", "pedestal down"}, func(c *Camera) {
		c.Name, c.from, c.to = "tilt down", View{0.5, 0.41, 0.82, 0}, View{0.5, 0.59, 0.82, 0}
	}},
	{[]string{"orbit", "orbits", "arc shot", "circles", "parallax", "around the"}, func(c *Camera) { c.Name, c.swing, c.to = "arc", 0.045, View{0.5, 0.5, 0.88, 0} }},
	{[]string{"rotate", "rotates", "spin", "spins", "roll", "dutch"}, func(c *Camera) { c.Name, c.to = "roll", View{0.5, 0.5, 0.72, 0.12} }},
}

// CameraOf reads the camera movement from a prompt; without one it chooses by
// the seed.
func CameraOf(prompt string, seed int64) Camera {
	angle := float64(uint64(seed)%360) * math.Pi / 180
	c := Camera{
		Name: "drift", from: whole, swing: 0.022, phase: angle,
		to: View{0.5 + 0.05*math.Cos(angle), 0.5 + 0.04*math.Sin(angle), 0.84, 0},
	}
	words := NormalizeText(prompt)
	for _, m := range cameraMoves {
		if HasPhrase(words, m.words...) {
			m.set(&c)
			c.Words = append(FindPhrases(words, m.words), "camera")
			break
		}
	}
	if shaken := FindPhrases(words, []string{"handheld", "shaky", "shaking", "documentary", "earthquake", "action"}); len(shaken) > 0 {
		c.Shake, c.Words = 0.006, append(c.Words, shaken...)
	}
	return c
}

// aimAt aims a camera that moves in at a subject, and limits the zoom so that
// the subject stays visible.
func (c *Camera) aimAt(at pixel.Frame) {
	if c.Name != "zoom in" && c.Name != "zoom out" {
		return
	}
	near := &c.to
	if c.Name == "zoom out" {
		near = &c.from
	}
	near.Size = min(max(near.Size, max(at.X1-at.X0, at.Y1-at.Y0)*1.08), 0.9)
	aim := func(lo, hi float64) float64 { return min(max((lo+hi)/2, near.Size/2), 1-near.Size/2) }
	near.X, near.Y = aim(at.X0, at.X1), aim(at.Y0, at.Y1)
}

// NormalizeText returns a text in lower case with single spaces around every word, so
// that whole words can be found in it.
func NormalizeText(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '\'' || r > 127)
	}), " ") + " "
}

// HasPhrase reports whether a text has one of the words or phrases.
func HasPhrase(phrase string, words ...string) bool { return len(FindPhrases(phrase, words)) > 0 }

// FindPhrases returns the words or phrases that a text has.
func FindPhrases(phrase string, words []string) (out []string) {
	for _, w := range words {
		if strings.Contains(phrase, " "+w+" ") {
			out = append(out, w)
		}
	}
	return out
}

// At returns the view at a part of the way, and the sideways movement.
func (c *Camera) At(t, seconds float64) (View, float64) {
	k := footage.Ease(t)
	v := View{
		c.from.X + (c.to.X-c.from.X)*k, c.from.Y + (c.to.Y-c.from.Y)*k,
		c.from.Size * math.Pow(c.to.Size/c.from.Size, k), c.from.Roll + (c.to.Roll-c.from.Roll)*k,
	}
	if c.Shake > 0 {
		// Three sine waves of unrelated frequencies look like a hand.
		v.X += c.Shake * (math.Sin(seconds*7.3+c.phase) + 0.6*math.Sin(seconds*13.1))
		v.Y += c.Shake * (math.Sin(seconds*6.1+2+c.phase) + 0.6*math.Sin(seconds*11.7))
		v.Size = min(v.Size, 0.97)
	}
	return v, c.swing * math.Sin(2*math.Pi*0.11*seconds)
}

// Place returns the point of the picture at a point of the frame.
func (v View) Place(x, y, aspect float64) (float64, float64) {
	dx, dy := (x-0.5)*v.Size, (y-0.5)*v.Size
	if v.Roll != 0 {
		s, k := math.Sincos(v.Roll)
		dx, dy = dx*k-dy*s/aspect, dx*s*aspect+dy*k
	}
	return v.X + dx, v.Y + dy
}

// depthMap is an estimate of how near the parts of a picture are, from 0, far, to
// 1.
type depthMap struct {
	w, h int
	near []float32
}

const depthSide = 96

// depthMapOf assumes that the subject is near, and that the lower part of a
// picture is nearer than the upper one.
func depthMapOf(subject *pixel.Mask, w, h int) *depthMap {
	r := &depthMap{w: depthSide, h: max(2, depthSide*h/max(w, 1))}
	if h > w {
		r.w, r.h = max(2, depthSide*w/h), depthSide
	}
	r.near = make([]float32, r.w*r.h)
	for y := range r.h {
		for x := range r.w {
			v := 0.15 + 0.5*float32(y)/float32(r.h)
			if subject != nil && subject.Pix[min(y*subject.H/r.h, subject.H-1)*subject.W+min(x*subject.W/r.w, subject.W-1)] >= 128 {
				v = 0.9
			}
			r.near[y*r.w+x] = v
		}
	}
	for range 3 { // no sharp steps, so that nothing tears
		r.near = pixel.MeanFilter(r.near, r.w, r.h)
	}
	return r
}

// at returns the depth at a place of the picture, both coordinates from 0 to 1.
func (r *depthMap) at(u, v float64) float64 {
	return float64(pixel.Interpolate(r.near, r.w, r.h, u*float64(r.w)-0.5, v*float64(r.h)-0.5))
}
