package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawDistance draws what is at the horizon.
func (s *renderer) drawDistance() {
	sc := &s.scene
	named := false
	for _, t := range sc.Settings {
		switch t.Key {
		case "mountain":
			s.drawMountains(t)
			named = true
		case "volcano":
			s.drawVolcano(t)
			named = true
		case "waterfall":
			s.drawWaterfall()
			named = true
		case "island":
			s.drawIsland(t)
			named = true
		case "hill", "castleland":
			s.drawHills(3, 0.20)
			named = true
		}
	}
	if sc.setting("hill") == nil && sc.setting("mountain") != nil && sc.setting("lake") == nil && sc.setting("sea") == nil && sc.setting("forest") == nil {
		s.drawTreeline()
	}
	if named || sc.setting("sea") != nil || sc.setting("wave") != nil || sc.setting("beach") != nil {
		return
	}
	switch {
	case sc.setting("desert") != nil:
		s.drawDunes()
	case sc.setting("moonland") != nil:
		s.drawHills(2, 0.10)
	case sc.setting("snowfield") != nil:
		s.drawMountains(Thing{Size: 0.5})
	case sc.setting("city") != nil, sc.setting("street") != nil, sc.setting("forest") != nil, sc.setting("jungle") != nil:
	default:
		if s.dice("far").Chance(0.35) {
			s.drawMountains(Thing{Size: 0.5})
		}
		s.drawHills(2, 0.11)
	}
}

// profile returns a line of heights over the width, closed at the bottom.
func (s *renderer) profile(base, height, frequency float64, octaves int, seed uint32, f func(x float64, octaves int, seed uint32) float64) []vector.Point {
	n := int(min(max(s.w/4, 32), 400))
	out := make([]vector.Point, 0, n+3)
	for i := 0; i <= n; i++ {
		x := float64(i) / float64(n)
		out = append(out, vector.Point{X: x * s.w, Y: base - height*f(x*frequency*s.w/s.u, octaves, seed)})
	}
	return append(out, vector.Point{X: s.w, Y: s.h}, vector.Point{X: 0, Y: s.h})
}

func rolling(x float64, octaves int, seed uint32) float64 {
	return float64(chance.Fractal(float32(x), 0.5, octaves, seed))
}

// groundTone returns the colour of grass, sand or snow in this scene.
func (s *renderer) groundTone() (near, far pixel.RGB) {
	sc := &s.scene
	near, far = pixel.MustHex("#4d8437"), pixel.MustHex("#9dba68")
	for _, t := range sc.Settings {
		switch t.Key {
		case "desert":
			near, far = pixel.MustHex("#d79a56"), pixel.MustHex("#edc88e")
		case "beach", "island":
			near, far = pixel.MustHex("#e6cb94"), pixel.MustHex("#f2e0b6")
		case "field":
			near, far = pixel.MustHex("#cf9f38"), pixel.MustHex("#ecd07e")
		case "savanna":
			near, far = pixel.MustHex("#b8923e"), pixel.MustHex("#dcc27a")
		case "moonland":
			near, far = pixel.MustHex("#77767f"), pixel.MustHex("#a9a8b0")
		case "street", "city":
			near, far = pixel.MustHex("#4a4c55"), pixel.MustHex("#6d707a")
		case "forest", "jungle":
			near, far = pixel.MustHex("#3f6a30"), pixel.MustHex("#7d9a58")
		case "graveyard", "night":
			near, far = pixel.MustHex("#3d4a3a"), pixel.MustHex("#66705e")
		case "volcano":
			near, far = pixel.MustHex("#4a3f3c"), pixel.MustHex("#70605a")
		case "mountain":
			near, far = pixel.MustHex("#52803c"), pixel.MustHex("#94ac6c")
		default:
			continue
		}
		if len(t.Colours) > 0 {
			near, far = t.Colours[0].Tint(), t.Colours[0].Tint().Shifted(30)
		}
		break
	}
	if sc.Season == "autumn" {
		near, far = pixel.Mix(near, pixel.MustHex("#a06a2a"), 0.6), pixel.Mix(far, pixel.MustHex("#d8a850"), 0.6)
	}
	if s.snow && sc.setting("desert") == nil {
		near, far = pixel.MustHex("#dfe9f4"), pixel.MustHex("#f4f8fc")
	}
	return near, far
}

func (s *renderer) drawHills(layers int, height float64) {
	_, tone := s.groundTone()
	near, _ := s.groundTone()
	for i := range layers {
		t := float64(i) / float64(layers)
		seed := uint32(s.dice("hills").Next()) + uint32(i)*911
		base := s.horizon + s.u*0.02*float64(i)
		loop := s.profile(base, s.u*height*(1.5-t*0.9), 1.1+0.8*t, 3, seed, rolling)
		far := float32(0.62 - 0.42*t)
		top := vector.BoxOf([][]vector.Point{loop}).Y0
		st := vector.Stroke{Loops: [][]vector.Point{loop}, Depth: uint8(10 + 6*i), Shading: vector.Linear, From: vector.Point{X: 0, Y: top}, To: vector.Point{X: 0, Y: base + s.u*0.05}, Alpha: 1}
		lit, dim := s.light.Tones(pixel.Mix(tone, near, float32(t)), far)
		st.Lit, st.Dim = lit, pixel.Mix(lit, dim, 0.55)
		if s.light.Texture > 0.2 && !s.light.Flat {
			st.Grain = vector.Grain{Kind: vector.Leafy, Strength: 0.22, Unit: float32(s.u * 0.012), X: 0, Y: 0, Seed: seed}
		}
		s.Add(st)
	}
}

func (s *renderer) drawDunes() {
	for i := range 3 {
		near, tone := s.groundTone()
		seed := uint32(s.dice("dunes").Next()) + uint32(i)*31
		base := s.horizon + s.u*0.03*float64(i)
		loop := s.profile(base, s.u*0.13*(1.2-0.25*float64(i)), 0.9+0.5*float64(i), 2, seed, rolling)
		lit, dim := s.light.Tones(pixel.Mix(tone, near, float32(i)/3), float32(0.42-0.15*float64(i)))
		st := vector.Stroke{Loops: [][]vector.Point{loop}, Depth: uint8(10 + 4*i), Shading: vector.Linear, From: vector.Point{X: s.w * 0.3, Y: base - s.u*0.12}, To: vector.Point{X: s.w * 0.5, Y: base + s.u*0.06}, Lit: lit, Dim: pixel.Mix(lit, dim, 0.5), Alpha: 1}
		s.Add(st)
	}
}

func (s *renderer) drawIsland(t Thing) {
	d := s.dice("island")
	c := vector.Point{X: s.w * d.In(0.42, 0.58), Y: s.horizon + s.u*0.10}
	k := s.u * 0.36 * t.Size
	if s.scene.setting("sea") == nil {
		s.drawSea(pixel.MustHex("#2a7fb0"), s.horizon)
	}
	s.Add(s.shadedStroke(vector.Spline(vector.Knots([]vector.Point{{X: c.X - k, Y: c.Y}, {X: c.X - k*0.6, Y: c.Y - k*0.16}, {X: c.X, Y: c.Y - k*0.3}, {X: c.X + k*0.6, Y: c.Y - k*0.16}, {X: c.X + k, Y: c.Y}, {X: c.X, Y: c.Y + k*0.09}}), true), pixel.MustHex("#ecd8a2"), 0.05, 60))
	s.Add(s.shadedStroke(vector.Spline(vector.Knots([]vector.Point{{X: c.X - k*0.7, Y: c.Y - k*0.08}, {X: c.X - k*0.3, Y: c.Y - k*0.36}, {X: c.X + k*0.1, Y: c.Y - k*0.44}, {X: c.X + k*0.6, Y: c.Y - k*0.2}, {X: c.X + k*0.75, Y: c.Y - k*0.06}, {X: c.X, Y: c.Y - k*0.02}}), true), pixel.MustHex("#5f9a48"), 0.05, 62))
	for i := range 3 {
		s.drawPalm(vector.Point{X: c.X + k*(-0.35+0.33*float64(i)), Y: c.Y - k*0.2}, k*d.In(0.6, 0.85), 0.05, 64, d.Next())
	}
}

// drawGround covers what lies before the horizon: land, or water with its shore.
func (s *renderer) drawGround() {
	sc := &s.scene
	switch {
	case sc.setting("wave") != nil:
		s.drawSea(colourOf(sc.setting("wave"), pixel.MustHex("#2b6090")), s.horizon)
		s.drawGreatWave()
	case sc.setting("sea") != nil:
		s.drawSea(colourOf(sc.setting("sea"), pixel.MustHex("#1f6a98")), s.horizon)
		if sc.setting("beach") != nil || s.onLand() {
			s.drawBeach()
		}
	case sc.setting("island") != nil:
	case sc.setting("beach") != nil:
		s.drawSea(pixel.MustHex("#2e9ab8"), s.horizon)
		s.drawBeach()
	case sc.setting("lake") != nil:
		s.drawSea(colourOf(sc.setting("lake"), pixel.MustHex("#3f86b4")), s.horizon+s.u*0.015)
		s.drawShore()
		s.drawBank()
	default:
		s.drawPlain()
		if sc.setting("waterfall") != nil {
			s.drawPool()
		}
		if t := sc.setting("river"); t != nil {
			s.drawRiver(colourOf(t, pixel.MustHex("#3f88b8")))
		}
		if sc.setting("road") != nil || sc.setting("street") != nil || sc.setting("city") != nil && len(sc.Subjects) > 0 {
			s.drawRoad(sc.setting("road") == nil)
		}
	}
}

func colourOf(t *Thing, otherwise pixel.RGB) pixel.RGB {
	if t != nil && len(t.Colours) > 0 {
		return t.Colours[0].Tint()
	}
	return otherwise
}

// drawPlain draws open land in perspective: the texture grows towards the
// viewer.
func (s *renderer) drawPlain() {
	near, far := s.groundTone()
	nearLit, nearDim := s.light.Tones(near, 0)
	farLit, _ := s.light.Tones(far, 0.34)
	seed := uint32(s.dice("plain").Next())
	top, u, cx := float32(s.horizon), float32(s.u), float32(s.w/2)
	deep := float32(s.h - s.horizon)
	rough := float32(0.22)
	rows := s.scene.setting("field") != nil || s.scene.setting("farm") != nil
	ripples := s.scene.setting("desert") != nil
	if s.snow {
		rough = 0.07
	}
	if s.light.Flat {
		rough = 0
	}
	loop := s.profile(s.horizon+s.u*0.012, s.u*0.03, 1.3, 2, seed, rolling)
	st := vector.Stroke{Loops: [][]vector.Point{loop}, Depth: 30, Shading: vector.Custom, Alpha: 1}
	st.Line = func(y float32) func(x float32) (pixel.RGB, float32) {
		t := pixel.Unit((y - top) / deep)
		z := 1 / (t + 0.06)
		c := pixel.Mix(farLit, pixel.Mix(nearLit, nearDim, 0.25*t), pixel.Smooth(0, 0.9, t))
		if rough == 0 {
			return func(float32) (pixel.RGB, float32) { return c, 1 }
		}
		tufts := chance.FractalLine(2.4*z/u, 4, func(x float32) float32 { return chance.Fractal((x-cx)/u*z*2.4, z*5, 4, seed) })
		blades := chance.NoiseLine(y/u*60, seed+3)
		waves := chance.FractalLine(1.5*z/u, 2, func(x float32) float32 { return chance.Fractal((x-cx)/u*z*1.5, z*1.5, 2, seed) })
		strong := rough * 2 * (0.4 + 0.6*t)
		return func(x float32) (pixel.RGB, float32) {
			n := tufts(x)*0.6 + blades(x/u*150)*0.4
			if rows {
				n += 0.5 * (float32(math.Sin(float64((x-cx)/u*z*9)))*0.5 + 0.1)
			}
			if ripples {
				n += 0.22 * float32(math.Sin(float64(z*26+6*waves(x))))
			}
			return c.Scaled(1 + (n-0.5)*strong), 1
		}
	}
	s.Add(st)
}

func (s *renderer) drawBeach() {
	near, far := s.groundTone()
	lit, dim := s.light.Tones(near, 0)
	pale, _ := s.light.Tones(far, 0.1)
	seed := uint32(s.dice("beach").Next())
	line := s.horizon + (s.h-s.horizon)*0.42
	swell := math.Sin(s.at*1.2) * 0.012 * s.u
	u := float32(s.u)
	shape := func(lift float64) []vector.Point {
		return s.profile(line+lift, s.u*0.08, 0.8, 3, seed, rolling)
	}
	foam, _ := s.light.Tones(pixel.RGB{R: 0.97, G: 0.99, B: 1}, 0)
	s.Add(vector.Stroke{Loops: [][]vector.Point{shape(-s.u*0.028 + swell)}, Lit: foam, Alpha: 0.55, Depth: 32})
	s.Add(vector.Stroke{Loops: [][]vector.Point{shape(-s.u*0.012 + swell)}, Lit: foam, Alpha: 0.9, Depth: 32})
	wet := pixel.Mix(dim, lit, 0.5)
	s.Add(vector.Stroke{Loops: [][]vector.Point{shape(0)}, Lit: wet, Alpha: 1, Depth: 34})
	st := vector.Stroke{Loops: [][]vector.Point{shape(s.u * 0.03)}, Shading: vector.Custom, Alpha: 1, Depth: 34}
	st.Shade = func(x, y float32) (pixel.RGB, float32) {
		n := chance.Fractal(x/u*9, y/u*22, 4, seed)*0.6 + chance.CellUnit(int32(x), int32(y), seed)*0.25
		return pixel.Mix(lit, pale, pixel.Unit(n)), 1
	}
	s.Add(st)
}

// drawRoad draws a road from the viewer to the horizon.
func (s *renderer) drawRoad(paved bool) {
	c := s.w * 0.5
	near, far := s.w*0.42, s.u*0.012
	if !paved {
		c, near = s.w*s.dice("road").In(0.4, 0.6), s.u*0.46
	}
	top := s.horizon + s.u*0.008
	tone := pixel.MustHex("#53565f")
	s.fillShape([]vector.Point{{X: c - far, Y: top}, {X: c + far, Y: top}, {X: s.w/2 + near, Y: s.h}, {X: s.w/2 - near, Y: s.h}}, tone, 0.06, 31)
	stripe, _ := s.light.Tones(pixel.MustHex("#f0e8c8"), 0)
	for i := range 7 {
		t0 := math.Pow((float64(i)+0.15-math.Mod(s.at*0.8, 1)+1)/8, 2)
		t1 := math.Pow((float64(i)+0.65-math.Mod(s.at*0.8, 1)+1)/8, 2)
		y0, y1 := top+(s.h-top)*t0, top+(s.h-top)*t1
		x0, x1 := c+(s.w/2-c)*t0, c+(s.w/2-c)*t1
		w0, w1 := s.u*0.002+s.u*0.018*t0, s.u*0.002+s.u*0.018*t1
		s.Add(vector.Stroke{Loops: [][]vector.Point{{{X: x0 - w0, Y: y0}, {X: x0 + w0, Y: y0}, {X: x1 + w1, Y: y1}, {X: x1 - w1, Y: y1}}}, Lit: stripe, Alpha: 0.85, Depth: 31})
	}
}
