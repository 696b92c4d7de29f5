package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawSea draws water from a line down: a reflection of the sky, waves that
// grow towards the viewer, and the path of the sun.
func (s *renderer) drawSea(tone pixel.RGB, from float64) {
	d := &s.sky
	seed := uint32(s.dice("sea").Next())
	top, deep, u := float32(from), float32(s.h-from), float32(s.u)
	lit, dim := s.light.Tones(tone, 0)
	far := pixel.Mix(lit, d.horizon, 0.55)
	rough := float32(1)
	if s.scene.weather("storm") || s.scene.weather("wind") {
		rough = 2
	}
	if s.scene.setting("lake") != nil {
		rough = 0.6
	}
	sunX := float32(d.sunAt.X * s.w)
	if s.dice("side").Chance(0.5) && !s.scene.Symmetric {
		sunX = float32(s.w) - sunX
	}
	path := 0.5 * (1 - 0.4*d.night)
	if s.scene.weather("storm") || s.time == "day" && d.night == 0 {
		path = 0.12
	}
	flat := s.light.Flat
	drift := float32(s.at)
	foam, _ := s.light.Tones(pixel.RGB{R: 0.96, G: 0.98, B: 1}, 0)
	s.WashLines(vector.Box{X0: 0, Y0: from, X1: s.w, Y1: s.h}, 24, func(y float32) func(x float32) (pixel.RGB, float32) {
		t := pixel.Unit((y - top) / deep)
		z := 1 / (t + 0.05)
		water := pixel.Mix(far, pixel.Mix(lit, dim, 0.55*t), pixel.Smooth(0, 0.7, t))
		if flat {
			return func(float32) (pixel.RGB, float32) { return water, 1 }
		}
		swell := chance.FractalLine(1.6*z/u, 4, func(x float32) float32 {
			px := (x - float32(s.w)/2) / u * z
			n := chance.Fractal(px*1.6+drift*0.3, z*7-drift*0.9, 4, seed)
			return n - 0.5 + 0.10*float32(math.Sin(float64(z*20+px*2+6*n-drift*2)))
		})
		high, broad := 0.62*rough*(0.35+0.65*t), u*(0.05+0.22*t)
		return func(x float32) (pixel.RGB, float32) {
			w := swell(x)
			c := water.Scaled(1 + w*high)
			c = pixel.Mix(c, d.middle, pixel.Unit(w*1.4)*0.35)
			if dx := (x - sunX) / broad; dx > -2.2 && dx < 2.2 && w > 0.02 {
				glint := pixel.Smooth(0.02, 0.16, w) * float32(math.Exp(float64(-dx*dx)))
				c = c.Plus(d.sun.Scaled(glint * path * 1.5))
			}
			if rough > 1.5 {
				c = pixel.Mix(c, foam, pixel.Smooth(0.22, 0.36, w)*0.6*t)
			}
			return c, 1
		}
	})
}

// drawShore draws the far bank of a lake and the reeds at the near one.
func (s *renderer) drawShore() {
	_, tone := s.groundTone()
	seed := uint32(s.dice("shore").Next())
	n := 60
	loop := make([]vector.Point, 0, 2*n)
	for i := 0; i <= n; i++ {
		x := float64(i) / float64(n)
		loop = append(loop, vector.Point{X: x * s.w, Y: s.horizon - s.u*0.004})
	}
	for i := n; i >= 0; i-- {
		x := float64(i) / float64(n)
		loop = append(loop, vector.Point{X: x * s.w, Y: s.horizon + s.u*(0.012+0.022*rolling(x*4, 2, seed))})
	}
	s.fillShape(loop, tone, 0.2, 26)
}

// onLand reports whether a subject must stand beside the water.
func (s *renderer) onLand() bool {
	for _, a := range s.newFigures() {
		if a.on == "ground" && !s.restsOnAnother(a) && a.thing.HeldBy < 0 {
			return true
		}
	}
	return false
}

// drawBank draws the near side of a lake, when a subject needs ground to stand on.
func (s *renderer) drawBank() {
	if !s.onLand() {
		return
	}
	near, far := s.groundTone()
	seed := uint32(s.dice("bank").Next())
	loop := s.profile(s.horizon+(s.h-s.horizon)*0.60, s.u*0.05, 1.1, 3, seed, rolling)
	lit, _ := s.light.Tones(far, 0.05)
	mud, _ := s.light.Tones(pixel.MustHex("#a08a5c"), 0.05)
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Moved(0, -s.u*0.010).All(loop)}, Lit: mud, Alpha: 0.9, Depth: 33})
	st := vector.Stroke{Loops: [][]vector.Point{loop}, Shading: vector.Linear, From: vector.Point{X: 0, Y: s.horizon + (s.h-s.horizon)*0.5}, To: vector.Point{X: 0, Y: s.h}, Lit: lit, Alpha: 1, Depth: 33}
	st.Dim, _ = s.light.Tones(near, 0)
	if s.light.Texture > 0.1 && !s.light.Flat {
		st.Grain = vector.Grain{Kind: vector.Leafy, Strength: 0.22, Unit: float32(s.u * 0.009), X: 0, Y: 0, Seed: seed}
	}
	s.Add(st)
}

// drawRiver draws a river from the horizon to the viewer.
func (s *renderer) drawRiver(tone pixel.RGB) {
	d := s.dice("river")
	phase := d.In(0, 6)
	var left, right []vector.Point
	lit, dim := s.light.Tones(tone, 0)
	const n = 48
	for i := 0; i <= n; i++ {
		t := float64(i) / n
		deep := t * t
		c := s.w*0.5 + math.Sin(phase+5*math.Sqrt(t))*s.u*0.24*(0.3+0.7*t)
		half := s.u*0.006 + s.u*0.30*deep
		y := s.horizon + s.u*0.01 + (s.h-s.horizon)*deep
		left, right = append(left, vector.Point{X: c - half, Y: y}), append(right, vector.Point{X: c + half, Y: y})
	}
	loop := append(left, vector.Reversed(right)...)
	seed := uint32(d.Next())
	u, drift := float32(s.u), float32(s.at)
	bank, _ := s.light.Tones(pixel.MustHex("#b9a878"), 0.1)
	s.Add(vector.Stroke{Loops: vector.ClosedRibbon(loop, s.u*0.016), Lit: bank, Alpha: 0.9, Depth: 31})
	st := vector.Stroke{Loops: [][]vector.Point{loop}, Shading: vector.Custom, Alpha: 1, Depth: 31}
	top, deep := float32(s.horizon), float32(s.h-s.horizon)
	st.Shade = func(x, y float32) (pixel.RGB, float32) {
		t := pixel.Unit((y - top) / deep)
		z := 1 / (t + 0.06)
		w := chance.Fractal((x-float32(s.w)/2)/u*z*3, z*6-drift, 3, seed) - 0.5
		return pixel.Mix(pixel.Mix(s.sky.horizon, lit, 0.4+0.6*t), dim, t*0.4).Scaled(1 + w*0.6), 1
	}
	s.Add(st)
}

// drawWaterfall draws a waterfall over a cliff into mist.
func (s *renderer) drawWaterfall() {
	d := s.dice("waterfall")
	x, half := s.w*d.In(0.42, 0.58), s.u*0.11
	top, bottom := s.horizon-s.u*0.42, s.horizon+s.u*0.10
	seed := uint32(d.Next())
	u, drift := float32(s.u), float32(s.at)
	loop := s.profile(top+s.u*0.05, s.u*0.16, 1.6, 4, seed, rolling)
	cliff := s.shadedStroke(loop, pixel.MustHex("#77705f"), 0.16, 12)
	cliff.Grain = vector.Grain{Kind: vector.Stone, Strength: 0.9, Unit: float32(s.u * 0.02), X: 0, Y: 0, Seed: seed}
	s.Add(cliff)
	edge := vector.Spline(vector.Knots([]vector.Point{{X: 0, Y: top}, {X: s.w * 0.2, Y: top - s.u*0.05}, {X: x - half, Y: top + s.u*0.02}, {X: x - half*1.2, Y: top + s.u*0.12}, {X: 0, Y: top + s.u*0.16}}), true)
	s.Add(s.shadedStroke(edge, pixel.MustHex("#5d8a44"), 0.15, 13))
	edge = vector.Spline(vector.Knots([]vector.Point{{X: s.w, Y: top}, {X: s.w * 0.8, Y: top - s.u*0.05}, {X: x + half, Y: top + s.u*0.02}, {X: x + half*1.2, Y: top + s.u*0.12}, {X: s.w, Y: top + s.u*0.16}}), true)
	s.Add(s.shadedStroke(edge, pixel.MustHex("#5d8a44"), 0.15, 13))
	white, blue := pixel.Mix(pixel.RGB{R: 0.96, G: 0.98, B: 1}, s.light.Haze, 0.1), pixel.MustHex("#8fbcd8").Times(s.light.Lit)
	fall := vector.Stroke{Loops: [][]vector.Point{{{X: x - half, Y: top + s.u*0.02}, {X: x + half, Y: top + s.u*0.02}, {X: x + half*1.25, Y: bottom}, {X: x - half*1.25, Y: bottom}}}, Shading: vector.Custom, Alpha: 1, Depth: 14}
	fall.Shade = func(x, y float32) (pixel.RGB, float32) {
		return pixel.Mix(blue, white, pixel.Smooth(0.3, 0.65, chance.Fractal(x/u*42, y/u*5-drift*3, 3, seed))), 1
	}
	s.Add(fall)
	for range 12 {
		s.Halo(vector.Point{X: x + d.Around(1.7)*half, Y: bottom + d.Around(0.03)*s.u}, s.u*0.10, s.u*0.05, pixel.RGB{R: 1, G: 1, B: 1}, 0.35, vector.Over)
	}
}

// drawPool draws the pool below a waterfall.
func (s *renderer) drawPool() {
	c := vector.Point{X: s.w / 2, Y: s.horizon + s.u*0.13}
	lit, dim := s.light.Tones(pixel.MustHex("#4f9ab8"), 0)
	s.Add(vector.Stroke{Loops: [][]vector.Point{lumpyOutline(c, s.u*0.02, s.dice("spray"))}, Lit: lit, Alpha: 0.4, Depth: 31})
	loop := vector.Spline(vector.Knots([]vector.Point{{X: c.X - s.u*0.42, Y: c.Y}, {X: c.X - s.u*0.2, Y: c.Y - s.u*0.09}, {X: c.X + s.u*0.2, Y: c.Y - s.u*0.09}, {X: c.X + s.u*0.42, Y: c.Y}, {X: c.X + s.u*0.3, Y: c.Y + s.u*0.10}, {X: c.X, Y: s.h + s.u*0.05}, {X: c.X - s.u*0.3, Y: c.Y + s.u*0.10}}), true)
	seed := uint32(s.dice("pool").Next())
	u, drift := float32(s.u), float32(s.at)
	st := vector.Stroke{Loops: [][]vector.Point{loop}, Shading: vector.Custom, Alpha: 1, Depth: 31}
	st.Shade = func(x, y float32) (pixel.RGB, float32) {
		n := chance.Fractal(x/u*5, y/u*26-drift, 3, seed)
		return pixel.Mix(dim, pixel.Mix(lit, pixel.RGB{R: 0.94, G: 0.98, B: 1}, pixel.Smooth(0.6, 0.75, n)*0.6), 0.4+0.6*n), 1
	}
	s.Add(st)
	d := s.dice("spray")
	for range 16 {
		s.Halo(vector.Point{X: c.X + d.Around(0.2)*s.u, Y: c.Y - s.u*0.05 + d.Around(0.03)*s.u}, s.u*0.09, s.u*0.045, pixel.RGB{R: 1, G: 1, B: 1}, 0.4, vector.Over)
	}
}

// drawGreatWave draws one breaking wave that curls over half of the picture.
func (s *renderer) drawGreatWave() {
	t := s.scene.setting("wave")
	tone := colourOf(t, pixel.MustHex("#28557f"))
	deep, mid := tone.Shifted(-18), tone
	k := s.u
	at := func(x, y float64) vector.Point {
		return vector.Point{X: s.w*0.5 + (x-0.5)*max(s.w, k*1.05), Y: s.h*0.5 + (y-0.5)*max(s.h*0.98, k)}
	}
	rock := 0.01 * math.Sin(s.at*1.5)
	// The wave's back, its crest and its hollow front.
	ks := []vector.Knot{
		{Point: at(-0.10, 1.10), Sharp: true}, {Point: at(-0.10, 0.52), Sharp: true}, {Point: at(0.02, 0.36), Sharp: false}, {Point: at(0.16, 0.20), Sharp: false}, {Point: at(0.32, 0.115+rock), Sharp: false},
		{Point: at(0.48, 0.13+rock), Sharp: false}, {Point: at(0.60, 0.22+rock), Sharp: false}, {Point: at(0.655, 0.36+rock), Sharp: true},
		{Point: at(0.575, 0.305), Sharp: false}, {Point: at(0.47, 0.30), Sharp: false}, {Point: at(0.38, 0.38), Sharp: false}, {Point: at(0.36, 0.50), Sharp: false},
		{Point: at(0.42, 0.64), Sharp: false}, {Point: at(0.56, 0.75), Sharp: false}, {Point: at(0.76, 0.80), Sharp: false}, {Point: at(1.10, 0.76), Sharp: true}, {Point: at(1.10, 1.10), Sharp: true},
	}
	loop := vector.Spline(ks, true)
	s.Add(s.shadedStroke(loop, mid, 0, 90))
	// Stripes follow the hollow, as in a woodblock print.
	pale, _ := s.light.Tones(tone.Shifted(52), 0)
	dark, _ := s.light.Tones(deep, 0)
	for i := range 9 {
		f := float64(i) / 9
		line := vector.Spline(vector.Knots([]vector.Point{
			at(0.42-0.36*f, 0.19+0.20*f), at(0.30-0.26*f, 0.34+0.16*f), at(0.28-0.24*f, 0.52+0.14*f),
			at(0.36-0.26*f, 0.68+0.10*f), at(0.54-0.30*f, 0.82+0.07*f), at(0.80-0.34*f, 0.88+0.06*f),
		}), false)
		c := pale
		if i%2 == 1 {
			c = dark
		}
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(line, k*0.012, k*0.026)}, Lit: c, Alpha: 0.75, Depth: 91})
	}
	foam, shade := s.light.Tones(pixel.RGB{R: 0.98, G: 0.98, B: 0.95}, 0)
	d := s.dice("foam")
	claw := func(p vector.Point, angle, size float64) {
		sn, cs := math.Sincos(angle)
		for j := range 3 {
			f := float64(j)
			q := vector.Point{X: p.X + cs*size*(0.5+0.62*f) + d.Around(0.2)*size, Y: p.Y + sn*size*(0.5+0.62*f) + f*f*size*0.16}
			r := size * (0.52 - 0.13*f)
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(q, r, r, 0)}, Depth: 93, Shading: vector.Round, Light: s.light.From, Cel: s.light.Cel, Lit: foam, Dim: pixel.Mix(foam, shade, 0.35), Alpha: 1})
		}
	}
	crest := vector.Spline(vector.Knots([]vector.Point{at(-0.06, 0.47), at(0.04, 0.345), at(0.17, 0.20), at(0.32, 0.12), at(0.47, 0.135), at(0.59, 0.225), at(0.65, 0.34), at(0.57, 0.30), at(0.48, 0.30)}), false)
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(crest, k*0.02, k*0.055)}, Lit: foam, Alpha: 1, Depth: 92})
	for i := 0; i < len(crest); i += max(len(crest)/44, 1) {
		f := float64(i) / float64(len(crest))
		claw(crest[i], math.Pi*(0.10+0.75*f)+d.Around(0.4), k*(0.012+0.020*f))
	}
	for range 60 {
		p := at(d.In(0.45, 0.85), d.In(0.14, 0.52))
		r := k * d.In(0.0015, 0.005)
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(p, r, r, 0)}, Lit: foam, Alpha: 0.85, Depth: 93})
	}
	small := vector.Spline([]vector.Knot{{Point: at(0.55, 1.1), Sharp: true}, {Point: at(0.58, 0.93), Sharp: false}, {Point: at(0.70, 0.85), Sharp: false}, {Point: at(0.80, 0.87), Sharp: false}, {Point: at(0.92, 0.92), Sharp: false}, {Point: at(1.1, 0.88), Sharp: true}, {Point: at(1.1, 1.1), Sharp: true}}, true)
	s.Add(s.shadedStroke(small, deep, 0, 140))
	for i := range 14 {
		claw(at(0.60+0.028*float64(i), 0.91-0.055*math.Sin(math.Pi*float64(i)/13)), -0.6, k*0.016)
	}
}
