package vector

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Light is the light of a scene: its direction, the colours of light and shade,
// and the haze of the distance.
type Light struct {
	From     [3]float32
	Lit, Dim pixel.RGB
	Haze     pixel.RGB
	Night    float32 // 0 in daylight, 1 in the dark
	Flat     bool
	Cel      bool
	Outline  float64 // pixels for a subject of the canvas's size; 0 for none
	Line     pixel.RGB
	Texture  float32
	Lamp     pixel.RGB // the colour of lit windows
}

// Tones returns the lit and the shaded colour of a surface.
func (l *Light) Tones(c pixel.RGB, far float32) (lit, dim pixel.RGB) {
	lit, dim = c.Times(l.Lit), c.Times(l.Dim)
	if l.Flat {
		dim = pixel.Mix(lit, dim, 0.12)
	}
	if far > 0 {
		lit, dim = pixel.Mix(lit, l.Haze, far), pixel.Mix(dim, l.Haze, far)
	}
	return lit, dim
}

// Pose is one appearance of a drawing in a scene.
type Pose struct {
	Place   Affine // from the drawing's box to the canvas
	Colours map[string]pixel.RGB
	Light   *Light
	Far     float32 // how much haze lies over it, from 0 to 1
	Depth   uint8
	Seed    uint64
	Seconds float64 // seconds
	Opacity float32 // 1 is opaque
}

// Draw draws on the canvas. What lies outside is clipped.
func (d *Drawing) Draw(e *Canvas, p Pose) {
	k := p.Place.Scale()
	rolled := chance.New(p.Seed, "picks", d.name)
	picked := map[string]int{}
	for _, name := range lexicon.SortedKeys(d.picks) {
		picked[name] = rolled.UpTo(d.picks[name])
	}
	angles := map[string]Affine{}
	for _, name := range lexicon.SortedKeys(d.joints) {
		j := d.joints[name]
		roll := chance.New(p.Seed, "joint", name)
		phase := roll.In(0, 2*math.Pi)
		degrees := roll.Around(j.pose) + j.swing*math.Sin(2*math.Pi*0.6*p.Seconds+phase)*min(p.Seconds*4, 1)
		angles[name] = Turned(degrees*math.Pi/180, j.pivot)
	}
	tones := d.Palette(p.Colours, p.Light)
	origin := p.Place.Apply(Point{})
	var first, rest []Stroke
	for i := range d.parts {
		part := &d.parts[i]
		if part.pick != "" && picked[part.pick] != part.value {
			continue
		}
		m := p.Place
		if turn, ok := angles[part.joint]; ok {
			m = turn.Then(p.Place)
		}
		for n := range part.times {
			step := Moved(part.step.X*float64(n), part.step.Y*float64(n))
			for side := range 2 {
				own := step.Then(m)
				if side == 1 {
					if !part.mirror {
						break
					}
					own = step.Then(Affine{-1, 0, 0, 1, 100, 0}).Then(m)
				}
				a, b := part.strokes(own, k, tones, &p, origin)
				first, rest = append(first, a...), append(rest, b...)
			}
		}
	}
	for _, s := range first {
		e.Add(s)
	}
	for _, s := range rest {
		e.Add(s)
	}
}

// Palette resolves the colours of a drawing; asked has precedence.
func (d *Drawing) Palette(asked map[string]pixel.RGB, l *Light) map[string]pixel.RGB {
	out := map[string]pixel.RGB{}
	for _, c := range d.Colours {
		if v, ok := asked[c.Name]; ok {
			out[c.Name] = v
			continue
		}
		out[c.Name] = resolve(c.Tone, out)
	}
	out["lit"] = pixel.Mix(pixel.RGB{R: 0.30, G: 0.40, B: 0.52}, l.Lamp, l.Night)
	out["black"], out["white"] = pixel.RGB{R: 0.07, G: 0.06, B: 0.09}, pixel.RGB{R: 0.97, G: 0.96, B: 0.94}
	return out
}

func resolve(t Tone, from map[string]pixel.RGB) pixel.RGB {
	c := t.Value
	if t.Name != "" {
		c = from[t.Name]
	}
	return c.Shifted(t.shift)
}

// strokes makes the strokes of a part: those under the whole subject (its
// outline) and its own.
func (t *part) strokes(m Affine, k float64, tones map[string]pixel.RGB, p *Pose, origin Point) (under, own []Stroke) {
	if t.verb == "light" {
		return nil, t.lamp(m, k, tones, p)
	}
	if t.verb == "eye" {
		return t.eye(m, k, tones, p)
	}
	loops := t.outline(m, k)
	l := p.Light
	c := resolve(t.tone, tones)
	s := Stroke{Loops: loops, Depth: p.Depth, Shading: Round, Alpha: t.alpha * p.Opacity, Light: l.From, Cel: l.Cel}
	s.Lit, s.Dim = l.Tones(c, p.Far)
	shines := t.tone.Name == "lit"
	if shines {
		s.Lit = pixel.Mix(s.Lit, c, l.Night*(1-p.Far))
	}
	if t.flat || l.Flat || shines {
		s.Shading = Plain
	} else if l.Texture > 0 {
		s.Grain = Grain{t.grain, 0.5 * l.Texture, float32(max(k, 0.05)), float32(origin.X), float32(origin.Y), uint32(p.Seed)}
	}
	own = append(own, s)
	if l.Outline > 0 && t.alpha > 0.9 {
		w := l.Outline * min(k/3, 1.6)
		for _, loop := range loops {
			rim := ClosedRibbon(loop, 2*w)
			under = append(under, Stroke{Loops: rim, Depth: p.Depth, Lit: pixel.Mix(l.Line, l.Haze, p.Far), Alpha: p.Opacity})
			if !t.flat {
				own = append(own, Stroke{Loops: ClosedRibbon(loop, 0.55*w), Depth: p.Depth, Lit: pixel.Mix(s.Dim, l.Line, 0.7), Alpha: 0.8 * p.Opacity})
			}
		}
	}
	return under, own
}

// ClosedRibbon returns the outline of a stroke around a loop.
func ClosedRibbon(loop []Point, w float64) [][]Point {
	n := len(loop)
	outer, inner := make([]Point, 0, n), make([]Point, 0, n)
	for i, p := range loop {
		d := loop[(i+1)%n].Sub(loop[(i+n-1)%n])
		l := d.length()
		if l < 1e-9 {
			continue
		}
		side := Point{-d.Y / l * w / 2, d.X / l * w / 2}
		outer, inner = append(outer, p.Add(side)), append(inner, p.Sub(side))
	}
	return [][]Point{outer, Reversed(inner)}
}

// outline returns the shape of a part on the canvas.
func (t *part) outline(m Affine, k float64) [][]Point {
	on := make([]Knot, len(t.knots))
	for i, q := range t.knots {
		on[i] = Knot{m.Apply(q.Point), q.Sharp}
	}
	num := func(i int) float64 {
		if i < len(t.nums) {
			return t.nums[i]
		}
		return 0
	}
	centre := Point{num(0), num(1)}
	switch t.verb {
	case "blob", "poly":
		return [][]Point{Spline(on, true)}
	case "limb", "curve", "line":
		return [][]Point{Ribbon(Spline(on, false), num(0)*k, num(1)*k)}
	case "oval":
		// The oval is made in the drawing's box: a flip must turn its tilt too.
		return [][]Point{m.All(scaledOval(centre, num(2), num(3), num(4)*math.Pi/180, k))}
	case "box":
		return [][]Point{m.All(Rounded(num(0), num(1), num(0)+num(2), num(1)+num(3), num(4)))}
	case "ring":
		r, w := num(2), num(3)
		return [][]Point{m.All(scaledOval(centre, r+w/2, r+w/2, 0, k)), Reversed(m.All(scaledOval(centre, r-w/2, r-w/2, 0, k)))}
	case "petals":
		n := max(int(num(2)), 1)
		in, out, w := num(3), num(4), num(5)
		var loops [][]Point
		for i := range n {
			a := 2*math.Pi*float64(i)/float64(n) + num(6)*math.Pi/180
			s, c := math.Sincos(a)
			mid := Point{centre.X + c*(in+out)/2, centre.Y + s*(in+out)/2}
			loops = append(loops, m.All(scaledOval(mid, (out-in)/2, w/2, a, k)))
		}
		return loops
	}
	return nil
}

// scaledOval has as many points as an oval k times as large needs.
func scaledOval(c Point, rx, ry, angle, k float64) []Point {
	big := Oval(Point{}, rx*k, ry*k, angle)
	for i, p := range big {
		big[i] = Point{c.X + p.X/k, c.Y + p.Y/k}
	}
	return big
}

// eye returns an iris with a pupil and a highlight.
func (t *part) eye(m Affine, k float64, tones map[string]pixel.RGB, p *Pose) (under, own []Stroke) {
	c := m.Apply(Point{t.nums[0], t.nums[1]})
	r := t.nums[2] * k
	lit, dim := p.Light.Tones(resolve(t.tone, tones), p.Far)
	dark := pixel.Mix(pixel.RGB{R: 0.05, G: 0.04, B: 0.06}, p.Light.Haze, p.Far)
	round := func(c Point, r float64, tone pixel.RGB) {
		own = append(own, Stroke{Loops: [][]Point{Oval(c, r, r, 0)}, Depth: p.Depth, Lit: tone, Alpha: p.Opacity})
	}
	round(c, r*1.18, pixel.Mix(dark, dim, 0.15))
	round(c, r, pixel.Mix(lit, dim, 0.2))
	round(c, r*0.6, dark)
	round(Point{c.X - r*0.32, c.Y - r*0.36}, r*0.3, pixel.Mix(pixel.RGB{R: 1, G: 1, B: 1}, p.Light.Haze, p.Far))
	return nil, own
}

// lamp returns a light that shows only in the dark.
func (t *part) lamp(m Affine, k float64, tones map[string]pixel.RGB, p *Pose) []Stroke {
	c := m.Apply(Point{t.nums[0], t.nums[1]})
	r := t.nums[2] * k
	var e Canvas
	e.Width, e.Height = math.MaxInt32, math.MaxInt32
	strength := (0.15 + 0.6*p.Light.Night) * p.Opacity * t.alpha
	e.Halo(c, r, r, resolve(t.tone, tones), strength, Glow)
	return e.strokes
}
