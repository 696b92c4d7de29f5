package picture

import "math"

// light is how a scene is lit: where from, what it does to a colour in the light
// and in the shade, and the air between the eye and the distance.
type light struct {
	from     [3]float32
	lit, dim rgb
	haze     rgb
	night    float32 // 0 in daylight, 1 in the dark
	flat     bool
	cel      bool
	outline  float64 // pixels for a subject of the canvas's size; 0 for none
	line     rgb
	texture  float32
	lamp     rgb // the colour of lit windows
}

// tones answers the two ends of a surface's shading.
func (l *light) tones(c rgb, far float32) (lit, dim rgb) {
	lit, dim = c.times(l.lit), c.times(l.dim)
	if l.flat {
		dim = mix(lit, dim, 0.12)
	}
	if far > 0 {
		lit, dim = mix(lit, l.haze, far), mix(dim, l.haze, far)
	}
	return lit, dim
}

// pose is one appearance of a drawing in a scene.
type pose struct {
	place   affine // from the drawing's box to the canvas
	colours map[string]rgb
	light   *light
	far     float32 // how much of the air's colour it has taken
	depth   uint8
	seed    uint64
	at      float64 // seconds
	ghost   float32 // 1 is solid
}

// draw puts a drawing on the easel. It answers nothing: what lies outside the
// canvas is simply not seen.
func (d *drawing) draw(e *easel, p pose) {
	k := p.place.scale()
	rolled := newDice(p.seed, "picks", d.name)
	picked := map[string]int{}
	for _, name := range sortedKeys(d.picks) {
		picked[name] = rolled.upTo(d.picks[name])
	}
	angles := map[string]affine{}
	for _, name := range sortedKeys(d.joints) {
		j := d.joints[name]
		roll := newDice(p.seed, "joint", name)
		phase := roll.in(0, 2*math.Pi)
		degrees := roll.around(j.pose) + j.swing*math.Sin(2*math.Pi*0.6*p.at+phase)*min(p.at*4, 1)
		angles[name] = turned(degrees*math.Pi/180, j.pivot)
	}
	tones := d.palette(p.colours, p.light)
	origin := p.place.apply(point{})
	var first, rest []stroke
	for i := range d.parts {
		part := &d.parts[i]
		if part.pick != "" && picked[part.pick] != part.value {
			continue
		}
		m := p.place
		if turn, ok := angles[part.joint]; ok {
			m = turn.then(p.place)
		}
		for n := range part.times {
			step := moved(part.step.x*float64(n), part.step.y*float64(n))
			for side := range 2 {
				own := step.then(m)
				if side == 1 {
					if !part.mirror {
						break
					}
					own = step.then(affine{-1, 0, 0, 1, 100, 0}).then(m)
				}
				a, b := part.strokes(own, k, tones, &p, origin)
				first, rest = append(first, a...), append(rest, b...)
			}
		}
	}
	for _, s := range first {
		e.put(s)
	}
	for _, s := range rest {
		e.put(s)
	}
}

// palette resolves the colours of a drawing, the asked ones first.
func (d *drawing) palette(asked map[string]rgb, l *light) map[string]rgb {
	out := map[string]rgb{}
	for _, c := range d.colours {
		if v, ok := asked[c.name]; ok {
			out[c.name] = v
			continue
		}
		out[c.name] = resolve(c.tone, out)
	}
	out["lit"] = mix(rgb{0.30, 0.40, 0.52}, l.lamp, l.night)
	out["black"], out["white"] = rgb{0.07, 0.06, 0.09}, rgb{0.97, 0.96, 0.94}
	return out
}

func resolve(t tone, from map[string]rgb) rgb {
	c := t.value
	if t.name != "" {
		c = from[t.name]
	}
	return c.shifted(t.shift)
}

// strokes makes the strokes of a part: what belongs under the whole subject (its
// outline) and what belongs in its turn.
func (t *part) strokes(m affine, k float64, tones map[string]rgb, p *pose, origin point) (under, own []stroke) {
	if t.verb == "light" {
		return nil, t.lamp(m, k, tones, p)
	}
	if t.verb == "eye" {
		return t.eye(m, k, tones, p)
	}
	loops := t.outline(m, k)
	l := p.light
	c := resolve(t.tone, tones)
	s := stroke{loops: loops, depth: p.depth, shading: round, alpha: t.alpha * p.ghost, light: l.from, cel: l.cel}
	s.lit, s.dim = l.tones(c, p.far)
	shines := t.tone.name == "lit"
	if shines {
		s.lit = mix(s.lit, c, l.night*(1-p.far))
	}
	if t.flat || l.flat || shines {
		s.shading = plain
	} else if l.texture > 0 {
		s.grain = grain{t.grain, 0.5 * l.texture, float32(max(k, 0.05)), float32(origin.x), float32(origin.y), uint32(p.seed)}
	}
	own = append(own, s)
	if l.outline > 0 && t.alpha > 0.9 {
		w := l.outline * min(k/3, 1.6)
		for _, loop := range loops {
			rim := closedRibbon(loop, 2*w)
			under = append(under, stroke{loops: rim, depth: p.depth, lit: mix(l.line, l.haze, p.far), alpha: p.ghost})
			if !t.flat {
				own = append(own, stroke{loops: closedRibbon(loop, 0.55*w), depth: p.depth, lit: mix(s.dim, l.line, 0.7), alpha: 0.8 * p.ghost})
			}
		}
	}
	return under, own
}

// closedRibbon is the outline of a stroke around a loop.
func closedRibbon(loop []point, w float64) [][]point {
	n := len(loop)
	outer, inner := make([]point, 0, n), make([]point, 0, n)
	for i, p := range loop {
		d := loop[(i+1)%n].sub(loop[(i+n-1)%n])
		l := d.length()
		if l < 1e-9 {
			continue
		}
		side := point{-d.y / l * w / 2, d.x / l * w / 2}
		outer, inner = append(outer, p.add(side)), append(inner, p.sub(side))
	}
	return [][]point{outer, reversed(inner)}
}

// outline is the shape of a part on the canvas.
func (t *part) outline(m affine, k float64) [][]point {
	on := make([]knot, len(t.knots))
	for i, q := range t.knots {
		on[i] = knot{m.apply(q.point), q.sharp}
	}
	num := func(i int) float64 {
		if i < len(t.nums) {
			return t.nums[i]
		}
		return 0
	}
	centre := point{num(0), num(1)}
	switch t.verb {
	case "blob", "poly":
		return [][]point{spline(on, true)}
	case "limb", "curve", "line":
		return [][]point{ribbon(spline(on, false), num(0)*k, num(1)*k)}
	case "oval":
		// The oval is made in the drawing's box: a flip must turn its tilt too.
		return [][]point{m.all(scaledOval(centre, num(2), num(3), num(4)*math.Pi/180, k))}
	case "box":
		return [][]point{m.all(rounded(num(0), num(1), num(0)+num(2), num(1)+num(3), num(4)))}
	case "ring":
		r, w := num(2), num(3)
		return [][]point{m.all(scaledOval(centre, r+w/2, r+w/2, 0, k)), reversed(m.all(scaledOval(centre, r-w/2, r-w/2, 0, k)))}
	case "petals":
		n := max(int(num(2)), 1)
		in, out, w := num(3), num(4), num(5)
		var loops [][]point
		for i := range n {
			a := 2*math.Pi*float64(i)/float64(n) + num(6)*math.Pi/180
			s, c := math.Sincos(a)
			mid := point{centre.x + c*(in+out)/2, centre.y + s*(in+out)/2}
			loops = append(loops, m.all(scaledOval(mid, (out-in)/2, w/2, a, k)))
		}
		return loops
	}
	return nil
}

// scaledOval has as many points as an oval k times as large needs.
func scaledOval(c point, rx, ry, angle, k float64) []point {
	big := oval(point{}, rx*k, ry*k, angle)
	for i, p := range big {
		big[i] = point{c.x + p.x/k, c.y + p.y/k}
	}
	return big
}

// eye is an iris with a pupil and the spark that makes it alive.
func (t *part) eye(m affine, k float64, tones map[string]rgb, p *pose) (under, own []stroke) {
	c := m.apply(point{t.nums[0], t.nums[1]})
	r := t.nums[2] * k
	lit, dim := p.light.tones(resolve(t.tone, tones), p.far)
	dark := mix(rgb{0.05, 0.04, 0.06}, p.light.haze, p.far)
	round := func(c point, r float64, tone rgb) {
		own = append(own, stroke{loops: [][]point{oval(c, r, r, 0)}, depth: p.depth, lit: tone, alpha: p.ghost})
	}
	round(c, r*1.18, mix(dark, dim, 0.15))
	round(c, r, mix(lit, dim, 0.2))
	round(c, r*0.6, dark)
	round(point{c.x - r*0.32, c.y - r*0.36}, r*0.3, mix(rgb{1, 1, 1}, p.light.haze, p.far))
	return nil, own
}

// lamp is a light that only darkness shows.
func (t *part) lamp(m affine, k float64, tones map[string]rgb, p *pose) []stroke {
	c := m.apply(point{t.nums[0], t.nums[1]})
	r := t.nums[2] * k
	var e easel
	e.width, e.height = math.MaxInt32, math.MaxInt32
	strength := (0.15 + 0.6*p.light.night) * p.ghost * t.alpha
	e.halo(c, r, r, resolve(t.tone, tones), strength, glow)
	return e.strokes
}
