package picture

import "math"

// sea is water from a line down to the eye: it mirrors the sky, breaks it with
// waves that grow towards the eye, and carries the path of the sun.
func (s *stage) sea(tone rgb, from float64) {
	d := &s.sky
	seed := uint32(s.dice("sea").next())
	top, deep, u := float32(from), float32(s.h-from), float32(s.u)
	lit, dim := s.light.tones(tone, 0)
	far := mix(lit, d.horizon, 0.55)
	rough := float32(1)
	if s.scene.weather("storm") || s.scene.weather("wind") {
		rough = 2
	}
	if s.scene.setting("lake") != nil {
		rough = 0.6
	}
	sunX := float32(d.sunAt.x * s.w)
	if s.dice("side").chance(0.5) && !s.scene.Symmetric {
		sunX = float32(s.w) - sunX
	}
	path := 0.5 * (1 - 0.4*d.night)
	if s.scene.weather("storm") || s.time == "day" && d.night == 0 {
		path = 0.12
	}
	flat := s.light.flat
	drift := float32(s.at)
	foam, _ := s.light.tones(rgb{0.96, 0.98, 1}, 0)
	s.washLines(box{0, from, s.w, s.h}, 24, func(y float32) func(x float32) (rgb, float32) {
		t := unit((y - top) / deep)
		z := 1 / (t + 0.05)
		water := mix(far, mix(lit, dim, 0.55*t), smooth(0, 0.7, t))
		if flat {
			return func(float32) (rgb, float32) { return water, 1 }
		}
		swell := fractalLine(1.6*z/u, 4, func(x float32) float32 {
			px := (x - float32(s.w)/2) / u * z
			n := fractal(px*1.6+drift*0.3, z*7-drift*0.9, 4, seed)
			return n - 0.5 + 0.10*float32(math.Sin(float64(z*20+px*2+6*n-drift*2)))
		})
		high, broad := 0.62*rough*(0.35+0.65*t), u*(0.05+0.22*t)
		return func(x float32) (rgb, float32) {
			w := swell(x)
			c := water.scaled(1 + w*high)
			c = mix(c, d.middle, unit(w*1.4)*0.35)
			if dx := (x - sunX) / broad; dx > -2.2 && dx < 2.2 && w > 0.02 {
				glint := smooth(0.02, 0.16, w) * float32(math.Exp(float64(-dx*dx)))
				c = c.plus(d.sun.scaled(glint * path * 1.5))
			}
			if rough > 1.5 {
				c = mix(c, foam, smooth(0.22, 0.36, w)*0.6*t)
			}
			return c, 1
		}
	})
}

// shore is the far bank of a lake and the reeds at the near one.
func (s *stage) shore() {
	_, tone := s.groundTone()
	seed := uint32(s.dice("shore").next())
	n := 60
	loop := make([]point, 0, 2*n)
	for i := 0; i <= n; i++ {
		x := float64(i) / float64(n)
		loop = append(loop, point{x * s.w, s.horizon - s.u*0.004})
	}
	for i := n; i >= 0; i-- {
		x := float64(i) / float64(n)
		loop = append(loop, point{x * s.w, s.horizon + s.u*(0.012+0.022*rolling(x*4, 2, seed))})
	}
	s.fill(loop, tone, 0.2, 26)
}

// onLand says that someone must stand beside the water.
func (s *stage) onLand() bool {
	for _, a := range s.actors() {
		if a.on == "ground" && !s.rests(a) && a.thing.HeldBy < 0 {
			return true
		}
	}
	return false
}

// bank is the near side of a lake, when a subject needs ground to stand on.
func (s *stage) bank() {
	if !s.onLand() {
		return
	}
	near, far := s.groundTone()
	seed := uint32(s.dice("bank").next())
	loop := s.profile(s.horizon+(s.h-s.horizon)*0.60, s.u*0.05, 1.1, 3, seed, rolling)
	lit, _ := s.light.tones(far, 0.05)
	mud, _ := s.light.tones(ink("#a08a5c"), 0.05)
	s.put(stroke{loops: [][]point{moved(0, -s.u*0.010).all(loop)}, lit: mud, alpha: 0.9, depth: 33})
	st := stroke{loops: [][]point{loop}, shading: linear, from: point{0, s.horizon + (s.h-s.horizon)*0.5}, to: point{0, s.h}, lit: lit, alpha: 1, depth: 33}
	st.dim, _ = s.light.tones(near, 0)
	if s.light.texture > 0.1 && !s.light.flat {
		st.grain = grain{leafy, 0.22, float32(s.u * 0.009), 0, 0, seed}
	}
	s.put(st)
}

// river winds from the horizon to the eye.
func (s *stage) river(tone rgb) {
	d := s.dice("river")
	phase := d.in(0, 6)
	var left, right []point
	lit, dim := s.light.tones(tone, 0)
	const n = 48
	for i := 0; i <= n; i++ {
		t := float64(i) / n
		deep := t * t
		c := s.w*0.5 + math.Sin(phase+5*math.Sqrt(t))*s.u*0.24*(0.3+0.7*t)
		half := s.u*0.006 + s.u*0.30*deep
		y := s.horizon + s.u*0.01 + (s.h-s.horizon)*deep
		left, right = append(left, point{c - half, y}), append(right, point{c + half, y})
	}
	loop := append(left, reversed(right)...)
	seed := uint32(d.next())
	u, drift := float32(s.u), float32(s.at)
	bank, _ := s.light.tones(ink("#b9a878"), 0.1)
	s.put(stroke{loops: closedRibbon(loop, s.u*0.016), lit: bank, alpha: 0.9, depth: 31})
	st := stroke{loops: [][]point{loop}, shading: custom, alpha: 1, depth: 31}
	top, deep := float32(s.horizon), float32(s.h-s.horizon)
	st.shade = func(x, y float32) (rgb, float32) {
		t := unit((y - top) / deep)
		z := 1 / (t + 0.06)
		w := fractal((x-float32(s.w)/2)/u*z*3, z*6-drift, 3, seed) - 0.5
		return mix(mix(s.sky.horizon, lit, 0.4+0.6*t), dim, t*0.4).scaled(1 + w*0.6), 1
	}
	s.put(st)
}

// waterfall drops over a cliff into mist.
func (s *stage) waterfall() {
	d := s.dice("waterfall")
	x, half := s.w*d.in(0.42, 0.58), s.u*0.11
	top, bottom := s.horizon-s.u*0.42, s.horizon+s.u*0.10
	seed := uint32(d.next())
	u, drift := float32(s.u), float32(s.at)
	loop := s.profile(top+s.u*0.05, s.u*0.16, 1.6, 4, seed, rolling)
	cliff := s.body(loop, ink("#77705f"), 0.16, 12)
	cliff.grain = grain{stone, 0.9, float32(s.u * 0.02), 0, 0, seed}
	s.put(cliff)
	edge := spline(knots([]point{{0, top}, {s.w * 0.2, top - s.u*0.05}, {x - half, top + s.u*0.02}, {x - half*1.2, top + s.u*0.12}, {0, top + s.u*0.16}}), true)
	s.put(s.body(edge, ink("#5d8a44"), 0.15, 13))
	edge = spline(knots([]point{{s.w, top}, {s.w * 0.8, top - s.u*0.05}, {x + half, top + s.u*0.02}, {x + half*1.2, top + s.u*0.12}, {s.w, top + s.u*0.16}}), true)
	s.put(s.body(edge, ink("#5d8a44"), 0.15, 13))
	white, blue := mix(rgb{0.96, 0.98, 1}, s.light.haze, 0.1), ink("#8fbcd8").times(s.light.lit)
	fall := stroke{loops: [][]point{{{x - half, top + s.u*0.02}, {x + half, top + s.u*0.02}, {x + half*1.25, bottom}, {x - half*1.25, bottom}}}, shading: custom, alpha: 1, depth: 14}
	fall.shade = func(x, y float32) (rgb, float32) {
		return mix(blue, white, smooth(0.3, 0.65, fractal(x/u*42, y/u*5-drift*3, 3, seed))), 1
	}
	s.put(fall)
	for range 12 {
		s.halo(point{x + d.around(1.7)*half, bottom + d.around(0.03)*s.u}, s.u*0.10, s.u*0.05, rgb{1, 1, 1}, 0.35, over)
	}
}

// pool gathers the water of a fall.
func (s *stage) pool() {
	c := point{s.w / 2, s.horizon + s.u*0.13}
	lit, dim := s.light.tones(ink("#4f9ab8"), 0)
	s.put(stroke{loops: [][]point{puff(c, s.u*0.02, s.dice("spray"))}, lit: lit, alpha: 0.4, depth: 31})
	loop := spline(knots([]point{{c.x - s.u*0.42, c.y}, {c.x - s.u*0.2, c.y - s.u*0.09}, {c.x + s.u*0.2, c.y - s.u*0.09}, {c.x + s.u*0.42, c.y}, {c.x + s.u*0.3, c.y + s.u*0.10}, {c.x, s.h + s.u*0.05}, {c.x - s.u*0.3, c.y + s.u*0.10}}), true)
	seed := uint32(s.dice("pool").next())
	u, drift := float32(s.u), float32(s.at)
	st := stroke{loops: [][]point{loop}, shading: custom, alpha: 1, depth: 31}
	st.shade = func(x, y float32) (rgb, float32) {
		n := fractal(x/u*5, y/u*26-drift, 3, seed)
		return mix(dim, mix(lit, rgb{0.94, 0.98, 1}, smooth(0.6, 0.75, n)*0.6), 0.4+0.6*n), 1
	}
	s.put(st)
	d := s.dice("spray")
	for range 16 {
		s.halo(point{c.x + d.around(0.2)*s.u, c.y - s.u*0.05 + d.around(0.03)*s.u}, s.u*0.09, s.u*0.045, rgb{1, 1, 1}, 0.4, over)
	}
}

// greatWave is one breaking wave that curls over half of the picture.
func (s *stage) greatWave() {
	t := s.scene.setting("wave")
	tone := colourOf(t, ink("#28557f"))
	deep, mid := tone.shifted(-18), tone
	k := s.u
	at := func(x, y float64) point {
		return point{s.w*0.5 + (x-0.5)*max(s.w, k*1.05), s.h*0.5 + (y-0.5)*max(s.h*0.98, k)}
	}
	rock := 0.01 * math.Sin(s.at*1.5)
	// The wave's back, its crest and its hollow front.
	ks := []knot{
		{at(-0.10, 1.10), true}, {at(-0.10, 0.52), true}, {at(0.02, 0.36), false}, {at(0.16, 0.20), false}, {at(0.32, 0.115+rock), false},
		{at(0.48, 0.13+rock), false}, {at(0.60, 0.22+rock), false}, {at(0.655, 0.36+rock), true},
		{at(0.575, 0.305), false}, {at(0.47, 0.30), false}, {at(0.38, 0.38), false}, {at(0.36, 0.50), false},
		{at(0.42, 0.64), false}, {at(0.56, 0.75), false}, {at(0.76, 0.80), false}, {at(1.10, 0.76), true}, {at(1.10, 1.10), true},
	}
	loop := spline(ks, true)
	s.put(s.body(loop, mid, 0, 90))
	// Stripes follow the hollow, as a cutter of wood blocks would draw them.
	pale, _ := s.light.tones(tone.shifted(52), 0)
	dark, _ := s.light.tones(deep, 0)
	for i := range 9 {
		f := float64(i) / 9
		line := spline(knots([]point{
			at(0.42-0.36*f, 0.19+0.20*f), at(0.30-0.26*f, 0.34+0.16*f), at(0.28-0.24*f, 0.52+0.14*f),
			at(0.36-0.26*f, 0.68+0.10*f), at(0.54-0.30*f, 0.82+0.07*f), at(0.80-0.34*f, 0.88+0.06*f),
		}), false)
		c := pale
		if i%2 == 1 {
			c = dark
		}
		s.put(stroke{loops: [][]point{ribbon(line, k*0.012, k*0.026)}, lit: c, alpha: 0.75, depth: 91})
	}
	foam, shade := s.light.tones(rgb{0.98, 0.98, 0.95}, 0)
	d := s.dice("foam")
	claw := func(p point, angle, size float64) {
		sn, cs := math.Sincos(angle)
		for j := range 3 {
			f := float64(j)
			q := point{p.x + cs*size*(0.5+0.62*f) + d.around(0.2)*size, p.y + sn*size*(0.5+0.62*f) + f*f*size*0.16}
			r := size * (0.52 - 0.13*f)
			s.put(stroke{loops: [][]point{oval(q, r, r, 0)}, depth: 93, shading: round, light: s.light.from, cel: s.light.cel, lit: foam, dim: mix(foam, shade, 0.35), alpha: 1})
		}
	}
	crest := spline(knots([]point{at(-0.06, 0.47), at(0.04, 0.345), at(0.17, 0.20), at(0.32, 0.12), at(0.47, 0.135), at(0.59, 0.225), at(0.65, 0.34), at(0.57, 0.30), at(0.48, 0.30)}), false)
	s.put(stroke{loops: [][]point{ribbon(crest, k*0.02, k*0.055)}, lit: foam, alpha: 1, depth: 92})
	for i := 0; i < len(crest); i += max(len(crest)/44, 1) {
		f := float64(i) / float64(len(crest))
		claw(crest[i], math.Pi*(0.10+0.75*f)+d.around(0.4), k*(0.012+0.020*f))
	}
	for range 60 {
		p := at(d.in(0.45, 0.85), d.in(0.14, 0.52))
		r := k * d.in(0.0015, 0.005)
		s.put(stroke{loops: [][]point{oval(p, r, r, 0)}, lit: foam, alpha: 0.85, depth: 93})
	}
	small := spline([]knot{{at(0.55, 1.1), true}, {at(0.58, 0.93), false}, {at(0.70, 0.85), false}, {at(0.80, 0.87), false}, {at(0.92, 0.92), false}, {at(1.1, 0.88), true}, {at(1.1, 1.1), true}}, true)
	s.put(s.body(small, deep, 0, 140))
	for i := range 14 {
		claw(at(0.60+0.028*float64(i), 0.91-0.055*math.Sin(math.Pi*float64(i)/13)), -0.6, k*0.016)
	}
}
