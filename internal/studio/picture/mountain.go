package picture

import "math"

// mountains rise in two ranges; their faces turn to the light or away from it by
// the slope of a noise, and snow lies on what is high and flat.
func (s *stage) mountains(t Thing) {
	rock := ink("#6b6f86")
	if len(t.Colours) > 0 {
		rock = t.Colours[0].tint()
	}
	grand := 0.5
	if len(s.scene.Subjects) == 0 {
		grand = 0.72
	}
	for i := range 2 {
		seed := uint32(s.dice("mountains").next()) + uint32(i)*7919
		height := min(s.horizon*0.92, s.u*grand*t.Size*(1-0.32*float64(i)))
		base := s.horizon + s.u*0.01
		loop := s.profile(base, height, 1, 5, seed, s.peaks(i))
		far := float32(0.34 - 0.22*float64(i))
		lit, dim := s.light.tones(rock, far)
		dim = dim.scaled(0.82)
		white, shade := s.light.tones(ink("#f6f9ff"), far*0.6)
		shade = mix(shade, ink("#8fa6d0").times(s.light.lit), 0.5)
		unitLength, top := float32(s.u), float32(base-height)
		side := s.light.from[0] * 2
		deep := float32(height)
		flat := s.light.flat
		lush, _ := s.light.tones(ink("#5d7a4c"), far)
		snowline := float32(0.36)
		if s.snow {
			snowline = 0.9
		}
		// Heights above each column let a flank know how far below its peak it is.
		n := len(loop) - 2
		edge := func(x float32) float32 {
			k := int(x / float32(s.w) * float32(n-1))
			return float32(loop[min(max(k, 0), n-1)].y)
		}
		st := stroke{loops: [][]point{loop}, depth: uint8(6 + 5*i), shading: custom, alpha: 1}
		st.shade = func(x, y float32) (rgb, float32) {
			px, py := x/unitLength*7, y/unitLength*5
			below := (y - edge(x)) / deep
			slope := edge(x+unitLength*0.012) - edge(x-unitLength*0.012)
			n := fractal(px+py*0.5, py*1.25, 5, seed)
			m := fractal(px+0.16*side+py*0.5, py*1.25-0.10, 5, seed)
			facing := unit(0.5 + (m-n)*3.6 - side*slope/unitLength*12*max(0, 1-below*3))
			if flat {
				facing = 0.7
			}
			c := mix(dim, lit, facing)
			height := (y - top) / deep
			c = mix(c, lush, smooth(0.62, 0.95, height+0.2*(n-0.5))*0.7)
			snow := smooth(snowline+0.06, snowline-0.06, height+0.34*(n-0.5)+below*0.55)
			c = mix(c, mix(shade, white, facing), snow)
			return mix(c, s.light.haze, smooth(0.45, 1.05, height)*0.30), 1
		}
		s.put(st)
	}
}

// peaks makes the outline of a range: a few summits with straight flanks, made
// rough by a ridge noise.
func (s *stage) peaks(row int) func(x float64, octaves int, seed uint32) float64 {
	d := s.dice("peaks", string(rune('a'+row)))
	wide := s.w / s.u
	n := 3 + row + int(wide*1.5)
	type peak struct{ x, h, w float64 }
	ps := make([]peak, n)
	for i := range ps {
		ps[i] = peak{(float64(i) + 0.5 + d.around(0.35)) / float64(n) * wide, d.in(0.45, 0.85), d.in(0.30, 0.46)}
	}
	main := d.upTo(n)
	ps[main].h, ps[main].w = 1, 0.55
	return func(x float64, octaves int, seed uint32) float64 {
		best := 0.12
		for _, p := range ps {
			best = max(best, p.h*(1-math.Pow(math.Abs(x-p.x)/p.w, 0.9)))
		}
		return best*0.9 + 0.16*(ridge(x*5, octaves, seed)-0.5)
	}
}

func (s *stage) volcano(t Thing) {
	d := s.dice("volcano")
	x, half, height := s.w*d.in(0.4, 0.6), s.u*0.46, min(s.horizon*0.62, s.u*0.42*t.Size)
	top := point{x, s.horizon - height}
	mouth := s.u * 0.07
	s.halo(point{x, top.y}, s.u*0.4, s.u*0.35, rgb{1, 0.35, 0.1}, 0.5, glow)
	for i := range 14 {
		k := float64(i) / 14
		p := point{x + d.around(0.05+0.16*k)*s.u + k*s.u*0.12, top.y - k*s.u*0.34}
		r := s.u * (0.04 + 0.08*k)
		st := s.body(oval(p, r*1.2, r, 0), ink("#5c5358"), 0.1, 8)
		st.alpha = float32(0.75 - 0.4*k)
		s.put(st)
	}
	cone := spline([]knot{{point{x - half, s.horizon + s.u*0.02}, true}, {point{x - half*0.4, s.horizon - height*0.45}, false}, {point{x - mouth, top.y}, true}, {point{x, top.y + s.u*0.02}, false}, {point{x + mouth, top.y}, true}, {point{x + half*0.4, s.horizon - height*0.45}, false}, {point{x + half, s.horizon + s.u*0.02}, true}}, true)
	st := s.body(cone, ink("#5a4a4a"), 0.12, 10)
	st.grain = grain{stone, 0.5, float32(s.u * 0.012), 0, 0, 5}
	s.put(st)
	for i := range 4 {
		a := point{x + d.around(0.7)*mouth, top.y + s.u*0.01}
		line := []point{a}
		for k := range 5 {
			a = point{a.x + (float64(i)-1.5)*s.u*0.022 + d.around(0.012)*s.u, a.y + height*d.in(0.08, 0.17)}
			line = append(line, a)
			_ = k
		}
		curve := spline(knots(line), false)
		s.put(stroke{loops: [][]point{ribbon(curve, s.u*0.022, s.u*0.006)}, lit: rgb{0.95, 0.28, 0.08}, alpha: 1, depth: 10})
		s.put(stroke{loops: [][]point{ribbon(curve, s.u*0.009, s.u*0.002)}, lit: rgb{1, 0.8, 0.3}, alpha: 1, depth: 10})
	}
}
