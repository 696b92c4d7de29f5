package picture

import "math"

// middle paints what stands between the horizon and the subjects.
func (s *stage) middle() {
	for _, t := range s.scene.Settings {
		switch t.Key {
		case "forest", "jungle":
			s.forest(t)
		case "city", "street":
			s.city(t)
		case "village":
			s.village()
		case "graveyard":
			s.graveyard()
		case "savanna", "park", "farm", "garden", "meadow", "hill", "river", "lake", "field", "road", "castleland":
			s.sparse(t.Key)
		}
	}
}

// forest stands in three rows that take on the air's colour with distance, and
// leaves the middle of the nearest row to the subjects.
func (s *stage) forest(t Thing) {
	var asked []rgb
	if len(t.Colours) > 0 {
		asked = append(asked, t.Colours[0].tint())
	}
	conifers := s.snow || s.scene.setting("mountain") != nil || s.dice("forest").chance(0.35) && s.scene.Season == "" && t.Key == "forest"
	for row := range 3 {
		d := s.dice("row", string(rune('a'+row)))
		far := float32([]float64{0.66, 0.42, 0.16}[row])
		y := s.horizon + s.u*[]float64{0.015, 0.05, 0.10}[row]
		height := s.u * []float64{0.30, 0.44, 0.66}[row]
		gap := s.u * []float64{0.060, 0.11, 0.19}[row]
		if row == 2 {
			y += s.u * 0.02
		}
		for x := -gap; x < s.w+gap; x += gap * d.in(0.75, 1.25) {
			if row == 2 && math.Abs(x-s.w/2) < s.w*0.5-s.u*0.20 && (len(s.scene.Subjects) > 0 || d.chance(0.55)) {
				continue
			}
			if s.scene.setting("waterfall") != nil && math.Abs(x-s.w/2) < s.u*0.3 {
				continue
			}
			base := point{x, y + d.around(0.012)*s.u}
			size := height * d.in(0.8, 1.2)
			depth := uint8(12 + 6*row)
			switch {
			case t.Key == "jungle" && d.chance(0.45):
				s.palm(base, size, far, depth, d.next(), asked...)
			case conifers:
				s.pine(base, size, far, depth, d.next(), asked...)
			default:
				s.tree(base, size, far, depth, d.next(), asked...)
			}
		}
		if row < 2 {
			s.mist(y-s.u*0.04, s.u*0.11, 0.38)
		}
	}
}

// mist is a soft bank of the air's colour.
func (s *stage) mist(y, height float64, alpha float32) {
	mid, half := float32(y), float32(height)
	tone := s.light.haze
	seed := uint32(s.dice("mist").next())
	u, drift := float32(s.u), float32(s.at)*0.05
	s.washBox(box{0, y - height, s.w, y + height}, 0, func(x, y float32) (rgb, float32) {
		t := 1 - abs32(y-mid)/half
		return tone, alpha * t * t * (0.4 + 1.2*noise(x/u*3+drift, y/u*9, seed))
	})
}

func (s *stage) sparse(kind string) {
	d := s.dice("sparse")
	n := 5
	if s.scene.Season != "" || kind == "river" {
		n = 12
	}
	for range n {
		x := d.unit()
		if math.Abs(x-0.5) < 0.22 {
			x += math.Copysign(0.25, x-0.5)
		}
		base := point{x * s.w, s.horizon + s.u*d.in(0.02, 0.06)}
		height := s.u * d.in(0.22, 0.36)
		if kind == "savanna" {
			s.acacia(base, height*0.8, 0.2, 20, d.next())
		} else {
			s.tree(base, height, 0.26, 20, d.next())
		}
	}
	if kind == "farm" {
		s.prop("barn", point{s.w * 0.22, s.horizon + s.u*0.06}, s.u*0.24, 0.14, 22, d.next(), false)
	}
}

// treeline is a dark row of firs at the foot of mountains.
func (s *stage) treeline() {
	d := s.dice("treeline")
	for x := 0.0; x < s.w; x += s.u * d.in(0.012, 0.03) {
		s.pine(point{x, s.horizon + s.u*0.016}, s.u*d.in(0.035, 0.075), 0.22, 22, d.next())
	}
}

func (s *stage) acacia(base point, height float64, far float32, depth uint8, seed uint64) {
	d := newDice(seed, "acacia")
	top := point{base.x, base.y - height*0.7}
	s.put(s.body(ribbon(spline(knots([]point{base, {base.x + d.around(0.05)*height, base.y - height*0.4}, top}), false), height*0.07, height*0.03), ink("#5a4430"), far, depth))
	for i := range 5 {
		p := point{top.x + (float64(i)-2)*height*0.2, top.y - height*d.in(0.02, 0.10)}
		s.put(s.body(oval(p, height*0.24, height*0.075, 0), ink("#6f8a3c"), far, depth))
	}
}

// prop draws a drawing as scenery.
func (s *stage) prop(name string, base point, height float64, far float32, depth uint8, seed uint64, flip bool) {
	d := drawings()[name]
	if d == nil || s.scene.without(name) {
		return
	}
	d.draw(s.easel, pose{place: d.stand(base, height, flip), light: &s.light, far: far, depth: depth, seed: seed, at: s.at, ghost: 1})
}

// stand places a drawing so that it is this high and its feet are at base.
func (d *drawing) stand(base point, height float64, flip bool) affine {
	b := d.extent()
	k := height / b.height()
	m := moved(-(b.x0+b.x1)/2, -b.y1)
	if flip {
		m = m.then(scaled(-1, 1))
	}
	return m.then(scaled(k, k)).then(moved(base.x, base.y))
}

func (s *stage) village() {
	d := s.dice("village")
	for i := range 7 {
		x := (float64(i)+0.5)/7 + d.around(0.04)
		if math.Abs(x-0.5) < 0.13 && len(s.scene.Subjects) > 0 {
			continue
		}
		name := choose(d, "house", "cottage", "house", "church")
		s.prop(name, point{x * s.w, s.horizon + s.u*d.in(0.02, 0.07)}, s.u*d.in(0.13, 0.19), 0.2, 20, d.next(), d.chance(0.5))
	}
}

func (s *stage) graveyard() {
	d := s.dice("graves")
	for range 12 {
		k := d.unit()
		p := point{d.unit() * s.w, s.horizon + s.u*(0.04+0.26*k)}
		h := s.u * (0.05 + 0.08*k)
		stone := spline([]knot{{point{p.x - h*0.4, p.y}, true}, {point{p.x - h*0.4, p.y - h*0.7}, false}, {point{p.x, p.y - h}, false}, {point{p.x + h*0.4, p.y - h*0.7}, false}, {point{p.x + h*0.4, p.y}, true}}, true)
		s.put(s.body(stone, ink("#8a8c92"), float32(0.3-0.25*k), 36))
	}
}

// city is a skyline in three depths with windows that light up in the dark.
func (s *stage) city(t Thing) {
	wall := ink("#7a8496")
	if len(t.Colours) > 0 {
		wall = t.Colours[0].tint()
	}
	if s.scene.setting("beach") == nil && s.scene.setting("sea") == nil && s.scene.setting("lake") == nil && len(s.scene.Subjects) == 0 {
		s.horizon += s.u * 0.12
	}
	for row := range 3 {
		d := s.dice("skyline", string(rune('a'+row)))
		far := float32([]float64{0.55, 0.32, 0.06}[row])
		for x := -0.05 * s.u; x < s.w; {
			w := s.u * d.in(0.05, 0.11) * (0.7 + 0.25*float64(row))
			h := s.u * d.in(0.14, 0.46) * []float64{1.25, 1, 0.72}[row]
			if row == 2 && len(s.scene.Subjects) > 0 && math.Abs(x+w/2-s.w/2) < s.u*0.26 {
				h *= 0.45
			}
			tone := mix(wall, fromHSL(d.in32(0, 1), 0.35, 0.5), 0.25)
			s.tower(box{x, s.horizon - h, x + w, s.horizon + s.u*0.02}, tone, far, uint8(10+5*row), d)
			x += w * d.in(1.0, 1.25)
		}
	}
}

// tower is one building: a face with a grid of windows, a darker side, a roof.
func (s *stage) tower(b box, tone rgb, far float32, depth uint8, d *dice) {
	lit, dim := s.light.tones(tone, far)
	seed := uint32(d.next())
	cell := float32(max(b.width()/float64(4+d.upTo(4)), 2))
	x0, y0 := float32(b.x0), float32(b.y0)
	night := s.light.night
	lamp := s.light.lamp
	if s.manner.neon {
		lamp = choose(d, rgb{0.2, 0.95, 1}, rgb{1, 0.25, 0.8}, rgb{0.95, 0.85, 0.35}, rgb{0.6, 0.35, 1})
	}
	glass := mix(ink("#3f5a78").times(s.light.lit), s.light.haze, far)
	side := x0 + float32(b.width())*0.72
	flicker := int32(s.at * 0.7)
	face := stroke{loops: [][]point{rectangle(b.x0, b.y0, b.x1, b.y1)}, depth: depth, shading: custom, alpha: 1}
	face.shade = func(x, y float32) (rgb, float32) {
		c := mix(lit, dim, 0.25)
		if x > side {
			c = dim
		}
		u, v := (x-x0)/cell, (y-y0)/(cell*1.35)
		iu, iv := floor32(u), floor32(v)
		fu, fv := u-float32(iu), v-float32(iv)
		if fu > 0.22 && fu < 0.8 && fv > 0.25 && fv < 0.8 && v > 0.5 {
			on := cellUnit(iu, iv, seed+uint32(flicker)*uint32(cell32(iu, iv)))
			c = mix(c, glass, 0.7)
			if on < 0.55*night {
				c = mix(lamp.scaled(0.75+0.5*on), s.light.haze, far*0.5)
			}
		}
		return c, 1
	}
	s.put(face)
	top := point{(b.x0 + b.x1) / 2, b.y0}
	switch d.upTo(4) {
	case 0:
		s.fill(ribbon([]point{top, {top.x, top.y - s.u*0.06}}, s.u*0.006, 0.6), tone.shifted(-30), far, depth)
		if night > 0.5 {
			s.halo(point{top.x, top.y - s.u*0.06}, s.u*0.012, s.u*0.012, rgb{1, 0.2, 0.2}, 0.9, glow)
		}
	case 1:
		s.fill(rectangle(b.x0+b.width()*0.25, b.y0-s.u*0.025, b.x1-b.width()*0.25, b.y0), tone.shifted(-12), far, depth)
	case 2:
		s.fill([]point{{b.x0, b.y0 + 0.5}, {top.x, b.y0 - s.u*0.04}, {b.x1, b.y0 + 0.5}}, tone.shifted(-20), far, depth)
	}
	if s.manner.neon && depth > 12 && d.chance(0.6) {
		p := point{b.x0 + b.width()*d.in(0.2, 0.6), b.y0 + b.height()*d.in(0.15, 0.4)}
		w, h := b.width()*0.18, b.height()*0.26
		c := choose(d, rgb{1, 0.2, 0.7}, rgb{0.1, 0.95, 1}, rgb{1, 0.55, 0.1})
		s.halo(point{p.x + w/2, p.y + h/2}, w*4, h*1.1, c, 0.5, glow)
		s.put(stroke{loops: [][]point{rounded(p.x, p.y, p.x+w, p.y+h, w*0.3)}, lit: c.shifted(15), alpha: 0.95, depth: depth})
	}
}

// cell32 lets one window in nine change with time.
func cell32(x, y int32) int32 {
	if (x*7+y*13)%9 == 0 {
		return 1
	}
	return 0
}
