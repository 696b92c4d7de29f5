package paint

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawAbstract draws pictures without a scene: mandalas, patterns, shapes, logos
// and the emblem that stands for words that are not in the lexicon.
func (s *renderer) drawAbstract() {
	kind := ""
	for _, t := range s.scene.Subjects {
		if m := lexicon.Words().Subject(t.Key); m.Attributes["kind"] == "abstract" && (kind == "" || kind == "geometry") {
			kind = m.Attributes["make"]
		}
	}
	tones := s.abstractPalette()
	s.drawPaper(tones)
	switch kind {
	case "mandala":
		s.drawMandala(vector.Point{X: s.w / 2, Y: s.h / 2}, s.u*0.47, tones)
	case "pattern":
		s.drawPattern(tones)
	case "geometry":
		s.drawGeometry(tones)
	case "logo":
		s.drawLogo(tones)
	case "swirl":
		s.drawSwirl(tones)
	default:
		if len(s.scene.Subjects) == 0 {
			s.drawEmblem(tones)
		}
	}
}

// abstractPalette returns the palette of an abstract picture: the colours of
// the prompt, or a harmony chosen by its words, so that the same words always
// have the same colours.
func (s *renderer) abstractPalette() []pixel.RGB {
	var out []pixel.RGB
	for _, t := range s.scene.Subjects {
		for _, c := range t.Colours {
			out = append(out, c.Tint())
		}
	}
	for _, c := range s.scene.Palette {
		out = append(out, c.Tint())
	}
	if len(out) > 0 {
		base := len(out)
		for i := 0; len(out) < 5; i++ {
			out = append(out, out[i%base].Shifted([]float32{38, -38, 60, -58}[i%4]))
		}
		return out
	}
	d := chance.New(chance.Hash(strings.Join(s.scene.Unknown, " "))^s.seed, "tones")
	hue := d.In32(0, 1)
	step := chance.Choose(d, float32(0.08), 0.33, 0.5, 0.42)
	for i := range 5 {
		out = append(out, pixel.FromHSL(hue+step*float32(i%3)+d.In32(-0.02, 0.02), d.In32(0.45, 0.8), []float32{0.45, 0.6, 0.3, 0.75, 0.52}[i]))
	}
	return out
}

func (s *renderer) drawPaper(tones []pixel.RGB) {
	a, b := tones[0].Shifted(-66), tones[len(tones)-1].Shifted(-72)
	if s.manner.plainGround || s.manner.flat {
		a, b = pixel.MustHex("#f4efe4"), pixel.MustHex("#f4efe4")
	}
	u := float32(s.u)
	seed := uint32(s.dice("ground").Next())
	s.Wash(1, func(x, y float32) (pixel.RGB, float32) {
		dx, dy := x/float32(s.w)-0.5, y/float32(s.h)-0.5
		return pixel.Mix(a, b, pixel.Unit(2.4*(dx*dx+dy*dy))).Scaled(0.94 + 0.12*chance.Fractal(x/u*5, y/u*5, 4, seed)), 1
	})
}

// drawMandala draws rings of petals, dots, arcs and points around a centre.
func (s *renderer) drawMandala(c vector.Point, r float64, tones []pixel.RGB) {
	d := s.dice("mandala")
	fold := chance.Choose(d, 8, 10, 12, 16)
	spin := s.at * 0.05
	s.Halo(c, r*1.25, r*1.25, tones[0], 0.25, vector.Glow)
	s.Add(s.shadedStroke(vector.Oval(c, r, r, 0), tones[0].Shifted(-45), 0, 120))
	rings := 8
	for ring := range rings {
		out := r * (1 - float64(ring)/float64(rings)*0.94)
		in := r * (1 - float64(ring+1)/float64(rings)*0.94)
		n := fold
		if ring < 3 {
			n = fold * 2
		}
		tone, edge := tones[ring%len(tones)], tones[(ring+1)%len(tones)]
		kind := d.UpTo(5)
		turn := spin * float64(1-2*(ring%2))
		if ring%2 == 1 {
			turn += math.Pi / float64(n)
		}
		for i := range n {
			a := 2*math.Pi*float64(i)/float64(n) + turn
			at := func(radius, off float64) vector.Point {
				sn, cs := math.Sincos(a + off)
				return vector.Point{X: c.X + cs*radius, Y: c.Y + sn*radius}
			}
			w := math.Pi / float64(n)
			var loop []vector.Point
			switch kind {
			case 0:
				loop = vector.Spline([]vector.Knot{{Point: at(in*0.92, 0), Sharp: true}, {Point: at((in+out)/2, w*0.8), Sharp: false}, {Point: at(out, 0), Sharp: true}, {Point: at((in+out)/2, -w*0.8), Sharp: false}}, true)
			case 1:
				loop = []vector.Point{at(in, -w*0.9), at(out, 0), at(in, w*0.9)}
			case 2:
				q := (out - in) * 0.42
				loop = vector.Oval(at((in+out)/2, 0), q, q, 0)
			case 3:
				loop = []vector.Point{at(in, 0), at((in+out)/2, w*0.7), at(out, 0), at((in+out)/2, -w*0.7)}
			case 4:
				loop = vector.Spline(vector.Knots([]vector.Point{at(in, -w*0.95), at(out*0.97, -w*0.5), at(out, 0), at(out*0.97, w*0.5), at(in, w*0.95), at(in*1.02, 0)}), true)
			}
			s.Add(s.shadedStroke(loop, tone, 0, 150))
			s.Add(vector.Stroke{Loops: vector.ClosedRibbon(loop, s.u*0.004), Lit: edge.Shifted(30), Alpha: 0.95, Depth: 150})
			inner := (out - in) * 0.13
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(at((in+out)/2, 0), inner, inner, 0)}, Lit: edge, Alpha: 1, Depth: 150})
		}
		s.Add(vector.Stroke{Loops: vector.ClosedRibbon(vector.Oval(c, out, out, 0), s.u*0.006), Lit: tones[(ring+1)%len(tones)].Shifted(20), Alpha: 1, Depth: 150})
	}
	s.Add(s.shadedStroke(vector.Oval(c, r*0.07, r*0.07, 0), tones[1%len(tones)], 0, 160))
}

// drawPattern repeats a motif over the whole canvas on a lattice.
func (s *renderer) drawPattern(tones []pixel.RGB) {
	d := s.dice("pattern")
	size := s.u / chance.Choose(d, 5.0, 6.0, 7.0)
	kind := d.UpTo(3)
	var motif *vector.Drawing
	for _, t := range s.scene.Subjects {
		if m := vector.Drawings()[t.Key]; m != nil {
			motif = m
		}
	}
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(0, 0, s.w, s.h)}, Lit: tones[len(tones)-1].Shifted(35), Alpha: 1})
	for row := -1; float64(row)*size < s.h+size; row++ {
		for col := -1; float64(col)*size < s.w+size; col++ {
			c := vector.Point{X: (float64(col) + 0.5*float64(row&1) + 0.5) * size, Y: (float64(row) + 0.5) * size}
			a, b := tones[(row+col+64)%len(tones)], tones[(row*2+col+67)%len(tones)]
			switch {
			case motif != nil:
				motif.Draw(s.Canvas, vector.Pose{Place: placeDrawing(motif, vector.Point{X: c.X, Y: c.Y + size*0.36}, size*0.72, (row+col)%2 == 0), Light: &s.light, Depth: 200, Seed: s.seed, Seconds: s.at, Opacity: 1})
			case kind == 0:
				s.drawMandala(c, size*0.44, []pixel.RGB{a, b, tones[0]})
			case kind == 1:
				for i := range 4 {
					r := size * (0.5 - 0.12*float64(i))
					s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(c, r, r, 0)}, Lit: tones[(i+row+col+64)%len(tones)], Alpha: 1, Depth: 120})
				}
			default:
				h := size * 0.5
				s.Add(vector.Stroke{Loops: [][]vector.Point{{{X: c.X, Y: c.Y - h}, {X: c.X + h, Y: c.Y}, {X: c.X, Y: c.Y + h}, {X: c.X - h, Y: c.Y}}}, Lit: a, Alpha: 1, Depth: 120})
				s.Add(vector.Stroke{Loops: [][]vector.Point{{{X: c.X, Y: c.Y - h*0.5}, {X: c.X + h*0.5, Y: c.Y}, {X: c.X, Y: c.Y + h*0.5}, {X: c.X - h*0.5, Y: c.Y}}}, Lit: b, Alpha: 1, Depth: 120})
			}
		}
	}
}

// drawGeometry draws circles, bars and triangles, most of them translucent.
func (s *renderer) drawGeometry(tones []pixel.RGB) {
	d := s.dice("geometry")
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(0, 0, s.w, s.h)}, Lit: tones[len(tones)-1].Shifted(62), Alpha: 1})
	for i := range 26 {
		c := vector.Point{X: d.In(0.08, 0.92) * s.w, Y: d.In(0.08, 0.92) * s.h}
		r := s.u * d.In(0.03, 0.24) * (1.1 - float64(i)/40)
		tone := tones[d.UpTo(len(tones))]
		st := vector.Stroke{Depth: uint8(100 + i), Lit: tone, Alpha: d.In32(0.6, 0.98)}
		a := d.In(0, math.Pi)
		sn, cs := math.Sincos(a)
		switch d.UpTo(5) {
		case 0:
			st.Loops = [][]vector.Point{vector.Oval(c, r, r, 0)}
		case 1:
			st.Loops = vector.ClosedRibbon(vector.Oval(c, r, r, 0), r*0.18)
		case 2:
			st.Loops = [][]vector.Point{{{X: c.X + cs*r, Y: c.Y + sn*r}, {X: c.X - sn*r, Y: c.Y + cs*r}, {X: c.X - cs*r, Y: c.Y - sn*r}}}
		case 3:
			long := r * 2.2
			st.Loops = [][]vector.Point{vector.Ribbon([]vector.Point{{X: c.X - cs*long, Y: c.Y - sn*long}, {X: c.X + cs*long, Y: c.Y + sn*long}}, r*0.14, r*0.14)}
		case 4:
			st.Loops = [][]vector.Point{vector.Moved(-c.X, -c.Y).Then(vector.Turned(a, vector.Point{})).Then(vector.Moved(c.X, c.Y)).All(vector.Rectangle(c.X-r*0.8, c.Y-r*0.8, c.X+r*0.8, c.Y+r*0.8))}
		}
		s.Add(st)
	}
}

// drawLogo draws a badge with the other subject, or with the prompt's words, inside.
func (s *renderer) drawLogo(tones []pixel.RGB) {
	c, r := vector.Point{X: s.w / 2, Y: s.h / 2}, s.u*0.40
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(0, 0, s.w, s.h)}, Lit: pixel.MustHex("#f5f2ea"), Alpha: 1})
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(c, r, r, 0)}, Lit: tones[0], Alpha: 1, Depth: 100})
	s.Add(vector.Stroke{Loops: vector.ClosedRibbon(vector.Oval(c, r*0.90, r*0.90, 0), r*0.03), Lit: pixel.MustHex("#f5f2ea"), Alpha: 1, Depth: 100})
	for _, t := range s.scene.Subjects {
		if d := vector.Drawings()[t.Key]; d != nil {
			lit := s.light
			lit.Flat = true
			d.Draw(s.Canvas, vector.Pose{Place: placeDrawing(d, vector.Point{X: c.X, Y: c.Y + r*0.55}, r*1.1, false), Light: &lit, Depth: 200, Seed: s.seed, Seconds: s.at, Opacity: 1})
			return
		}
	}
	if len(s.scene.Text) > 0 {
		s.drawLetters(s.scene.Text[0], vector.Box{X0: c.X - r*0.75, Y0: c.Y - r*0.4, X1: c.X + r*0.75, Y1: c.Y + r*0.4}, pixel.MustHex("#f5f2ea"), nil)
		s.scene.Text = s.scene.Text[1:]
		return
	}
	s.drawStar(c, r*0.62, 5+s.dice("logo").UpTo(4), tones[1%len(tones)])
}

func (s *renderer) drawStar(c vector.Point, r float64, n int, tone pixel.RGB) {
	loop := make([]vector.Point, 0, 2*n)
	for i := range 2 * n {
		q := r
		if i%2 == 1 {
			q = r * 0.46
		}
		sn, cs := math.Sincos(math.Pi*float64(i)/float64(n) - math.Pi/2)
		loop = append(loop, vector.Point{X: c.X + cs*q, Y: c.Y + sn*q})
	}
	s.Add(s.shadedStroke(loop, tone, 0, 200))
}

// drawSwirl draws pigment stirred into water.
func (s *renderer) drawSwirl(tones []pixel.RGB) {
	seed := uint32(s.dice("swirl").Next())
	u, t := float32(s.u), float32(s.at)*0.2
	n := len(tones)
	s.Wash(60, func(x, y float32) (pixel.RGB, float32) {
		px, py := x/u*1.6, y/u*1.6
		a := chance.Fractal(px+t, py, 4, seed)
		b := chance.Fractal(px+4*a, py+3*a-t, 4, seed+1)
		v := chance.Fractal(px+3*b, py+4*b, 4, seed+2)
		k := v * float32(n) * 1.6
		i := int(k)
		c := pixel.Mix(tones[i%n], tones[(i+1)%n], pixel.Smooth(0.2, 0.8, k-float32(i)))
		return c.Scaled(0.75 + 0.5*b), 1
	})
}

// drawEmblem draws unknown words: each word becomes a ring of marks whose
// number and form depend on its letters, around a bright core.
func (s *renderer) drawEmblem(tones []pixel.RGB) {
	c := vector.Point{X: s.w / 2, Y: s.h / 2}
	s.Halo(c, s.u*0.7, s.u*0.7, tones[0], 0.35, vector.Glow)
	unknown := s.scene.Unknown
	if len(unknown) == 0 {
		unknown = []string{"untitled"}
	}
	n := min(len(unknown), 6)
	for i := range n {
		word := unknown[i]
		d := chance.New(chance.Hash(word), "ring")
		r := s.u * (0.42 - 0.30*float64(i)/float64(n))
		marks := 3 + len([]rune(word))%9
		tone := tones[i%len(tones)]
		s.Add(vector.Stroke{Loops: vector.ClosedRibbon(vector.Oval(c, r, r, 0), s.u*0.004), Lit: tone.Shifted(15), Alpha: 0.9, Depth: 90})
		turn := d.In(0, math.Pi) + s.at*0.1*float64(1-2*(i%2))
		for k := range marks {
			sn, cs := math.Sincos(turn + 2*math.Pi*float64(k)/float64(marks))
			p := vector.Point{X: c.X + cs*r, Y: c.Y + sn*r}
			q := s.u * d.In(0.025, 0.05)
			switch d.UpTo(3) {
			case 0:
				s.Add(s.shadedStroke(vector.Oval(p, q, q, 0), tone, 0, 120))
			case 1:
				s.drawStar(p, q*1.2, 4, tone)
			case 2:
				s.Add(s.shadedStroke([]vector.Point{{X: p.X + cs*q*1.4, Y: p.Y + sn*q*1.4}, {X: p.X - sn*q, Y: p.Y + cs*q}, {X: p.X + sn*q, Y: p.Y - cs*q}}, tone, 0, 120))
			}
		}
	}
	d := chance.New(chance.Hash(unknown...), "core")
	s.drawMandala(c, s.u*0.13, []pixel.RGB{tones[d.UpTo(len(tones))], tones[1%len(tones)], tones[2%len(tones)]})
}
