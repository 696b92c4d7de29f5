package picture

// room is a wall with a window, a floor of boards and a rug.
func (s *stage) room() {
	d := s.dice("room")
	wall := colourOf(s.scene.setting("room"), choose(d, ink("#c9b79c"), ink("#a9b8a4"), ink("#b8a9b4"), ink("#d0b8a0")))
	floor := s.h * 0.68
	u := float32(s.u)
	lit, dim := s.light.tones(wall, 0)
	s.wash(4, func(x, y float32) (rgb, float32) {
		dx, dy := (x/float32(s.w) - 0.3), (y/float32(s.h) - 0.3)
		return mix(lit, dim, unit(1.3*(dx*dx+dy*dy)+0.1)), 1
	})
	s.fill(rectangle(0, floor-s.u*0.03, s.w, floor), wall.shifted(30), 0, 5)
	boards := s.body(rectangle(0, floor, s.w, s.h), ink("#8f623c"), 0, 8)
	boards.shading = linear
	boards.from, boards.to = point{0, floor}, point{0, s.h}
	boards.lit, boards.dim = boards.dim, boards.lit
	boards.grain = grain{planks, 0.5 * min(s.light.texture*2, 1), u * 0.012, 0, float32(floor), 3}
	s.put(boards)
	w, h := s.u*0.30, s.u*0.36
	x, y := s.w*0.12, s.h*0.13
	if d.chance(0.5) {
		x = s.w*0.88 - w
	}
	s.fill(rectangle(x-s.u*0.016, y-s.u*0.016, x+w+s.u*0.016, y+h+s.u*0.016), ink("#efe8da"), 0, 6)
	sky := s.sky
	s.put(stroke{loops: [][]point{rectangle(x, y, x+w, y+h)}, shading: linear, from: point{x, y}, to: point{x, y + h}, lit: sky.middle, dim: sky.horizon, alpha: 1, depth: 6})
	hill, _ := s.light.tones(ink("#6f9a58"), 0.35)
	s.put(stroke{loops: [][]point{{{x, y + h*0.78}, {x + w*0.4, y + h*0.66}, {x + w, y + h*0.8}, {x + w, y + h}, {x, y + h}}}, lit: hill, alpha: 1, depth: 6})
	s.fill(rectangle(x+w/2-s.u*0.008, y, x+w/2+s.u*0.008, y+h), ink("#efe8da"), 0, 7)
	s.fill(rectangle(x, y+h/2-s.u*0.008, x+w, y+h/2+s.u*0.008), ink("#efe8da"), 0, 7)
	curtain := choose(d, ink("#b8584a"), ink("#5a7a9a"), ink("#8a6a9a"))
	for _, cx := range []float64{x - s.u*0.05, x + w - s.u*0.02} {
		st := s.body(rounded(cx, y-s.u*0.03, cx+s.u*0.07, y+h+s.u*0.08, s.u*0.01), curtain, 0, 7)
		st.grain = grain{cloth, 0.6, u * 0.006, float32(cx), 0, 4}
		s.put(st)
	}
	if s.sky.night < 0.6 {
		s.halo(point{s.w * 0.5, s.h * 0.84}, s.w*0.4, s.h*0.14, rgb{1, 0.9, 0.65}, 0.22, glow)
	}
	rug := choose(d, ink("#a8483f"), ink("#3f6a8a"), ink("#5a7a4a"))
	s.put(s.body(oval(point{s.w / 2, s.h * 0.875}, s.u*0.44, s.u*0.085, 0), rug, 0, 10))
	s.put(stroke{loops: closedRibbon(oval(point{s.w / 2, s.h * 0.875}, s.u*0.40, s.u*0.072, 0), s.u*0.008), lit: rug.shifted(45), alpha: 0.9, depth: 10})
	if fx := s.w - x - w*0.7; len(s.scene.Text) == 0 {
		s.fill(rectangle(fx-s.u*0.08, s.h*0.2, fx+s.u*0.08, s.h*0.33), ink("#6b4a2c"), 0, 6)
		s.put(stroke{loops: [][]point{rectangle(fx-s.u*0.067, s.h*0.2+s.u*0.013, fx+s.u*0.067, s.h*0.33-s.u*0.013)}, shading: linear, from: point{fx, s.h * 0.2}, to: point{fx, s.h * 0.33}, lit: sky.zenith, dim: sky.horizon, alpha: 1, depth: 6})
	}
}

// tabletop is the stage of a still life: a dim wall, a table, a cloth.
func (s *stage) tabletop() {
	d := s.dice("table")
	wall := choose(d, ink("#6a7a72"), ink("#7a6a5e"), ink("#5f6a7c"), ink("#8a7a5e"))
	lit, dim := s.light.tones(wall, 0)
	seed := uint32(d.next())
	u := float32(s.u)
	rough := float32(0.10)
	if s.light.flat {
		rough = 0
	}
	s.wash(4, func(x, y float32) (rgb, float32) {
		dx, dy := x/float32(s.w)-0.28, y/float32(s.h)-0.22
		c := mix(lit.shifted(16), dim, unit(1.5*(dx*dx+dy*dy)))
		return c.scaled(1 + rough*(fractal(x/u*4, y/u*4, 4, seed)-0.5)*2), 1
	})
	edge := s.h * 0.57
	wood := s.body(rectangle(0, edge, s.w, s.h), ink("#8a5a34"), 0, 8)
	wood.shading, wood.from, wood.to = linear, point{0, edge}, point{0, s.h}
	wood.grain = grain{planks, 0.4 * min(s.light.texture*2, 1), u * 0.014, 0, float32(edge), 3}
	s.put(wood)
	linen := choose(d, ink("#e6dcc6"), ink("#c8d4d8"), ink("#d8b8a4"))
	st := s.body(spline(knots([]point{{s.w * 0.04, s.h * 0.88}, {s.w * 0.15, s.h * 0.67}, {s.w * 0.5, s.h * 0.63}, {s.w * 0.87, s.h * 0.675}, {s.w * 0.96, s.h * 0.88}, {s.w * 0.72, s.h * 1.01}, {s.w * 0.28, s.h * 1.01}}), true), linen, 0, 9)
	st.grain = grain{cloth, 0.25, u * 0.012, 0, 0, 6}
	s.put(st)
	s.horizon = edge
}

// backdrop is a studio's paper, or the plain ground of a minimal picture, in a
// colour that lets the subject stand out.
func (s *stage) backdrop() {
	d := s.dice("backdrop")
	tone := fromHSL(d.in32(0, 1), 0.32, 0.62)
	if len(s.scene.Subjects) > 0 {
		c := s.mainTone(s.scene.Subjects[0])
		h, sat, l := c.hsl()
		if sat < 0.12 {
			h = d.in32(0.02, 0.14)
		}
		back := float32(0.70)
		if l > 0.62 {
			back = 0.46
		}
		tone = fromHSL(h+0.5+d.in32(-0.06, 0.06), 0.36, back)
	}
	for i, c := range s.scene.Palette {
		if i == len(s.scene.Palette)-1 {
			tone = c.tint()
		}
	}
	for _, key := range []string{"studio", "plain", "clouds"} {
		tone = colourOf(s.scene.setting(key), tone)
	}
	if s.sky.night > 0.6 {
		tone = tone.scaled(0.4)
	}
	if s.world == "plain" {
		s.minimal(tone)
		return
	}
	seed := uint32(d.next())
	u := float32(s.u)
	flat := s.light.flat
	s.wash(4, func(x, y float32) (rgb, float32) {
		if flat {
			return tone, 1
		}
		dx, dy := (x/float32(s.w) - 0.45), (y/float32(s.h) - 0.38)
		c := mix(tone.shifted(22), tone.shifted(-38), unit(1.9*(dx*dx+dy*dy)))
		return c.scaled(0.94 + 0.12*fractal(x/u*3, y/u*3, 5, seed)), 1
	})
	s.horizon = s.h * 0.78
	if s.scene.Framing != "bust" && !flat {
		s.halo(point{s.w / 2, s.h * 0.95}, s.w*0.8, s.h*0.24, tone.shifted(-25), 0.5, stain)
	}
}

// minimal is two quiet areas and nothing else.
func (s *stage) minimal(tone rgb) {
	d := s.dice("minimal")
	pale := mix(tone, ink("#f4efe6"), 0.62)
	s.put(stroke{loops: [][]point{rectangle(0, 0, s.w, s.h)}, lit: pale, alpha: 1, depth: 2})
	c := point{s.w * 0.5, s.h * 0.47}
	if d.chance(0.5) {
		c.x += s.u * 0.12
	}
	s.put(stroke{loops: [][]point{oval(c, s.u*0.30, s.u*0.30, 0)}, lit: mix(tone, pale, 0.25), alpha: 1, depth: 3})
	s.horizon = s.h * 0.82
	s.put(stroke{loops: [][]point{rectangle(0, s.h*0.82, s.w, s.h)}, lit: mix(pale, tone, 0.35).shifted(-8), alpha: 1, depth: 3})
}
