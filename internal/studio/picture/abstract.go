package picture

import (
	"math"
	"strings"
)

// abstract paints pictures without a scene: mandalas, patterns, shapes, logos and
// the emblem that stands for words nobody taught us.
func (s *stage) abstract() {
	kind := ""
	for _, t := range s.scene.Subjects {
		if m := words().subject(t.Key); m.attributes["kind"] == "abstract" && (kind == "" || kind == "geometry") {
			kind = m.attributes["make"]
		}
	}
	tones := s.tones()
	s.paper(tones)
	switch kind {
	case "mandala":
		s.mandala(point{s.w / 2, s.h / 2}, s.u*0.47, tones)
	case "pattern":
		s.pattern(tones)
	case "geometry":
		s.geometry(tones)
	case "logo":
		s.logo(tones)
	case "swirl":
		s.swirl(tones)
	default:
		if len(s.scene.Subjects) == 0 {
			s.emblem(tones)
		}
	}
}

// tones is the palette of an abstract picture: the asked colours, or a harmony
// drawn from the words, so that the same words always have the same colours.
func (s *stage) tones() []rgb {
	var out []rgb
	for _, t := range s.scene.Subjects {
		for _, c := range t.Colours {
			out = append(out, c.tint())
		}
	}
	for _, c := range s.scene.Palette {
		out = append(out, c.tint())
	}
	if len(out) > 0 {
		base := len(out)
		for i := 0; len(out) < 5; i++ {
			out = append(out, out[i%base].shifted([]float32{38, -38, 60, -58}[i%4]))
		}
		return out
	}
	d := newDice(hash(strings.Join(s.scene.Unknown, " "))^s.seed, "tones")
	hue := d.in32(0, 1)
	step := choose(d, float32(0.08), 0.33, 0.5, 0.42)
	for i := range 5 {
		out = append(out, fromHSL(hue+step*float32(i%3)+d.in32(-0.02, 0.02), d.in32(0.45, 0.8), []float32{0.45, 0.6, 0.3, 0.75, 0.52}[i]))
	}
	return out
}

func (s *stage) paper(tones []rgb) {
	a, b := tones[0].shifted(-66), tones[len(tones)-1].shifted(-72)
	if s.manner.plainGround || s.manner.flat {
		a, b = ink("#f4efe4"), ink("#f4efe4")
	}
	u := float32(s.u)
	seed := uint32(s.dice("ground").next())
	s.wash(1, func(x, y float32) (rgb, float32) {
		dx, dy := x/float32(s.w)-0.5, y/float32(s.h)-0.5
		return mix(a, b, unit(2.4*(dx*dx+dy*dy))).scaled(0.94 + 0.12*fractal(x/u*5, y/u*5, 4, seed)), 1
	})
}

// mandala is rings of petals, dots, arcs and points around a centre.
func (s *stage) mandala(c point, r float64, tones []rgb) {
	d := s.dice("mandala")
	fold := choose(d, 8, 10, 12, 16)
	spin := s.at * 0.05
	s.halo(c, r*1.25, r*1.25, tones[0], 0.25, glow)
	s.put(s.body(oval(c, r, r, 0), tones[0].shifted(-45), 0, 120))
	rings := 8
	for ring := range rings {
		out := r * (1 - float64(ring)/float64(rings)*0.94)
		in := r * (1 - float64(ring+1)/float64(rings)*0.94)
		n := fold
		if ring < 3 {
			n = fold * 2
		}
		tone, edge := tones[ring%len(tones)], tones[(ring+1)%len(tones)]
		kind := d.upTo(5)
		turn := spin * float64(1-2*(ring%2))
		if ring%2 == 1 {
			turn += math.Pi / float64(n)
		}
		for i := range n {
			a := 2*math.Pi*float64(i)/float64(n) + turn
			at := func(radius, off float64) point {
				sn, cs := math.Sincos(a + off)
				return point{c.x + cs*radius, c.y + sn*radius}
			}
			w := math.Pi / float64(n)
			var loop []point
			switch kind {
			case 0:
				loop = spline([]knot{{at(in*0.92, 0), true}, {at((in+out)/2, w*0.8), false}, {at(out, 0), true}, {at((in+out)/2, -w*0.8), false}}, true)
			case 1:
				loop = []point{at(in, -w*0.9), at(out, 0), at(in, w*0.9)}
			case 2:
				q := (out - in) * 0.42
				loop = oval(at((in+out)/2, 0), q, q, 0)
			case 3:
				loop = []point{at(in, 0), at((in+out)/2, w*0.7), at(out, 0), at((in+out)/2, -w*0.7)}
			case 4:
				loop = spline(knots([]point{at(in, -w*0.95), at(out*0.97, -w*0.5), at(out, 0), at(out*0.97, w*0.5), at(in, w*0.95), at(in*1.02, 0)}), true)
			}
			s.put(s.body(loop, tone, 0, 150))
			s.put(stroke{loops: closedRibbon(loop, s.u*0.004), lit: edge.shifted(30), alpha: 0.95, depth: 150})
			inner := (out - in) * 0.13
			s.put(stroke{loops: [][]point{oval(at((in+out)/2, 0), inner, inner, 0)}, lit: edge, alpha: 1, depth: 150})
		}
		s.put(stroke{loops: closedRibbon(oval(c, out, out, 0), s.u*0.006), lit: tones[(ring+1)%len(tones)].shifted(20), alpha: 1, depth: 150})
	}
	s.put(s.body(oval(c, r*0.07, r*0.07, 0), tones[1%len(tones)], 0, 160))
}

// pattern repeats a motif over the whole canvas on a lattice.
func (s *stage) pattern(tones []rgb) {
	d := s.dice("pattern")
	size := s.u / choose(d, 5.0, 6.0, 7.0)
	kind := d.upTo(3)
	var motif *drawing
	for _, t := range s.scene.Subjects {
		if m := drawings()[t.Key]; m != nil {
			motif = m
		}
	}
	s.put(stroke{loops: [][]point{rectangle(0, 0, s.w, s.h)}, lit: tones[len(tones)-1].shifted(35), alpha: 1})
	for row := -1; float64(row)*size < s.h+size; row++ {
		for col := -1; float64(col)*size < s.w+size; col++ {
			c := point{(float64(col) + 0.5*float64(row&1) + 0.5) * size, (float64(row) + 0.5) * size}
			a, b := tones[(row+col+64)%len(tones)], tones[(row*2+col+67)%len(tones)]
			switch {
			case motif != nil:
				motif.draw(s.easel, pose{place: motif.stand(point{c.x, c.y + size*0.36}, size*0.72, (row+col)%2 == 0), light: &s.light, depth: 200, seed: s.seed, at: s.at, ghost: 1})
			case kind == 0:
				s.mandala(c, size*0.44, []rgb{a, b, tones[0]})
			case kind == 1:
				for i := range 4 {
					r := size * (0.5 - 0.12*float64(i))
					s.put(stroke{loops: [][]point{oval(c, r, r, 0)}, lit: tones[(i+row+col+64)%len(tones)], alpha: 1, depth: 120})
				}
			default:
				h := size * 0.5
				s.put(stroke{loops: [][]point{{{c.x, c.y - h}, {c.x + h, c.y}, {c.x, c.y + h}, {c.x - h, c.y}}}, lit: a, alpha: 1, depth: 120})
				s.put(stroke{loops: [][]point{{{c.x, c.y - h*0.5}, {c.x + h*0.5, c.y}, {c.x, c.y + h*0.5}, {c.x - h*0.5, c.y}}}, lit: b, alpha: 1, depth: 120})
			}
		}
	}
}

// geometry balances circles, bars and triangles, most of them see-through.
func (s *stage) geometry(tones []rgb) {
	d := s.dice("geometry")
	s.put(stroke{loops: [][]point{rectangle(0, 0, s.w, s.h)}, lit: tones[len(tones)-1].shifted(62), alpha: 1})
	for i := range 26 {
		c := point{d.in(0.08, 0.92) * s.w, d.in(0.08, 0.92) * s.h}
		r := s.u * d.in(0.03, 0.24) * (1.1 - float64(i)/40)
		tone := tones[d.upTo(len(tones))]
		st := stroke{depth: uint8(100 + i), lit: tone, alpha: d.in32(0.6, 0.98)}
		a := d.in(0, math.Pi)
		sn, cs := math.Sincos(a)
		switch d.upTo(5) {
		case 0:
			st.loops = [][]point{oval(c, r, r, 0)}
		case 1:
			st.loops = closedRibbon(oval(c, r, r, 0), r*0.18)
		case 2:
			st.loops = [][]point{{{c.x + cs*r, c.y + sn*r}, {c.x - sn*r, c.y + cs*r}, {c.x - cs*r, c.y - sn*r}}}
		case 3:
			long := r * 2.2
			st.loops = [][]point{ribbon([]point{{c.x - cs*long, c.y - sn*long}, {c.x + cs*long, c.y + sn*long}}, r*0.14, r*0.14)}
		case 4:
			st.loops = [][]point{moved(-c.x, -c.y).then(turned(a, point{})).then(moved(c.x, c.y)).all(rectangle(c.x-r*0.8, c.y-r*0.8, c.x+r*0.8, c.y+r*0.8))}
		}
		s.put(st)
	}
}

// logo is a badge with the other subject, or with the prompt's words, inside.
func (s *stage) logo(tones []rgb) {
	c, r := point{s.w / 2, s.h / 2}, s.u*0.40
	s.put(stroke{loops: [][]point{rectangle(0, 0, s.w, s.h)}, lit: ink("#f5f2ea"), alpha: 1})
	s.put(stroke{loops: [][]point{oval(c, r, r, 0)}, lit: tones[0], alpha: 1, depth: 100})
	s.put(stroke{loops: closedRibbon(oval(c, r*0.90, r*0.90, 0), r*0.03), lit: ink("#f5f2ea"), alpha: 1, depth: 100})
	for _, t := range s.scene.Subjects {
		if d := drawings()[t.Key]; d != nil {
			lit := s.light
			lit.flat = true
			d.draw(s.easel, pose{place: d.stand(point{c.x, c.y + r*0.55}, r*1.1, false), light: &lit, depth: 200, seed: s.seed, at: s.at, ghost: 1})
			return
		}
	}
	if len(s.scene.Text) > 0 {
		s.inscribe(s.scene.Text[0], box{c.x - r*0.75, c.y - r*0.4, c.x + r*0.75, c.y + r*0.4}, ink("#f5f2ea"), nil)
		s.scene.Text = s.scene.Text[1:]
		return
	}
	s.star(c, r*0.62, 5+s.dice("logo").upTo(4), tones[1%len(tones)])
}

func (s *stage) star(c point, r float64, n int, tone rgb) {
	loop := make([]point, 0, 2*n)
	for i := range 2 * n {
		q := r
		if i%2 == 1 {
			q = r * 0.46
		}
		sn, cs := math.Sincos(math.Pi*float64(i)/float64(n) - math.Pi/2)
		loop = append(loop, point{c.x + cs*q, c.y + sn*q})
	}
	s.put(s.body(loop, tone, 0, 200))
}

// swirl is pigment stirred into water.
func (s *stage) swirl(tones []rgb) {
	seed := uint32(s.dice("swirl").next())
	u, t := float32(s.u), float32(s.at)*0.2
	n := len(tones)
	s.wash(60, func(x, y float32) (rgb, float32) {
		px, py := x/u*1.6, y/u*1.6
		a := fractal(px+t, py, 4, seed)
		b := fractal(px+4*a, py+3*a-t, 4, seed+1)
		v := fractal(px+3*b, py+4*b, 4, seed+2)
		k := v * float32(n) * 1.6
		i := int(k)
		c := mix(tones[i%n], tones[(i+1)%n], smooth(0.2, 0.8, k-float32(i)))
		return c.scaled(0.75 + 0.5*b), 1
	})
}

// emblem stands for words that are not in the lexicon: each word becomes a ring of
// marks whose number and form come from its letters, around a bright core.
func (s *stage) emblem(tones []rgb) {
	c := point{s.w / 2, s.h / 2}
	s.halo(c, s.u*0.7, s.u*0.7, tones[0], 0.35, glow)
	unknown := s.scene.Unknown
	if len(unknown) == 0 {
		unknown = []string{"untitled"}
	}
	n := min(len(unknown), 6)
	for i := range n {
		word := unknown[i]
		d := newDice(hash(word), "ring")
		r := s.u * (0.42 - 0.30*float64(i)/float64(n))
		marks := 3 + len([]rune(word))%9
		tone := tones[i%len(tones)]
		s.put(stroke{loops: closedRibbon(oval(c, r, r, 0), s.u*0.004), lit: tone.shifted(15), alpha: 0.9, depth: 90})
		turn := d.in(0, math.Pi) + s.at*0.1*float64(1-2*(i%2))
		for k := range marks {
			sn, cs := math.Sincos(turn + 2*math.Pi*float64(k)/float64(marks))
			p := point{c.x + cs*r, c.y + sn*r}
			q := s.u * d.in(0.025, 0.05)
			switch d.upTo(3) {
			case 0:
				s.put(s.body(oval(p, q, q, 0), tone, 0, 120))
			case 1:
				s.star(p, q*1.2, 4, tone)
			case 2:
				s.put(s.body([]point{{p.x + cs*q*1.4, p.y + sn*q*1.4}, {p.x - sn*q, p.y + cs*q}, {p.x + sn*q, p.y - cs*q}}, tone, 0, 120))
			}
		}
	}
	d := newDice(hash(unknown...), "core")
	s.mandala(c, s.u*0.13, []rgb{tones[d.upTo(len(tones))], tones[1%len(tones)], tones[2%len(tones)]})
}
