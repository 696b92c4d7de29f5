package picture

import "math"

// distance paints what stands at the horizon.
func (s *stage) distance() {
	sc := &s.scene
	named := false
	for _, t := range sc.Settings {
		switch t.Key {
		case "mountain":
			s.mountains(t)
			named = true
		case "volcano":
			s.volcano(t)
			named = true
		case "waterfall":
			s.waterfall()
			named = true
		case "island":
			s.island(t)
			named = true
		case "hill", "castleland":
			s.hills(3, 0.20)
			named = true
		}
	}
	if sc.setting("hill") == nil && sc.setting("mountain") != nil && sc.setting("lake") == nil && sc.setting("sea") == nil && sc.setting("forest") == nil {
		s.treeline()
	}
	if named || sc.setting("sea") != nil || sc.setting("wave") != nil || sc.setting("beach") != nil {
		return
	}
	switch {
	case sc.setting("desert") != nil:
		s.dunes()
	case sc.setting("moonland") != nil:
		s.hills(2, 0.10)
	case sc.setting("snowfield") != nil:
		s.mountains(Thing{Size: 0.5})
	case sc.setting("city") != nil, sc.setting("street") != nil, sc.setting("forest") != nil, sc.setting("jungle") != nil:
	default:
		if s.dice("far").chance(0.35) {
			s.mountains(Thing{Size: 0.5})
		}
		s.hills(2, 0.11)
	}
}

// profile is a line of heights over the width, closed at the bottom.
func (s *stage) profile(base, height, frequency float64, octaves int, seed uint32, f func(x float64, octaves int, seed uint32) float64) []point {
	n := int(min(max(s.w/4, 32), 400))
	out := make([]point, 0, n+3)
	for i := 0; i <= n; i++ {
		x := float64(i) / float64(n)
		out = append(out, point{x * s.w, base - height*f(x*frequency*s.w/s.u, octaves, seed)})
	}
	return append(out, point{s.w, s.h}, point{0, s.h})
}

func rolling(x float64, octaves int, seed uint32) float64 {
	return float64(fractal(float32(x), 0.5, octaves, seed))
}

// groundTone is the colour of grass, sand or snow in this scene.
func (s *stage) groundTone() (near, far rgb) {
	sc := &s.scene
	near, far = ink("#4d8437"), ink("#9dba68")
	for _, t := range sc.Settings {
		switch t.Key {
		case "desert":
			near, far = ink("#d79a56"), ink("#edc88e")
		case "beach", "island":
			near, far = ink("#e6cb94"), ink("#f2e0b6")
		case "field":
			near, far = ink("#cf9f38"), ink("#ecd07e")
		case "savanna":
			near, far = ink("#b8923e"), ink("#dcc27a")
		case "moonland":
			near, far = ink("#77767f"), ink("#a9a8b0")
		case "street", "city":
			near, far = ink("#4a4c55"), ink("#6d707a")
		case "forest", "jungle":
			near, far = ink("#3f6a30"), ink("#7d9a58")
		case "graveyard", "night":
			near, far = ink("#3d4a3a"), ink("#66705e")
		case "volcano":
			near, far = ink("#4a3f3c"), ink("#70605a")
		case "mountain":
			near, far = ink("#52803c"), ink("#94ac6c")
		default:
			continue
		}
		if len(t.Colours) > 0 {
			near, far = t.Colours[0].tint(), t.Colours[0].tint().shifted(30)
		}
		break
	}
	if sc.Season == "autumn" {
		near, far = mix(near, ink("#a06a2a"), 0.6), mix(far, ink("#d8a850"), 0.6)
	}
	if s.snow && sc.setting("desert") == nil {
		near, far = ink("#dfe9f4"), ink("#f4f8fc")
	}
	return near, far
}

func (s *stage) hills(layers int, height float64) {
	_, tone := s.groundTone()
	near, _ := s.groundTone()
	for i := range layers {
		t := float64(i) / float64(layers)
		seed := uint32(s.dice("hills").next()) + uint32(i)*911
		base := s.horizon + s.u*0.02*float64(i)
		loop := s.profile(base, s.u*height*(1.5-t*0.9), 1.1+0.8*t, 3, seed, rolling)
		far := float32(0.62 - 0.42*t)
		top := boxOf([][]point{loop}).y0
		st := stroke{loops: [][]point{loop}, depth: uint8(10 + 6*i), shading: linear, from: point{0, top}, to: point{0, base + s.u*0.05}, alpha: 1}
		lit, dim := s.light.tones(mix(tone, near, float32(t)), far)
		st.lit, st.dim = lit, mix(lit, dim, 0.55)
		if s.light.texture > 0.2 && !s.light.flat {
			st.grain = grain{leafy, 0.22, float32(s.u * 0.012), 0, 0, seed}
		}
		s.put(st)
	}
}

func (s *stage) dunes() {
	for i := range 3 {
		near, tone := s.groundTone()
		seed := uint32(s.dice("dunes").next()) + uint32(i)*31
		base := s.horizon + s.u*0.03*float64(i)
		loop := s.profile(base, s.u*0.13*(1.2-0.25*float64(i)), 0.9+0.5*float64(i), 2, seed, rolling)
		lit, dim := s.light.tones(mix(tone, near, float32(i)/3), float32(0.42-0.15*float64(i)))
		st := stroke{loops: [][]point{loop}, depth: uint8(10 + 4*i), shading: linear, from: point{s.w * 0.3, base - s.u*0.12}, to: point{s.w * 0.5, base + s.u*0.06}, lit: lit, dim: mix(lit, dim, 0.5), alpha: 1}
		s.put(st)
	}
}

func (s *stage) island(t Thing) {
	d := s.dice("island")
	c := point{s.w * d.in(0.42, 0.58), s.horizon + s.u*0.10}
	k := s.u * 0.36 * t.Size
	if s.scene.setting("sea") == nil {
		s.sea(ink("#2a7fb0"), s.horizon)
	}
	s.put(s.body(spline(knots([]point{{c.x - k, c.y}, {c.x - k*0.6, c.y - k*0.16}, {c.x, c.y - k*0.3}, {c.x + k*0.6, c.y - k*0.16}, {c.x + k, c.y}, {c.x, c.y + k*0.09}}), true), ink("#ecd8a2"), 0.05, 60))
	s.put(s.body(spline(knots([]point{{c.x - k*0.7, c.y - k*0.08}, {c.x - k*0.3, c.y - k*0.36}, {c.x + k*0.1, c.y - k*0.44}, {c.x + k*0.6, c.y - k*0.2}, {c.x + k*0.75, c.y - k*0.06}, {c.x, c.y - k*0.02}}), true), ink("#5f9a48"), 0.05, 62))
	for i := range 3 {
		s.palm(point{c.x + k*(-0.35+0.33*float64(i)), c.y - k*0.2}, k*d.in(0.6, 0.85), 0.05, 64, d.next())
	}
}

// ground covers what lies before the horizon: land, or water with its shore.
func (s *stage) ground() {
	sc := &s.scene
	switch {
	case sc.setting("wave") != nil:
		s.sea(colourOf(sc.setting("wave"), ink("#2b6090")), s.horizon)
		s.greatWave()
	case sc.setting("sea") != nil:
		s.sea(colourOf(sc.setting("sea"), ink("#1f6a98")), s.horizon)
		if sc.setting("beach") != nil || s.onLand() {
			s.beach()
		}
	case sc.setting("island") != nil:
	case sc.setting("beach") != nil:
		s.sea(ink("#2e9ab8"), s.horizon)
		s.beach()
	case sc.setting("lake") != nil:
		s.sea(colourOf(sc.setting("lake"), ink("#3f86b4")), s.horizon+s.u*0.015)
		s.shore()
		s.bank()
	default:
		s.plain()
		if sc.setting("waterfall") != nil {
			s.pool()
		}
		if t := sc.setting("river"); t != nil {
			s.river(colourOf(t, ink("#3f88b8")))
		}
		if sc.setting("road") != nil || sc.setting("street") != nil || sc.setting("city") != nil && len(sc.Subjects) > 0 {
			s.road(sc.setting("road") == nil)
		}
	}
}

func colourOf(t *Thing, otherwise rgb) rgb {
	if t != nil && len(t.Colours) > 0 {
		return t.Colours[0].tint()
	}
	return otherwise
}

// plain is open land in perspective: the texture grows towards the eye.
func (s *stage) plain() {
	near, far := s.groundTone()
	nearLit, nearDim := s.light.tones(near, 0)
	farLit, _ := s.light.tones(far, 0.34)
	seed := uint32(s.dice("plain").next())
	top, u, cx := float32(s.horizon), float32(s.u), float32(s.w/2)
	deep := float32(s.h - s.horizon)
	rough := float32(0.22)
	rows := s.scene.setting("field") != nil || s.scene.setting("farm") != nil
	ripples := s.scene.setting("desert") != nil
	if s.snow {
		rough = 0.07
	}
	if s.light.flat {
		rough = 0
	}
	loop := s.profile(s.horizon+s.u*0.012, s.u*0.03, 1.3, 2, seed, rolling)
	st := stroke{loops: [][]point{loop}, depth: 30, shading: custom, alpha: 1}
	st.line = func(y float32) func(x float32) (rgb, float32) {
		t := unit((y - top) / deep)
		z := 1 / (t + 0.06)
		c := mix(farLit, mix(nearLit, nearDim, 0.25*t), smooth(0, 0.9, t))
		if rough == 0 {
			return func(float32) (rgb, float32) { return c, 1 }
		}
		tufts := fractalLine(2.4*z/u, 4, func(x float32) float32 { return fractal((x-cx)/u*z*2.4, z*5, 4, seed) })
		blades := noiseLine(y/u*60, seed+3)
		waves := fractalLine(1.5*z/u, 2, func(x float32) float32 { return fractal((x-cx)/u*z*1.5, z*1.5, 2, seed) })
		strong := rough * 2 * (0.4 + 0.6*t)
		return func(x float32) (rgb, float32) {
			n := tufts(x)*0.6 + blades(x/u*150)*0.4
			if rows {
				n += 0.5 * (float32(math.Sin(float64((x-cx)/u*z*9)))*0.5 + 0.1)
			}
			if ripples {
				n += 0.22 * float32(math.Sin(float64(z*26+6*waves(x))))
			}
			return c.scaled(1 + (n-0.5)*strong), 1
		}
	}
	s.put(st)
}

func (s *stage) beach() {
	near, far := s.groundTone()
	lit, dim := s.light.tones(near, 0)
	pale, _ := s.light.tones(far, 0.1)
	seed := uint32(s.dice("beach").next())
	line := s.horizon + (s.h-s.horizon)*0.42
	swell := math.Sin(s.at*1.2) * 0.012 * s.u
	u := float32(s.u)
	shape := func(lift float64) []point {
		return s.profile(line+lift, s.u*0.08, 0.8, 3, seed, rolling)
	}
	foam, _ := s.light.tones(rgb{0.97, 0.99, 1}, 0)
	s.put(stroke{loops: [][]point{shape(-s.u*0.028 + swell)}, lit: foam, alpha: 0.55, depth: 32})
	s.put(stroke{loops: [][]point{shape(-s.u*0.012 + swell)}, lit: foam, alpha: 0.9, depth: 32})
	wet := mix(dim, lit, 0.5)
	s.put(stroke{loops: [][]point{shape(0)}, lit: wet, alpha: 1, depth: 34})
	st := stroke{loops: [][]point{shape(s.u * 0.03)}, shading: custom, alpha: 1, depth: 34}
	st.shade = func(x, y float32) (rgb, float32) {
		n := fractal(x/u*9, y/u*22, 4, seed)*0.6 + cellUnit(int32(x), int32(y), seed)*0.25
		return mix(lit, pale, unit(n)), 1
	}
	s.put(st)
}

// road runs from the eye to the horizon.
func (s *stage) road(paved bool) {
	c := s.w * 0.5
	near, far := s.w*0.42, s.u*0.012
	if !paved {
		c, near = s.w*s.dice("road").in(0.4, 0.6), s.u*0.46
	}
	top := s.horizon + s.u*0.008
	tone := ink("#53565f")
	s.fill([]point{{c - far, top}, {c + far, top}, {s.w/2 + near, s.h}, {s.w/2 - near, s.h}}, tone, 0.06, 31)
	stripe, _ := s.light.tones(ink("#f0e8c8"), 0)
	for i := range 7 {
		t0 := math.Pow((float64(i)+0.15-math.Mod(s.at*0.8, 1)+1)/8, 2)
		t1 := math.Pow((float64(i)+0.65-math.Mod(s.at*0.8, 1)+1)/8, 2)
		y0, y1 := top+(s.h-top)*t0, top+(s.h-top)*t1
		x0, x1 := c+(s.w/2-c)*t0, c+(s.w/2-c)*t1
		w0, w1 := s.u*0.002+s.u*0.018*t0, s.u*0.002+s.u*0.018*t1
		s.put(stroke{loops: [][]point{{{x0 - w0, y0}, {x0 + w0, y0}, {x1 + w1, y1}, {x1 - w1, y1}}}, lit: stripe, alpha: 0.85, depth: 31})
	}
}
