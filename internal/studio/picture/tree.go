package picture

import "math"

// leafTone is the colour of leaves in this season, varied by chance.
func (s *stage) leafTone(d *dice) rgb {
	switch {
	case s.scene.Season == "autumn":
		return choose(d, ink("#d8742a"), ink("#c8452a"), ink("#e0a83a"), ink("#b8602c"))
	case s.scene.Season == "spring":
		return choose(d, ink("#f0a8c0"), ink("#f4bccb"), ink("#e88fb0"))
	}
	return choose(d, ink("#4f8a3a"), ink("#5f9a42"), ink("#427a38"), ink("#6fa04a"))
}

// tree grows a trunk with branches and a crown of leaf clusters, each lit for
// itself so that the crown has volume.
func (s *stage) tree(base point, height float64, far float32, depth uint8, seed uint64, asked ...rgb) {
	d := newDice(seed, "tree")
	leaf := s.leafTone(d)
	if len(asked) > 0 {
		leaf = asked[0]
	}
	bark := ink("#5f4430")
	sway := math.Sin(s.at*1.3+d.in(0, 6)) * height * 0.008
	lean := d.around(0.05) * height
	fork := point{base.x + lean*0.6, base.y - height*0.42}
	crown := point{base.x + lean + sway, base.y - height*0.66}
	trunk := spline(knots([]point{base, {base.x + lean*0.2, base.y - height*0.2}, fork, {crown.x, crown.y}}), false)
	wood := s.body(ribbon(trunk, height*0.085, height*0.03), bark, far, depth)
	wood.grain = s.barkGrain(height, base)
	s.put(wood)
	for range 4 {
		tip := point{crown.x + d.around(0.26)*height, crown.y + d.in(-0.12, 0.12)*height}
		branch := spline(knots([]point{fork, {(fork.x+tip.x)/2 + d.around(0.03)*height, (fork.y + tip.y) / 2}, tip}), false)
		s.put(s.body(ribbon(branch, height*0.035, height*0.012), bark, far, depth))
	}
	clusters := 26
	if height < s.u*0.2 {
		clusters = 12
	}
	if s.snow && len(asked) == 0 && s.scene.Season == "" {
		leaf = mix(leaf, ink("#e6eef6"), 0.55)
	}
	for i := range clusters {
		t := float64(i) / float64(clusters)
		// Back and low clusters first and darker, the lit top last.
		a := d.in(0, 2*math.Pi)
		q := math.Sqrt(d.unit())
		p := point{crown.x + math.Cos(a)*q*height*0.29 + sway, crown.y + math.Sin(a)*q*height*0.23 + (0.5-t)*height*0.16}
		r := height * d.in(0.085, 0.15)
		c := leaf.shifted(float32(-26 + 40*t)).turned(d.in32(-0.015, 0.015))
		st := s.body(puff(p, r, d), c, far, depth)
		st.dim = mix(st.dim, st.lit, 0.25)
		if s.light.texture > 0.1 && !s.light.flat {
			st.grain = grain{leafy, 0.8 * min(s.light.texture, 1), float32(max(height*0.014, 0.6)), float32(base.x), float32(base.y), uint32(seed)}
		}
		s.put(st)
		if height > s.u*0.16 && !s.light.flat {
			s.leaves(p, r, st.lit, st.dim, depth, d)
		}
	}
}

// leaves break the smooth edge of a cluster: light ones on its lit side, dark
// ones below.
func (s *stage) leaves(p point, r float64, lit, dim rgb, depth uint8, d *dice) {
	for range 13 {
		a := d.in(0, 2*math.Pi)
		q := r * d.in(0.55, 1.12)
		sn, cs := math.Sincos(a)
		bright := unit(0.5 + 0.5*float32(cs)*s.light.from[0] - 0.5*float32(sn))
		size := r * d.in(0.10, 0.20)
		at := point{p.x + cs*q*1.08, p.y + sn*q*0.9}
		s.put(stroke{loops: [][]point{oval(at, size, size*0.55, d.in(0, math.Pi))}, lit: mix(dim, lit.shifted(10), bright), alpha: 1, depth: depth})
	}
}

func (s *stage) barkGrain(height float64, base point) grain {
	if s.light.texture <= 0.1 || s.light.flat {
		return grain{}
	}
	return grain{fur, 0.5, float32(max(height*0.012, 0.5)), float32(base.x), float32(base.y), 9}
}

// puff is a lumpy round outline.
func puff(c point, r float64, d *dice) []point {
	ks := make([]knot, 9)
	for i := range ks {
		sn, cs := math.Sincos(2 * math.Pi * float64(i) / 9)
		q := r * d.in(0.82, 1.16)
		ks[i].point = point{c.x + cs*q*1.1, c.y + sn*q*0.9}
	}
	return spline(ks, true)
}

// pine is a conifer of hanging tiers, white on top in snow.
func (s *stage) pine(base point, height float64, far float32, depth uint8, seed uint64, asked ...rgb) {
	d := newDice(seed, "pine")
	leaf := choose(d, ink("#2f5a3c"), ink("#386645"), ink("#2a5040"))
	if len(asked) > 0 {
		leaf = asked[0]
	}
	sway := math.Sin(s.at*1.1+d.in(0, 6)) * height * 0.006
	s.put(s.body(ribbon([]point{base, {base.x, base.y - height*0.3}}, height*0.05, height*0.04), ink("#4f3a2a"), far, depth))
	tiers := 7
	half := height * d.in(0.19, 0.25)
	for i := range tiers {
		t := float64(i) / float64(tiers)
		y := base.y - height*(0.10+0.80*t)
		w := half * (1 - t) * 1.02
		w += height * 0.025
		tip := point{base.x + sway*t*3, y - height*0.26*(1-0.35*t)}
		loop := []point{tip}
		teeth := 6
		for k := 0; k <= teeth; k++ {
			f := float64(k)/float64(teeth)*2 - 1
			drop := height * 0.03 * (1 - math.Abs(f))
			loop = append(loop, point{base.x - f*w, y + drop + d.in(0, 0.022)*height})
			if k < teeth {
				g := f + 1/float64(teeth)
				loop = append(loop, point{base.x - g*w*0.96, y + height*0.03*(1-math.Abs(g)) - height*0.024})
			}
		}
		st := s.body(loop, leaf.shifted(float32(-10+18*t)), far, depth)
		if s.light.texture > 0.1 && !s.light.flat {
			st.grain = grain{leafy, 0.7 * min(s.light.texture, 1), float32(max(height*0.01, 0.6)), float32(base.x), float32(base.y), uint32(seed)}
		}
		s.put(st)
		if s.snow {
			cap := []point{tip}
			for k := 0; k <= 6; k++ {
				f := float64(k)/3 - 1
				cap = append(cap, point{base.x - f*w*0.78, y - height*(0.045+0.03*d.unit())})
			}
			s.put(s.body(cap, ink("#f2f7fd"), far*0.7, depth))
		}
	}
}

// palm bends and carries a star of fronds.
func (s *stage) palm(base point, height float64, far float32, depth uint8, seed uint64, asked ...rgb) {
	d := newDice(seed, "palm")
	leaf := ink("#4a8a3c")
	if len(asked) > 0 {
		leaf = asked[0]
	}
	lean := choose(d, -1.0, 1.0) * d.in(0.10, 0.24) * height
	top := point{base.x + lean, base.y - height*0.84}
	trunk := spline(knots([]point{base, {base.x + lean*0.25, base.y - height*0.42}, top}), false)
	bark := s.body(ribbon(trunk, height*0.062, height*0.034), ink("#8f6a44"), far, depth)
	bark.grain = s.barkGrain(height, base)
	s.put(bark)
	const fronds = 11
	for i := range fronds {
		a := math.Pi*(0.94+1.12*float64(i)/(fronds-1)) + d.around(0.08) + 0.03*math.Sin(s.at*1.6+float64(i))
		reach := height * d.in(0.33, 0.42)
		sn, cs := math.Sincos(a)
		mid := point{top.x + cs*reach*0.6, top.y + sn*reach*0.55 - height*0.05}
		tip := point{top.x + cs*reach, top.y + sn*reach*0.35 + height*0.15}
		spine := spline(knots([]point{top, mid, tip}), false)
		var loop []point
		n := len(spine)
		for k, p := range spine {
			w := height * 0.052 * math.Sin(math.Pi*math.Min(float64(k)/float64(n-1)*0.95+0.05, 1))
			loop = append(loop, point{p.x, p.y - w*0.5})
		}
		for k := n - 1; k >= 0; k-- {
			w := height * 0.052 * math.Sin(math.Pi*math.Min(float64(k)/float64(n-1)*0.95+0.05, 1))
			if k%2 == 0 {
				w *= 2.3
			}
			loop = append(loop, point{spine[k].x, spine[k].y + w*0.5})
		}
		s.put(s.body(loop, leaf.shifted(float32(d.in(-16, 10))), far, depth))
	}
	for i := range 3 {
		s.put(s.body(oval(point{top.x + (float64(i)-1)*height*0.026, top.y + height*0.022}, height*0.021, height*0.023, 0), ink("#5a3c22"), far, depth))
	}
}
