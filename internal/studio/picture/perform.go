package picture

// colours binds the prompt's colours to those of the drawing. A natural subject
// keeps a part of its own colour, so that a red fox is still a fox.
func (a *actor) colours() map[string]rgb {
	out := map[string]rgb{}
	if a.d == nil {
		return out
	}
	for i, c := range a.thing.Colours {
		if i < len(a.d.colours) {
			tone := c.tint()
			if own := a.d.colours[i].tone; i == 0 && own.name == "" {
				tone = mix(tone, own.value, kinship(tone, own.value))
			}
			out[a.d.colours[i].name] = tone
		}
	}
	for part, c := range a.thing.Parts {
		out[part] = c.tint()
		if part == "eye" {
			out["iris"] = c.tint()
		}
		if part == "cloth" {
			out["suit"] = c.tint()
		}
	}
	return out
}

// kinship is how much of its own colour a subject keeps: more when the asked
// colour is near to it.
func kinship(asked, own rgb) float32 {
	h1, s1, _ := asked.hsl()
	h2, s2, _ := own.hsl()
	d := abs32(h1 - h2)
	d = min(d, 1-d)
	if s1 < 0.15 || s2 < 0.15 || d > 0.1 {
		return 0.08
	}
	return 0.45 - 3.4*d
}

// mainTone is the colour a thing will mostly have.
func (s *stage) mainTone(t Thing) rgb {
	if len(t.Colours) > 0 {
		return t.Colours[0].tint()
	}
	m := words().subject(t.Key)
	if d := drawings()[m.text("draw", t.Key)]; d != nil {
		return d.palette(nil, &s.light)[d.colours[0].name]
	}
	return ink("#5f8a4a")
}

// perform draws one actor with the shadow or the reflection it casts.
func (s *stage) perform(a *actor) {
	depth := uint8(200 + min(a.index, 4)*10)
	s.footprint(a)
	if a.d == nil {
		s.made(a, depth)
		return
	}
	p := pose{light: &s.light, far: a.far, depth: depth, seed: a.seed, at: s.at, ghost: 1, colours: a.colours()}
	if a.on == "span" {
		// A bridge reaches from edge to edge.
		k := max(a.height/60, s.w/216)
		deck := s.deck()
		p.place = moved(-50, -44).then(scaled(k, k*1.15)).then(moved(s.w/2, deck))
		a.base, a.height = point{s.w / 2, deck + 55*k}, 55*k
		a.d.draw(s.easel, p)
		return
	}
	p.place = a.d.stand(a.base, a.height, a.flip)
	if a.on == "water" {
		s.reflect(a, p)
	}
	switch a.thing.Action {
	case "run":
		p.place = p.place.then(turned(0.05, a.base))
		s.speed(a)
	case "sleep":
		mid := point{a.base.x, a.base.y}
		p.place = p.place.then(moved(-mid.x, -mid.y)).then(scaled(1.1, 0.78)).then(moved(mid.x, mid.y))
	}
	a.d.draw(s.easel, p)
	s.write(a, p)
	if a.on == "water" {
		s.waterline(a)
	}
	if a.thing.Key == "train" && !s.scene.without("smoke") {
		s.smoke(p.place.apply(point{83, 12}), a.height, a.flip)
	}
	if a.thing.Key == "lighthouse" && s.light.night > 0.3 {
		s.beam(p.place.apply(a.d.anchors["lamp"]))
	}
}

// deck is the height of a bridge's roadway.
func (s *stage) deck() float64 { return s.horizon + (s.h-s.horizon)*0.10 }

// footprint darkens the ground under an actor's feet and away from the light.
func (s *stage) footprint(a *actor) {
	switch {
	case a.on == "air", a.on == "inside", a.on == "space", a.on == "under", a.on == "water", a.on == "span", a.on == "mounted" && a.thing.Key == "train":
		return
	case s.light.flat && s.world != "plain":
		return
	}
	shift := -float64(s.light.from[0]) * a.width * 0.16
	wide := a.width * 0.52
	if a.made == "tree" || a.made == "palm" {
		wide = a.width * 0.4
	}
	tone := s.light.dim.scaled(0.7)
	s.halo(point{a.base.x + shift, a.base.y - a.height*0.005}, wide*1.25, max(a.height*0.07, s.u*0.012), tone, 0.75, stain)
	s.halo(point{a.base.x, a.base.y}, wide*0.9, max(a.height*0.035, s.u*0.008), tone, 0.7, stain)
}

// made draws what grows in Go.
func (s *stage) made(a *actor, depth uint8) {
	var asked []rgb
	for _, c := range a.thing.Colours {
		asked = append(asked, c.tint())
	}
	switch a.made {
	case "pine":
		s.pine(a.base, a.height, a.far, depth, a.seed, asked...)
	case "palm":
		s.palm(a.base, a.height, a.far, depth, a.seed, asked...)
	case "planet":
		r := a.height * 0.5
		if a.thing.Word == "earth" && len(asked) == 0 {
			asked = []rgb{ink("#3f7ac0")}
		}
		if a.thing.Word == "mars" && len(asked) == 0 {
			asked = []rgb{ink("#c8603a")}
		}
		s.planet(point{a.base.x, a.base.y - a.height*0.5}, r, depth, a.seed, asked...)
	default:
		s.tree(a.base, a.height, a.far, depth, a.seed, asked...)
	}
}

// reflect is the actor upside down in the water, faint and squeezed.
func (s *stage) reflect(a *actor, p pose) {
	p.place = p.place.then(moved(0, -a.base.y)).then(scaled(1, -0.55)).then(moved(0, a.base.y-a.height*0.04))
	p.ghost, p.depth = 0.30, 0
	lit := s.light
	lit.outline = 0
	p.light = &lit
	a.d.draw(s.easel, p)
}

// waterline hides the feet of a swimmer behind small waves.
func (s *stage) waterline(a *actor) {
	foam, _ := s.light.tones(rgb{0.92, 0.97, 1}, 0)
	d := newDice(a.seed, "ripple")
	for i := range 4 {
		y := a.base.y - a.height*0.02 + float64(i)*a.height*0.035
		w := a.width * (0.36 + 0.09*float64(i)) * d.in(0.85, 1.1)
		line := []point{{a.base.x - w, y}, {a.base.x - w*0.3, y + a.height*0.012}, {a.base.x + w*0.3, y - a.height*0.006}, {a.base.x + w, y}}
		s.put(stroke{loops: [][]point{ribbon(spline(knots(line), false), a.height*0.006, a.height*0.016)}, lit: foam, alpha: float32(0.6 - 0.12*float64(i))})
	}
}

func (s *stage) speed(a *actor) {
	d := newDice(a.seed, "speed")
	back := 1.0
	if !a.flip {
		back = -1
	}
	for range 6 {
		y := a.base.y - a.height*d.in(0.1, 0.9)
		x := a.base.x + back*a.width*d.in(0.5, 0.65)
		s.put(stroke{loops: [][]point{ribbon([]point{{x, y}, {x + back*a.width*d.in(0.1, 0.3), y}}, s.u*0.005, 0.5)}, lit: rgb{1, 1, 1}, alpha: 0.55})
	}
}

// smoke leaves a funnel and drifts back over the train.
func (s *stage) smoke(from point, height float64, flip bool) {
	d := s.dice("smoke")
	back := -1.0
	if flip {
		back = 1
	}
	lit, dim := s.light.tones(ink("#eceef0"), 0.1)
	for i := range 16 {
		t := float64(i) / 16
		p := point{from.x + back*height*(2.4*t*t+0.6*t) + d.around(0.1)*height, from.y - height*(0.12+0.75*t) + d.around(0.12)*height*t}
		r := height * (0.08 + 0.26*t)
		s.put(stroke{loops: [][]point{puff(p, r, d)}, shading: round, light: s.light.from, cel: s.light.cel, lit: lit, dim: mix(dim, lit, 0.45), alpha: float32(0.9 - 0.75*t), depth: 190})
	}
}

// beam is the light of a lighthouse, swinging in a clip.
func (s *stage) beam(from point) {
	for _, side := range []float64{-1, 1} {
		far := point{from.x + side*s.w, from.y - s.u*0.10}
		loop := []point{from, {far.x, far.y - s.u*0.16}, {far.x, far.y + s.u*0.16}}
		s.put(stroke{loops: [][]point{loop}, shading: linear, from: from, to: far, lit: rgb{1, 0.95, 0.7}, dim: rgb{}, alpha: 0.42, blend: glow})
	}
	s.halo(from, s.u*0.16, s.u*0.16, rgb{1, 0.92, 0.6}, 0.7, glow)
}

// bust frames head and shoulders; it answers false when there is no head.
func (s *stage) bust(actors []*actor) bool {
	n := min(len(actors), 3)
	for i, a := range actors[:n] {
		if a.d == nil {
			return i > 0
		}
		head, ok := a.d.anchors["head"]
		if !ok {
			return i > 0
		}
		b := a.d.extent()
		frame := min(head.y+2.3*(head.y-b.y0), b.y1)
		k := s.h * 0.90 / (frame - b.y0)
		k = min(k, s.w*0.94/float64(n)/max(b.width()*0.42, 30))
		top := max(s.h*0.085, s.h-(b.y1-b.y0)*k*1.02)
		x := s.w * (float64(i) + 0.5) / float64(n)
		place := moved(-head.x, -b.y0).then(scaled(k, k)).then(moved(x, top))
		if a.flip {
			place = moved(-head.x, -b.y0).then(scaled(-k, k)).then(moved(x, top))
		}
		a.base, a.height = point{x, top + (b.y1-b.y0)*k}, (b.y1-b.y0)*k
		a.d.draw(s.easel, pose{place: place, light: &s.light, depth: 230, seed: a.seed, at: s.at, ghost: 1, colours: a.colours()})
		for _, held := range actors {
			if held.thing.HeldBy == a.index {
				s.hold(held, a)
			}
		}
	}
	return true
}
