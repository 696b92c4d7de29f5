package vector

import "math"

// Point is a place on the canvas, in pixels once it has been transformed and
// in the hundred-by-hundred box of a drawing before that.
type Point struct{ X, Y float64 }

// Add returns the sum.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Sub returns the difference.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Times returns a multiple.
func (p Point) Times(k float64) Point { return Point{p.X * k, p.Y * k} }

func (p Point) length() float64 { return math.Hypot(p.X, p.Y) }

// Between returns a point on the line from one to the other.
func Between(p, q Point, t float64) Point { return p.Add(q.Sub(p).Times(t)) }

// Affine maps a point to (a x + c y + e, b x + d y + f).
type Affine struct{ a, b, c, d, e, f float64 }

// Apply transforms a point.
func (m Affine) Apply(p Point) Point {
	return Point{m.a*p.X + m.c*p.Y + m.e, m.b*p.X + m.d*p.Y + m.f}
}

// Then returns the map that does m first and n after it.
func (m Affine) Then(n Affine) Affine {
	return Affine{
		n.a*m.a + n.c*m.b, n.b*m.a + n.d*m.b,
		n.a*m.c + n.c*m.d, n.b*m.c + n.d*m.d,
		n.a*m.e + n.c*m.f + n.e, n.b*m.e + n.d*m.f + n.f,
	}
}

// Moved returns a translation.
func Moved(x, y float64) Affine { return Affine{1, 0, 0, 1, x, y} }

// Scaled stretches both axes.
func Scaled(x, y float64) Affine { return Affine{a: x, d: y} }

// Turned returns a rotation about a point.
func Turned(angle float64, about Point) Affine {
	s, c := math.Sincos(angle)
	return Moved(-about.X, -about.Y).Then(Affine{c, s, -s, c, 0, 0}).Then(Moved(about.X, about.Y))
}

// Scale returns how much longer a line becomes, on average over its directions.
func (m Affine) Scale() float64 { return math.Sqrt(math.Abs(m.a*m.d - m.b*m.c)) }

// All transforms points.
func (m Affine) All(ps []Point) []Point {
	out := make([]Point, len(ps))
	for i, p := range ps {
		out[i] = m.Apply(p)
	}
	return out
}

// Box is a rectangle of pixels, its far edges excluded.
type Box struct{ X0, Y0, X1, Y1 float64 }

// BoxOf returns the box around outlines.
func BoxOf(loops [][]Point) Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, l := range loops {
		for _, p := range l {
			b.X0, b.Y0 = min(b.X0, p.X), min(b.Y0, p.Y)
			b.X1, b.Y1 = max(b.X1, p.X), max(b.Y1, p.Y)
		}
	}
	return b
}

// Width returns the width of the box.
func (b Box) Width() float64 { return b.X1 - b.X0 }

// Height returns the height of the box.
func (b Box) Height() float64 { return b.Y1 - b.Y0 }

// Knot is a point of a spline; a sharp one has no tangent, so the curve turns a
// corner there.
type Knot struct {
	Point
	Sharp bool
}

// Spline samples a Catmull-Rom curve through the knots. The number of samples
// follows the length on the canvas, so that a large subject stays smooth and a
// small one stays cheap.
func Spline(ks []Knot, closed bool) []Point {
	n := len(ks)
	if n < 3 && !closed || n < 2 {
		out := make([]Point, n)
		for i, k := range ks {
			out[i] = k.Point
		}
		return out
	}
	at := func(i int) Knot {
		if closed {
			return ks[(i+n)%n]
		}
		return ks[min(max(i, 0), n-1)]
	}
	segments := n
	if !closed {
		segments--
	}
	out := make([]Point, 0, segments*8)
	for i := range segments {
		p0, p1, p2, p3 := at(i-1), at(i), at(i+1), at(i+2)
		span := p2.Sub(p1.Point).length()
		t1, t2 := p2.Sub(p0.Point), p3.Sub(p1.Point)
		// A tangent longer than its segment makes loops between uneven knots.
		t1, t2 = shorten(t1.Times(0.5), span), shorten(t2.Times(0.5), span)
		if p1.Sharp {
			t1 = p2.Sub(p1.Point).Times(0.5)
		}
		if p2.Sharp {
			t2 = p2.Sub(p1.Point).Times(0.5)
		}
		steps := int(min(max(span/3, 3), 20))
		if p1.Sharp && p2.Sharp {
			steps = 1
		}
		for s := range steps {
			t := float64(s) / float64(steps)
			a, b := t*t*(3-2*t), t*t
			c := b*t - 2*b + t
			d := b*t - b
			out = append(out, Point{
				p1.X + (p2.X-p1.X)*a + t1.X*c + t2.X*d,
				p1.Y + (p2.Y-p1.Y)*a + t1.Y*c + t2.Y*d,
			})
		}
	}
	if !closed {
		out = append(out, ks[n-1].Point)
	}
	return out
}

func shorten(v Point, limit float64) Point {
	if l := v.length(); l > limit && l > 0 {
		return v.Times(limit / l)
	}
	return v
}

// Knots makes a smooth spline of plain points.
func Knots(ps []Point) []Knot {
	out := make([]Knot, len(ps))
	for i, p := range ps {
		out[i].Point = p
	}
	return out
}

// Ribbon returns the outline of a stroke along the line whose width runs from w0 at
// its start to w1 at its end, with round ends.
func Ribbon(line []Point, w0, w1 float64) []Point {
	n := len(line)
	if n < 2 {
		if n == 1 {
			return Oval(line[0], w0/2, w0/2, 0)
		}
		return nil
	}
	left, right := make([]Point, 0, n+8), make([]Point, 0, n+8)
	var ahead Point
	for i, p := range line {
		d := line[min(i+1, n-1)].Sub(line[max(i-1, 0)])
		if l := d.length(); l > 1e-9 {
			ahead = d.Times(1 / l)
		}
		w := (w0 + (w1-w0)*float64(i)/float64(n-1)) / 2
		side := Point{-ahead.Y * w, ahead.X * w}
		left, right = append(left, p.Add(side)), append(right, p.Sub(side))
		if i == n-1 {
			left = append(left, roundEnd(p, ahead, w)...)
		}
	}
	for i := n - 1; i >= 0; i-- {
		left = append(left, right[i])
	}
	d := line[0].Sub(line[1])
	if l := d.length(); l > 1e-9 {
		left = append(left, roundEnd(line[0], d.Times(1/l), w0/2)...)
	}
	return left
}

// roundEnd returns the half circle that closes a stroke at p when it runs in direction d.
func roundEnd(p, d Point, r float64) []Point {
	steps := int(min(max(r, 2), 10))
	out := make([]Point, 0, steps)
	for i := 1; i < steps; i++ {
		s, c := math.Sincos(math.Pi/2 - math.Pi*float64(i)/float64(steps))
		out = append(out, Point{p.X + r*(d.X*c-d.Y*s), p.Y + r*(d.Y*c+d.X*s)})
	}
	return out
}

// Oval returns the outline of an ellipse.
func Oval(c Point, rx, ry, angle float64) []Point {
	steps := int(min(max((rx+ry)*0.9, 12), 96))
	sn, cs := math.Sincos(angle)
	out := make([]Point, steps)
	for i := range out {
		s, k := math.Sincos(2 * math.Pi * float64(i) / float64(steps))
		x, y := k*rx, s*ry
		out[i] = Point{c.X + x*cs - y*sn, c.Y + x*sn + y*cs}
	}
	return out
}

// Rectangle returns the outline of a rectangle.
func Rectangle(x0, y0, x1, y1 float64) []Point {
	return []Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

// Rounded returns a rectangle with corners of radius r.
func Rounded(x0, y0, x1, y1, r float64) []Point {
	r = min(r, math.Abs(x1-x0)/2, math.Abs(y1-y0)/2)
	if r <= 0 {
		return Rectangle(x0, y0, x1, y1)
	}
	out := make([]Point, 0, 24)
	for q, c := range []Point{{x1 - r, y1 - r}, {x0 + r, y1 - r}, {x0 + r, y0 + r}, {x1 - r, y0 + r}} {
		for i := range 6 {
			s, k := math.Sincos(math.Pi / 2 * (float64(q) + float64(i)/5))
			out = append(out, Point{c.X + k*r, c.Y + s*r})
		}
	}
	return out
}

// Reversed turns a loop into a hole of the loops it is filled with.
func Reversed(ps []Point) []Point {
	out := make([]Point, len(ps))
	for i, p := range ps {
		out[len(ps)-1-i] = p
	}
	return out
}
