package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// leafTone returns the colour of leaves in this season, varied by chance.
func (s *renderer) leafTone(d *chance.Dice) pixel.RGB {
	switch {
	case s.scene.Season == "autumn":
		return chance.Choose(d, pixel.MustHex("#d8742a"), pixel.MustHex("#c8452a"), pixel.MustHex("#e0a83a"), pixel.MustHex("#b8602c"))
	case s.scene.Season == "spring":
		return chance.Choose(d, pixel.MustHex("#f0a8c0"), pixel.MustHex("#f4bccb"), pixel.MustHex("#e88fb0"))
	}
	return chance.Choose(d, pixel.MustHex("#4f8a3a"), pixel.MustHex("#5f9a42"), pixel.MustHex("#427a38"), pixel.MustHex("#6fa04a"))
}

// drawTree draws a trunk with branches and a crown of leaf clusters, each
// shaded separately so that the crown has volume.
func (s *renderer) drawTree(base vector.Point, height float64, far float32, depth uint8, seed uint64, asked ...pixel.RGB) {
	d := chance.New(seed, "tree")
	leaf := s.leafTone(d)
	if len(asked) > 0 {
		leaf = asked[0]
	}
	bark := pixel.MustHex("#5f4430")
	sway := math.Sin(s.at*1.3+d.In(0, 6)) * height * 0.008
	lean := d.Around(0.05) * height
	fork := vector.Point{X: base.X + lean*0.6, Y: base.Y - height*0.42}
	crown := vector.Point{X: base.X + lean + sway, Y: base.Y - height*0.66}
	trunk := vector.Spline(vector.Knots([]vector.Point{base, {X: base.X + lean*0.2, Y: base.Y - height*0.2}, fork, {X: crown.X, Y: crown.Y}}), false)
	wood := s.shadedStroke(vector.Ribbon(trunk, height*0.085, height*0.03), bark, far, depth)
	wood.Grain = s.barkGrain(height, base)
	s.Add(wood)
	for range 4 {
		tip := vector.Point{X: crown.X + d.Around(0.26)*height, Y: crown.Y + d.In(-0.12, 0.12)*height}
		branch := vector.Spline(vector.Knots([]vector.Point{fork, {X: (fork.X+tip.X)/2 + d.Around(0.03)*height, Y: (fork.Y + tip.Y) / 2}, tip}), false)
		s.Add(s.shadedStroke(vector.Ribbon(branch, height*0.035, height*0.012), bark, far, depth))
	}
	clusters := 26
	if height < s.u*0.2 {
		clusters = 12
	}
	if s.snow && len(asked) == 0 && s.scene.Season == "" {
		leaf = pixel.Mix(leaf, pixel.MustHex("#e6eef6"), 0.55)
	}
	for i := range clusters {
		t := float64(i) / float64(clusters)
		// Back and low clusters first and darker, the lit top last.
		a := d.In(0, 2*math.Pi)
		q := math.Sqrt(d.Unit())
		p := vector.Point{X: crown.X + math.Cos(a)*q*height*0.29 + sway, Y: crown.Y + math.Sin(a)*q*height*0.23 + (0.5-t)*height*0.16}
		r := height * d.In(0.085, 0.15)
		c := leaf.Shifted(float32(-26 + 40*t)).Turned(d.In32(-0.015, 0.015))
		st := s.shadedStroke(lumpyOutline(p, r, d), c, far, depth)
		st.Dim = pixel.Mix(st.Dim, st.Lit, 0.25)
		if s.light.Texture > 0.1 && !s.light.Flat {
			st.Grain = vector.Grain{Kind: vector.Leafy, Strength: 0.8 * min(s.light.Texture, 1), Unit: float32(max(height*0.014, 0.6)), X: float32(base.X), Y: float32(base.Y), Seed: uint32(seed)}
		}
		s.Add(st)
		if height > s.u*0.16 && !s.light.Flat {
			s.drawLeaves(p, r, st.Lit, st.Dim, depth, d)
		}
	}
}

// drawLeaves breaks the smooth edge of a cluster: light ones on its lit side,
// dark ones below.
func (s *renderer) drawLeaves(p vector.Point, r float64, lit, dim pixel.RGB, depth uint8, d *chance.Dice) {
	for range 13 {
		a := d.In(0, 2*math.Pi)
		q := r * d.In(0.55, 1.12)
		sn, cs := math.Sincos(a)
		bright := pixel.Unit(0.5 + 0.5*float32(cs)*s.light.From[0] - 0.5*float32(sn))
		size := r * d.In(0.10, 0.20)
		at := vector.Point{X: p.X + cs*q*1.08, Y: p.Y + sn*q*0.9}
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(at, size, size*0.55, d.In(0, math.Pi))}, Lit: pixel.Mix(dim, lit.Shifted(10), bright), Alpha: 1, Depth: depth})
	}
}

func (s *renderer) barkGrain(height float64, base vector.Point) vector.Grain {
	if s.light.Texture <= 0.1 || s.light.Flat {
		return vector.Grain{}
	}
	return vector.Grain{Kind: vector.Fur, Strength: 0.5, Unit: float32(max(height*0.012, 0.5)), X: float32(base.X), Y: float32(base.Y), Seed: 9}
}

// lumpyOutline returns a lumpy round outline.
func lumpyOutline(c vector.Point, r float64, d *chance.Dice) []vector.Point {
	ks := make([]vector.Knot, 9)
	for i := range ks {
		sn, cs := math.Sincos(2 * math.Pi * float64(i) / 9)
		q := r * d.In(0.82, 1.16)
		ks[i].Point = vector.Point{X: c.X + cs*q*1.1, Y: c.Y + sn*q*0.9}
	}
	return vector.Spline(ks, true)
}

// drawPine draws a conifer of hanging tiers, white on top in snow.
func (s *renderer) drawPine(base vector.Point, height float64, far float32, depth uint8, seed uint64, asked ...pixel.RGB) {
	d := chance.New(seed, "pine")
	leaf := chance.Choose(d, pixel.MustHex("#2f5a3c"), pixel.MustHex("#386645"), pixel.MustHex("#2a5040"))
	if len(asked) > 0 {
		leaf = asked[0]
	}
	sway := math.Sin(s.at*1.1+d.In(0, 6)) * height * 0.006
	s.Add(s.shadedStroke(vector.Ribbon([]vector.Point{base, {X: base.X, Y: base.Y - height*0.3}}, height*0.05, height*0.04), pixel.MustHex("#4f3a2a"), far, depth))
	tiers := 7
	half := height * d.In(0.19, 0.25)
	for i := range tiers {
		t := float64(i) / float64(tiers)
		y := base.Y - height*(0.10+0.80*t)
		w := half * (1 - t) * 1.02
		w += height * 0.025
		tip := vector.Point{X: base.X + sway*t*3, Y: y - height*0.26*(1-0.35*t)}
		loop := []vector.Point{tip}
		teeth := 6
		for k := 0; k <= teeth; k++ {
			f := float64(k)/float64(teeth)*2 - 1
			drop := height * 0.03 * (1 - math.Abs(f))
			loop = append(loop, vector.Point{X: base.X - f*w, Y: y + drop + d.In(0, 0.022)*height})
			if k < teeth {
				g := f + 1/float64(teeth)
				loop = append(loop, vector.Point{X: base.X - g*w*0.96, Y: y + height*0.03*(1-math.Abs(g)) - height*0.024})
			}
		}
		st := s.shadedStroke(loop, leaf.Shifted(float32(-10+18*t)), far, depth)
		if s.light.Texture > 0.1 && !s.light.Flat {
			st.Grain = vector.Grain{Kind: vector.Leafy, Strength: 0.7 * min(s.light.Texture, 1), Unit: float32(max(height*0.01, 0.6)), X: float32(base.X), Y: float32(base.Y), Seed: uint32(seed)}
		}
		s.Add(st)
		if s.snow {
			cap := []vector.Point{tip}
			for k := 0; k <= 6; k++ {
				f := float64(k)/3 - 1
				cap = append(cap, vector.Point{X: base.X - f*w*0.78, Y: y - height*(0.045+0.03*d.Unit())})
			}
			s.Add(s.shadedStroke(cap, pixel.MustHex("#f2f7fd"), far*0.7, depth))
		}
	}
}

// drawPalm draws a bent trunk with a star of fronds.
func (s *renderer) drawPalm(base vector.Point, height float64, far float32, depth uint8, seed uint64, asked ...pixel.RGB) {
	d := chance.New(seed, "palm")
	leaf := pixel.MustHex("#4a8a3c")
	if len(asked) > 0 {
		leaf = asked[0]
	}
	lean := chance.Choose(d, -1.0, 1.0) * d.In(0.10, 0.24) * height
	top := vector.Point{X: base.X + lean, Y: base.Y - height*0.84}
	trunk := vector.Spline(vector.Knots([]vector.Point{base, {X: base.X + lean*0.25, Y: base.Y - height*0.42}, top}), false)
	bark := s.shadedStroke(vector.Ribbon(trunk, height*0.062, height*0.034), pixel.MustHex("#8f6a44"), far, depth)
	bark.Grain = s.barkGrain(height, base)
	s.Add(bark)
	const fronds = 11
	for i := range fronds {
		a := math.Pi*(0.94+1.12*float64(i)/(fronds-1)) + d.Around(0.08) + 0.03*math.Sin(s.at*1.6+float64(i))
		reach := height * d.In(0.33, 0.42)
		sn, cs := math.Sincos(a)
		mid := vector.Point{X: top.X + cs*reach*0.6, Y: top.Y + sn*reach*0.55 - height*0.05}
		tip := vector.Point{X: top.X + cs*reach, Y: top.Y + sn*reach*0.35 + height*0.15}
		spine := vector.Spline(vector.Knots([]vector.Point{top, mid, tip}), false)
		var loop []vector.Point
		n := len(spine)
		for k, p := range spine {
			w := height * 0.052 * math.Sin(math.Pi*math.Min(float64(k)/float64(n-1)*0.95+0.05, 1))
			loop = append(loop, vector.Point{X: p.X, Y: p.Y - w*0.5})
		}
		for k := n - 1; k >= 0; k-- {
			w := height * 0.052 * math.Sin(math.Pi*math.Min(float64(k)/float64(n-1)*0.95+0.05, 1))
			if k%2 == 0 {
				w *= 2.3
			}
			loop = append(loop, vector.Point{X: spine[k].X, Y: spine[k].Y + w*0.5})
		}
		s.Add(s.shadedStroke(loop, leaf.Shifted(float32(d.In(-16, 10))), far, depth))
	}
	for i := range 3 {
		s.Add(s.shadedStroke(vector.Oval(vector.Point{X: top.X + (float64(i)-1)*height*0.026, Y: top.Y + height*0.022}, height*0.021, height*0.023, 0), pixel.MustHex("#5a3c22"), far, depth))
	}
}
