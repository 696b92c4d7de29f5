package paint

import (
	"context"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// lineReach returns how many pixels a drawn line is wide at this size.
func (s *renderer) lineReach() int { return max(int(s.u/700+0.5), 1) }

// hatchPass draws with a pencil: outlines, and layers of hatching for the shade.
func hatchPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.Size()
	seed := uint32(s.dice("hatch").Next())
	k := float32(900 / s.u)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		fx, fy := float32(x)*k, float32(y)*k
		wobble := 3 * chance.Noise(fx*0.02, fy*0.02, seed)
		l := r.At(x, y).Luma()
		tooth := chance.Noise(fx*0.9, fy*0.9, seed+2)
		dark := float32(0)
		for i, a := range []float32{0.785, -0.6, 0.2} {
			level := 0.72 - 0.24*float32(i)
			need := pixel.Smooth(level, level-0.42, l)
			if need <= 0 {
				continue
			}
			sn, cs := math.Sincos(float64(a))
			across := (fx*float32(cs)+fy*float32(sn))*0.19 + wobble
			line := chance.Abs32(across-float32(chance.Floor32(across))-0.5) * 2
			dark += need * pixel.Smooth(0.35, 0.85, line) * (0.30 + 0.45*tooth)
		}
		dark += pixel.Unit((e[y*w+x]-0.06)*2.4) * (0.55 + 0.45*tooth)
		paper := pixel.RGB{R: 0.965, G: 0.955, B: 0.93}.Scaled(0.975 + 0.05*tooth)
		return pixel.Mix(paper, pixel.RGB{R: 0.17, G: 0.17, B: 0.19}, pixel.Unit(dark)*0.93)
	})
}

// penPass renders ink on paper: black lines, solid darks, dry hatching between.
func penPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.Size()
	seed := uint32(s.dice("pen").Next())
	k := float32(900 / s.u)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		fx, fy := float32(x)*k, float32(y)*k
		l := r.At(x, y).Luma() + 0.10*(chance.Fractal(fx*0.012, fy*0.012, 4, seed)-0.5)
		ink := pixel.Smooth(0.22, 0.19, l)
		across := (fx*0.7 + fy*0.7) * 0.16
		line := chance.Abs32(across-float32(chance.Floor32(across))-0.5) * 2
		ink = max(ink, pixel.Smooth(0.52, 0.26, l)*pixel.Smooth(0.62, 0.72, line))
		ink = max(ink, pixel.Smooth(0.10, 0.20, e[y*w+x]))
		wash := 0.16 * pixel.Smooth(0.85, 0.35, l)
		paper := pixel.RGB{R: 0.975, G: 0.965, B: 0.94}.Scaled(1 - wash + 0.02*chance.Noise(fx*0.5, fy*0.5, seed))
		return pixel.Mix(paper, pixel.RGB{R: 0.07, G: 0.07, B: 0.10}, ink)
	})
}

// carvePass renders a block print: every tone is a width of carved line, in dark ink
// and one colour on paper.
func carvePass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	soft, err := pixel.Soften(ctx, r, s.u*0.006)
	if err != nil {
		return nil, err
	}
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.Size()
	seed := uint32(s.dice("carve").Next())
	k := float32(900 / s.u)
	paper, dark := pixel.RGB{R: 0.94, G: 0.89, B: 0.79}, pixel.RGB{R: 0.10, G: 0.09, B: 0.11}
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		fx, fy := float32(x)*k, float32(y)*k
		c := soft.At(x, y)
		l := (c.Luma()-0.5)*1.25 + 0.5
		bend := 9*chance.Fractal(fx*0.006, fy*0.006, 2, seed) + 5*l
		across := fy*0.115 + bend
		line := chance.Abs32(across-float32(chance.Floor32(across))-0.5) * 2
		cut := l + 0.06*(chance.Noise(fx*0.3, fy*0.3, seed)-0.5)
		spot := pixel.Mix(paper, c.Saturated(1.6), 0.62)
		out := spot
		if c.Luma() > 0.72 {
			out = paper
		}
		ink := pixel.Smooth(cut-0.05, cut+0.05, line*0.82+0.06)
		if l < 0.17 {
			ink = 1
		}
		ink = max(ink, pixel.Smooth(0.20, 0.28, e[y*w+x]))
		return pixel.Mix(out, dark, ink)
	})
}

// halftonePass renders the printed comic: few tones, dots in the shade, black lines.
func halftonePass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.Size()
	step := float32(max(s.u/120, 4))
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := r.At(x, y).Saturated(1.45)
		l := c.Luma()
		level := float32(math.Round(float64(l*5))) / 5
		c = c.Bounded().Scaled((level + 0.06) / (l + 0.06))
		u, v := (float32(x)+float32(y))*0.7071/step, (float32(x)-float32(y))*0.7071/step
		u, v = u-float32(chance.Floor32(u))-0.5, v-float32(chance.Floor32(v))-0.5
		size := 0.52 * pixel.Smooth(0.78, 0.18, l)
		d := float32(math.Sqrt(float64(u*u + v*v)))
		c = pixel.Mix(c, c.Scaled(0.58), pixel.Smooth(size+0.06, size-0.06, d))
		return pixel.Mix(c, pixel.RGB{R: 0.06, G: 0.05, B: 0.09}, pixel.Smooth(0.26, 0.40, e[y*w+x]))
	})
}

// blueprintPass renders white lines and a grid on blue.
func blueprintPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.Size()
	seed := uint32(s.dice("blueprint").Next())
	cell := max(int(s.u/36), 6)
	line := max(int(s.u/900), 1)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := pixel.Mix(pixel.RGB{R: 0.07, G: 0.22, B: 0.47}, pixel.RGB{R: 0.10, G: 0.29, B: 0.56}, chance.Fractal(float32(x)/float32(s.u)*3, float32(y)/float32(s.u)*3, 4, seed))
		if x%cell < line || y%cell < line {
			c = pixel.Mix(c, pixel.RGB{R: 0.55, G: 0.72, B: 0.92}, 0.20)
		}
		if x%(cell*5) < line || y%(cell*5) < line {
			c = pixel.Mix(c, pixel.RGB{R: 0.55, G: 0.72, B: 0.92}, 0.26)
		}
		return pixel.Mix(c, pixel.RGB{R: 0.92, G: 0.97, B: 1}, pixel.Smooth(0.07, 0.24, e[y*w+x]))
	})
}

// printPass renders a Japanese wood block: few flat colours, soft bands at the top of
// the sky, paper fibres, a seal.
func printPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	soft, err := pixel.Soften(ctx, r, s.u*0.005)
	if err != nil {
		return nil, err
	}
	e, err := edges(ctx, soft, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, h := r.Size()
	blocks := []pixel.RGB{pixel.MustHex("#1c2f55"), pixel.MustHex("#2f5a8a"), pixel.MustHex("#7fa3b8"), pixel.MustHex("#c9d3c4"), pixel.MustHex("#efe4c8"), pixel.MustHex("#f6efdd"), pixel.MustHex("#d9b98a"), pixel.MustHex("#c4593f"), pixel.MustHex("#8a3b30"), pixel.MustHex("#5d7a55"), pixel.MustHex("#a9b37c"), pixel.MustHex("#4a4038"), pixel.MustHex("#e0a458"), pixel.MustHex("#e7b7a6")}
	table := blockTable(blocks)
	seed := uint32(s.dice("print").Next())
	u := float32(s.u)
	out, err := pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := soft.At(x, y)
		p := pixel.Mix(table[cube(c)], c, 0.22)
		px, py := float32(x)/u, float32(y)/u
		fibre := chance.Noise(px*40, py*260, seed)*0.6 + chance.Noise(px*420, py*420, seed+1)*0.4
		p = p.Scaled(0.95 + 0.09*fibre)
		band := pixel.Smooth(0.20, 0, float32(y)/float32(h))
		p = pixel.Mix(p, pixel.MustHex("#2a4a78"), band*0.55*(1-0.5*s.light.Night))
		return pixel.Mix(p, pixel.MustHex("#1c2440"), pixel.Smooth(0.17, 0.30, e[y*w+x])*0.85)
	})
	if err != nil {
		return nil, err
	}
	s.drawSeal(out)
	return out, nil
}

// cube returns the index of a colour in a table of 32 steps for each channel.
func cube(c pixel.RGB) int {
	return int(pixel.Unit(c.R)*31.5)<<10 | int(pixel.Unit(c.G)*31.5)<<5 | int(pixel.Unit(c.B)*31.5)
}

// blockTable returns the printed colour for every colour: the two nearest inks
// are mixed a little where a colour lies between them.
func blockTable(blocks []pixel.RGB) []pixel.RGB {
	out := make([]pixel.RGB, 1<<15)
	for n := range out {
		c := pixel.RGB{R: float32(n>>10) / 31, G: float32(n>>5&31) / 31, B: float32(n&31) / 31}
		best, second := 0, 0
		a, b := float32(9), float32(9)
		for i, k := range blocks {
			if d := k.Distance(c); d < a {
				best, second, a, b = i, best, d, a
			} else if d < b {
				second, b = i, d
			}
		}
		out[n] = pixel.Mix(blocks[best], blocks[second], pixel.Unit(0.5-(b-a)*6)*0.9)
	}
	return out
}

// drawSeal stamps a red mark of three strokes in a corner.
func (s *renderer) drawSeal(r *pixel.Raster) {
	side := int(s.u * 0.055)
	x0, y0 := int(s.w)-side*2, int(s.u*0.06)
	d := s.dice("seal")
	for y := range side * 7 / 4 {
		for x := range side {
			c := pixel.MustHex("#b8322a")
			u, v := float32(x)/float32(side), float32(y)/float32(side)
			if u < 0.08 || u > 0.92 || v < 0.08 || v > 1.66 || int(v*5)%2 == 1 && u > 0.2 && u < 0.8 || u > 0.45 && u < 0.55 {
				c = pixel.MustHex("#f2e2c8")
			}
			if x0 >= 0 && x0+x < int(s.w) && y0+y < int(s.h) && !d.Chance(0.04) {
				r.Set(x0+x, y0+y, pixel.Mix(r.At(x0+x, y0+y), c, 0.85))
			}
		}
	}
}

// neonPass darkens the picture and makes its edges glow.
func neonPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.Size()
	u := float32(s.u)
	seed := uint32(s.dice("neon").Next())
	lines, err := pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		v := pixel.Smooth(0.10, 0.42, e[y*w+x])
		t := chance.Fractal(float32(x)/u*2, float32(y)/u*2, 2, seed)
		c := pixel.Mix(pixel.RGB{R: 1, G: 0.10, B: 0.75}, pixel.RGB{R: 0.05, G: 0.9, B: 1}, pixel.Smooth(0.38, 0.62, t))
		bright := r.At(x, y)
		light := pixel.Smooth(0.55, 0.9, max(bright.R, bright.G, bright.B))
		return c.Scaled(v * 0.9).Plus(bright.Saturated(1.4).Scaled(light * 0.8)).Bounded()
	})
	if err != nil {
		return nil, err
	}
	lines.Depth = r.Depth
	glowing, err := pixel.Soften(ctx, lines, s.u*0.016)
	if err != nil {
		return nil, err
	}
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := r.At(x, y)
		base := pixel.Mix(c.Scaled(0.55), pixel.RGB{R: 0.16, G: 0.05, B: 0.30}, 0.32)
		return base.Plus(lines.At(x, y).Scaled(0.85)).Plus(glowing.At(x, y).Scaled(1.1))
	})
}
