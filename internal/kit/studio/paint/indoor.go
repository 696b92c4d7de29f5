package paint

import (
	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawRoom draws a wall with a window, a floor of boards and a rug.
func (s *renderer) drawRoom() {
	d := s.dice("room")
	wall := colourOf(s.scene.setting("room"), chance.Choose(d, pixel.MustHex("#c9b79c"), pixel.MustHex("#a9b8a4"), pixel.MustHex("#b8a9b4"), pixel.MustHex("#d0b8a0")))
	floor := s.h * 0.68
	u := float32(s.u)
	lit, dim := s.light.Tones(wall, 0)
	s.Wash(4, func(x, y float32) (pixel.RGB, float32) {
		dx, dy := (x/float32(s.w) - 0.3), (y/float32(s.h) - 0.3)
		return pixel.Mix(lit, dim, pixel.Unit(1.3*(dx*dx+dy*dy)+0.1)), 1
	})
	s.fillShape(vector.Rectangle(0, floor-s.u*0.03, s.w, floor), wall.Shifted(30), 0, 5)
	boards := s.shadedStroke(vector.Rectangle(0, floor, s.w, s.h), pixel.MustHex("#8f623c"), 0, 8)
	boards.Shading = vector.Linear
	boards.From, boards.To = vector.Point{X: 0, Y: floor}, vector.Point{X: 0, Y: s.h}
	boards.Lit, boards.Dim = boards.Dim, boards.Lit
	boards.Grain = vector.Grain{Kind: vector.Planks, Strength: 0.5 * min(s.light.Texture*2, 1), Unit: u * 0.012, X: 0, Y: float32(floor), Seed: 3}
	s.Add(boards)
	w, h := s.u*0.30, s.u*0.36
	x, y := s.w*0.12, s.h*0.13
	if d.Chance(0.5) {
		x = s.w*0.88 - w
	}
	s.fillShape(vector.Rectangle(x-s.u*0.016, y-s.u*0.016, x+w+s.u*0.016, y+h+s.u*0.016), pixel.MustHex("#efe8da"), 0, 6)
	sky := s.sky
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(x, y, x+w, y+h)}, Shading: vector.Linear, From: vector.Point{X: x, Y: y}, To: vector.Point{X: x, Y: y + h}, Lit: sky.middle, Dim: sky.horizon, Alpha: 1, Depth: 6})
	hill, _ := s.light.Tones(pixel.MustHex("#6f9a58"), 0.35)
	s.Add(vector.Stroke{Loops: [][]vector.Point{{{X: x, Y: y + h*0.78}, {X: x + w*0.4, Y: y + h*0.66}, {X: x + w, Y: y + h*0.8}, {X: x + w, Y: y + h}, {X: x, Y: y + h}}}, Lit: hill, Alpha: 1, Depth: 6})
	s.fillShape(vector.Rectangle(x+w/2-s.u*0.008, y, x+w/2+s.u*0.008, y+h), pixel.MustHex("#efe8da"), 0, 7)
	s.fillShape(vector.Rectangle(x, y+h/2-s.u*0.008, x+w, y+h/2+s.u*0.008), pixel.MustHex("#efe8da"), 0, 7)
	curtain := chance.Choose(d, pixel.MustHex("#b8584a"), pixel.MustHex("#5a7a9a"), pixel.MustHex("#8a6a9a"))
	for _, cx := range []float64{x - s.u*0.05, x + w - s.u*0.02} {
		st := s.shadedStroke(vector.Rounded(cx, y-s.u*0.03, cx+s.u*0.07, y+h+s.u*0.08, s.u*0.01), curtain, 0, 7)
		st.Grain = vector.Grain{Kind: vector.Cloth, Strength: 0.6, Unit: u * 0.006, X: float32(cx), Y: 0, Seed: 4}
		s.Add(st)
	}
	if s.sky.night < 0.6 {
		s.Halo(vector.Point{X: s.w * 0.5, Y: s.h * 0.84}, s.w*0.4, s.h*0.14, pixel.RGB{R: 1, G: 0.9, B: 0.65}, 0.22, vector.Glow)
	}
	rug := chance.Choose(d, pixel.MustHex("#a8483f"), pixel.MustHex("#3f6a8a"), pixel.MustHex("#5a7a4a"))
	s.Add(s.shadedStroke(vector.Oval(vector.Point{X: s.w / 2, Y: s.h * 0.875}, s.u*0.44, s.u*0.085, 0), rug, 0, 10))
	s.Add(vector.Stroke{Loops: vector.ClosedRibbon(vector.Oval(vector.Point{X: s.w / 2, Y: s.h * 0.875}, s.u*0.40, s.u*0.072, 0), s.u*0.008), Lit: rug.Shifted(45), Alpha: 0.9, Depth: 10})
	if fx := s.w - x - w*0.7; len(s.scene.Text) == 0 {
		s.fillShape(vector.Rectangle(fx-s.u*0.08, s.h*0.2, fx+s.u*0.08, s.h*0.33), pixel.MustHex("#6b4a2c"), 0, 6)
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(fx-s.u*0.067, s.h*0.2+s.u*0.013, fx+s.u*0.067, s.h*0.33-s.u*0.013)}, Shading: vector.Linear, From: vector.Point{X: fx, Y: s.h * 0.2}, To: vector.Point{X: fx, Y: s.h * 0.33}, Lit: sky.zenith, Dim: sky.horizon, Alpha: 1, Depth: 6})
	}
}

// drawTabletop draws the setting of a still life: a dim wall, a table, a cloth.
func (s *renderer) drawTabletop() {
	d := s.dice("table")
	wall := chance.Choose(d, pixel.MustHex("#6a7a72"), pixel.MustHex("#7a6a5e"), pixel.MustHex("#5f6a7c"), pixel.MustHex("#8a7a5e"))
	lit, dim := s.light.Tones(wall, 0)
	seed := uint32(d.Next())
	u := float32(s.u)
	rough := float32(0.10)
	if s.light.Flat {
		rough = 0
	}
	s.Wash(4, func(x, y float32) (pixel.RGB, float32) {
		dx, dy := x/float32(s.w)-0.28, y/float32(s.h)-0.22
		c := pixel.Mix(lit.Shifted(16), dim, pixel.Unit(1.5*(dx*dx+dy*dy)))
		return c.Scaled(1 + rough*(chance.Fractal(x/u*4, y/u*4, 4, seed)-0.5)*2), 1
	})
	edge := s.h * 0.57
	wood := s.shadedStroke(vector.Rectangle(0, edge, s.w, s.h), pixel.MustHex("#8a5a34"), 0, 8)
	wood.Shading, wood.From, wood.To = vector.Linear, vector.Point{X: 0, Y: edge}, vector.Point{X: 0, Y: s.h}
	wood.Grain = vector.Grain{Kind: vector.Planks, Strength: 0.4 * min(s.light.Texture*2, 1), Unit: u * 0.014, X: 0, Y: float32(edge), Seed: 3}
	s.Add(wood)
	linen := chance.Choose(d, pixel.MustHex("#e6dcc6"), pixel.MustHex("#c8d4d8"), pixel.MustHex("#d8b8a4"))
	st := s.shadedStroke(vector.Spline(vector.Knots([]vector.Point{{X: s.w * 0.04, Y: s.h * 0.88}, {X: s.w * 0.15, Y: s.h * 0.67}, {X: s.w * 0.5, Y: s.h * 0.63}, {X: s.w * 0.87, Y: s.h * 0.675}, {X: s.w * 0.96, Y: s.h * 0.88}, {X: s.w * 0.72, Y: s.h * 1.01}, {X: s.w * 0.28, Y: s.h * 1.01}}), true), linen, 0, 9)
	st.Grain = vector.Grain{Kind: vector.Cloth, Strength: 0.25, Unit: u * 0.012, X: 0, Y: 0, Seed: 6}
	s.Add(st)
	s.horizon = edge
}

// drawBackdrop draws a studio's paper, or the plain ground of a minimal picture, in a
// colour that lets the subject stand out.
func (s *renderer) drawBackdrop() {
	d := s.dice("backdrop")
	tone := pixel.FromHSL(d.In32(0, 1), 0.32, 0.62)
	if len(s.scene.Subjects) > 0 {
		c := s.mainTone(s.scene.Subjects[0])
		h, sat, l := c.HSL()
		if sat < 0.12 {
			h = d.In32(0.02, 0.14)
		}
		back := float32(0.70)
		if l > 0.62 {
			back = 0.46
		}
		tone = pixel.FromHSL(h+0.5+d.In32(-0.06, 0.06), 0.36, back)
	}
	for i, c := range s.scene.Palette {
		if i == len(s.scene.Palette)-1 {
			tone = c.Tint()
		}
	}
	for _, key := range []string{"studio", "plain", "clouds"} {
		tone = colourOf(s.scene.setting(key), tone)
	}
	if s.sky.night > 0.6 {
		tone = tone.Scaled(0.4)
	}
	if s.world == "plain" {
		s.drawMinimal(tone)
		return
	}
	seed := uint32(d.Next())
	u := float32(s.u)
	flat := s.light.Flat
	s.Wash(4, func(x, y float32) (pixel.RGB, float32) {
		if flat {
			return tone, 1
		}
		dx, dy := (x/float32(s.w) - 0.45), (y/float32(s.h) - 0.38)
		c := pixel.Mix(tone.Shifted(22), tone.Shifted(-38), pixel.Unit(1.9*(dx*dx+dy*dy)))
		return c.Scaled(0.94 + 0.12*chance.Fractal(x/u*3, y/u*3, 5, seed)), 1
	})
	s.horizon = s.h * 0.78
	if s.scene.Framing != "bust" && !flat {
		s.Halo(vector.Point{X: s.w / 2, Y: s.h * 0.95}, s.w*0.8, s.h*0.24, tone.Shifted(-25), 0.5, vector.Stain)
	}
}

// drawMinimal draws two quiet areas and nothing else.
func (s *renderer) drawMinimal(tone pixel.RGB) {
	d := s.dice("minimal")
	pale := pixel.Mix(tone, pixel.MustHex("#f4efe6"), 0.62)
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(0, 0, s.w, s.h)}, Lit: pale, Alpha: 1, Depth: 2})
	c := vector.Point{X: s.w * 0.5, Y: s.h * 0.47}
	if d.Chance(0.5) {
		c.X += s.u * 0.12
	}
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(c, s.u*0.30, s.u*0.30, 0)}, Lit: pixel.Mix(tone, pale, 0.25), Alpha: 1, Depth: 3})
	s.horizon = s.h * 0.82
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(0, s.h*0.82, s.w, s.h)}, Lit: pixel.Mix(pale, tone, 0.35).Shifted(-8), Alpha: 1, Depth: 3})
}
