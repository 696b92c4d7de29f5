package picture

import "math"

// point is a place on the canvas, in pixels once it has been transformed and
// in the hundred-by-hundred box of a drawing before that.
type point struct{ x, y float64 }

func (p point) add(q point) point         { return point{p.x + q.x, p.y + q.y} }
func (p point) sub(q point) point         { return point{p.x - q.x, p.y - q.y} }
func (p point) times(k float64) point     { return point{p.x * k, p.y * k} }
func (p point) length() float64           { return math.Hypot(p.x, p.y) }
func between(p, q point, t float64) point { return p.add(q.sub(p).times(t)) }

// affine maps a point to (a x + c y + e, b x + d y + f).
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) apply(p point) point {
	return point{m.a*p.x + m.c*p.y + m.e, m.b*p.x + m.d*p.y + m.f}
}

// then answers the map that does m first and n after it.
func (m affine) then(n affine) affine {
	return affine{
		n.a*m.a + n.c*m.b, n.b*m.a + n.d*m.b,
		n.a*m.c + n.c*m.d, n.b*m.c + n.d*m.d,
		n.a*m.e + n.c*m.f + n.e, n.b*m.e + n.d*m.f + n.f,
	}
}

func moved(x, y float64) affine  { return affine{1, 0, 0, 1, x, y} }
func scaled(x, y float64) affine { return affine{a: x, d: y} }

func turned(angle float64, about point) affine {
	s, c := math.Sincos(angle)
	return moved(-about.x, -about.y).then(affine{c, s, -s, c, 0, 0}).then(moved(about.x, about.y))
}

// scale is how much longer a line becomes, on average over its directions.
func (m affine) scale() float64 { return math.Sqrt(math.Abs(m.a*m.d - m.b*m.c)) }

func (m affine) all(ps []point) []point {
	out := make([]point, len(ps))
	for i, p := range ps {
		out[i] = m.apply(p)
	}
	return out
}

// box is a rectangle of pixels, its far edges excluded.
type box struct{ x0, y0, x1, y1 float64 }

func boxOf(loops [][]point) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, l := range loops {
		for _, p := range l {
			b.x0, b.y0 = min(b.x0, p.x), min(b.y0, p.y)
			b.x1, b.y1 = max(b.x1, p.x), max(b.y1, p.y)
		}
	}
	return b
}

func (b box) width() float64  { return b.x1 - b.x0 }
func (b box) height() float64 { return b.y1 - b.y0 }

// knot is a point of a spline; a sharp one has no tangent, so the curve turns a
// corner there.
type knot struct {
	point
	sharp bool
}

// spline samples a Catmull-Rom curve through the knots. The number of samples
// follows the length on the canvas, so that a large subject stays smooth and a
// small one stays cheap.
func spline(ks []knot, closed bool) []point {
	n := len(ks)
	if n < 3 && !closed || n < 2 {
		out := make([]point, n)
		for i, k := range ks {
			out[i] = k.point
		}
		return out
	}
	at := func(i int) knot {
		if closed {
			return ks[(i+n)%n]
		}
		return ks[min(max(i, 0), n-1)]
	}
	segments := n
	if !closed {
		segments--
	}
	out := make([]point, 0, segments*8)
	for i := range segments {
		p0, p1, p2, p3 := at(i-1), at(i), at(i+1), at(i+2)
		span := p2.sub(p1.point).length()
		t1, t2 := p2.sub(p0.point), p3.sub(p1.point)
		// A tangent longer than its segment makes loops between uneven knots.
		t1, t2 = shorten(t1.times(0.5), span), shorten(t2.times(0.5), span)
		if p1.sharp {
			t1 = p2.sub(p1.point).times(0.5)
		}
		if p2.sharp {
			t2 = p2.sub(p1.point).times(0.5)
		}
		steps := int(min(max(span/3, 3), 20))
		if p1.sharp && p2.sharp {
			steps = 1
		}
		for s := range steps {
			t := float64(s) / float64(steps)
			a, b := t*t*(3-2*t), t*t
			c := b*t - 2*b + t
			d := b*t - b
			out = append(out, point{
				p1.x + (p2.x-p1.x)*a + t1.x*c + t2.x*d,
				p1.y + (p2.y-p1.y)*a + t1.y*c + t2.y*d,
			})
		}
	}
	if !closed {
		out = append(out, ks[n-1].point)
	}
	return out
}

func shorten(v point, limit float64) point {
	if l := v.length(); l > limit && l > 0 {
		return v.times(limit / l)
	}
	return v
}

// knots makes a smooth spline of plain points.
func knots(ps []point) []knot {
	out := make([]knot, len(ps))
	for i, p := range ps {
		out[i].point = p
	}
	return out
}

// ribbon is the outline of a stroke along the line whose width runs from w0 at
// its start to w1 at its end, with round ends.
func ribbon(line []point, w0, w1 float64) []point {
	n := len(line)
	if n < 2 {
		if n == 1 {
			return oval(line[0], w0/2, w0/2, 0)
		}
		return nil
	}
	left, right := make([]point, 0, n+8), make([]point, 0, n+8)
	var ahead point
	for i, p := range line {
		d := line[min(i+1, n-1)].sub(line[max(i-1, 0)])
		if l := d.length(); l > 1e-9 {
			ahead = d.times(1 / l)
		}
		w := (w0 + (w1-w0)*float64(i)/float64(n-1)) / 2
		side := point{-ahead.y * w, ahead.x * w}
		left, right = append(left, p.add(side)), append(right, p.sub(side))
		if i == n-1 {
			left = append(left, roundEnd(p, ahead, w)...)
		}
	}
	for i := n - 1; i >= 0; i-- {
		left = append(left, right[i])
	}
	d := line[0].sub(line[1])
	if l := d.length(); l > 1e-9 {
		left = append(left, roundEnd(line[0], d.times(1/l), w0/2)...)
	}
	return left
}

// roundEnd is the half circle that closes a stroke at p when it runs in direction d.
func roundEnd(p, d point, r float64) []point {
	steps := int(min(max(r, 2), 10))
	out := make([]point, 0, steps)
	for i := 1; i < steps; i++ {
		s, c := math.Sincos(math.Pi/2 - math.Pi*float64(i)/float64(steps))
		out = append(out, point{p.x + r*(d.x*c-d.y*s), p.y + r*(d.y*c+d.x*s)})
	}
	return out
}

func oval(c point, rx, ry, angle float64) []point {
	steps := int(min(max((rx+ry)*0.9, 12), 96))
	sn, cs := math.Sincos(angle)
	out := make([]point, steps)
	for i := range out {
		s, k := math.Sincos(2 * math.Pi * float64(i) / float64(steps))
		x, y := k*rx, s*ry
		out[i] = point{c.x + x*cs - y*sn, c.y + x*sn + y*cs}
	}
	return out
}

func rectangle(x0, y0, x1, y1 float64) []point {
	return []point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

// rounded is a rectangle with corners of radius r.
func rounded(x0, y0, x1, y1, r float64) []point {
	r = min(r, math.Abs(x1-x0)/2, math.Abs(y1-y0)/2)
	if r <= 0 {
		return rectangle(x0, y0, x1, y1)
	}
	out := make([]point, 0, 24)
	for q, c := range []point{{x1 - r, y1 - r}, {x0 + r, y1 - r}, {x0 + r, y0 + r}, {x1 - r, y0 + r}} {
		for i := range 6 {
			s, k := math.Sincos(math.Pi / 2 * (float64(q) + float64(i)/5))
			out = append(out, point{c.x + k*r, c.y + s*r})
		}
	}
	return out
}

// reversed turns a loop into a hole of the loops it is filled with.
func reversed(ps []point) []point {
	out := make([]point, len(ps))
	for i, p := range ps {
		out[len(ps)-1-i] = p
	}
	return out
}
