package picture

import (
	"context"
	"math"
)

// lineReach is how many pixels a drawn line is wide at this size.
func (s *stage) lineReach() int { return max(int(s.u/700+0.5), 1) }

// hatchPass draws with a pencil: outlines, and layers of hatching for the shade.
func hatchPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.size()
	seed := uint32(s.dice("hatch").next())
	k := float32(900 / s.u)
	return redraw(ctx, r, func(x, y int) rgb {
		fx, fy := float32(x)*k, float32(y)*k
		wobble := 3 * noise(fx*0.02, fy*0.02, seed)
		l := r.at(x, y).luma()
		tooth := noise(fx*0.9, fy*0.9, seed+2)
		dark := float32(0)
		for i, a := range []float32{0.785, -0.6, 0.2} {
			level := 0.72 - 0.24*float32(i)
			need := smooth(level, level-0.42, l)
			if need <= 0 {
				continue
			}
			sn, cs := math.Sincos(float64(a))
			across := (fx*float32(cs)+fy*float32(sn))*0.19 + wobble
			line := abs32(across-float32(floor32(across))-0.5) * 2
			dark += need * smooth(0.35, 0.85, line) * (0.30 + 0.45*tooth)
		}
		dark += unit((e[y*w+x]-0.06)*2.4) * (0.55 + 0.45*tooth)
		paper := rgb{0.965, 0.955, 0.93}.scaled(0.975 + 0.05*tooth)
		return mix(paper, rgb{0.17, 0.17, 0.19}, unit(dark)*0.93)
	})
}

// penPass is ink on paper: black lines, solid darks, dry hatching between.
func penPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.size()
	seed := uint32(s.dice("pen").next())
	k := float32(900 / s.u)
	return redraw(ctx, r, func(x, y int) rgb {
		fx, fy := float32(x)*k, float32(y)*k
		l := r.at(x, y).luma() + 0.10*(fractal(fx*0.012, fy*0.012, 4, seed)-0.5)
		ink := smooth(0.22, 0.19, l)
		across := (fx*0.7 + fy*0.7) * 0.16
		line := abs32(across-float32(floor32(across))-0.5) * 2
		ink = max(ink, smooth(0.52, 0.26, l)*smooth(0.62, 0.72, line))
		ink = max(ink, smooth(0.10, 0.20, e[y*w+x]))
		wash := 0.16 * smooth(0.85, 0.35, l)
		paper := rgb{0.975, 0.965, 0.94}.scaled(1 - wash + 0.02*noise(fx*0.5, fy*0.5, seed))
		return mix(paper, rgb{0.07, 0.07, 0.10}, ink)
	})
}

// carvePass is a block print: every tone is a width of carved line, in dark ink
// and one colour on paper.
func carvePass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	soft, err := blur(ctx, r, s.u*0.006)
	if err != nil {
		return nil, err
	}
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.size()
	seed := uint32(s.dice("carve").next())
	k := float32(900 / s.u)
	paper, dark := rgb{0.94, 0.89, 0.79}, rgb{0.10, 0.09, 0.11}
	return redraw(ctx, r, func(x, y int) rgb {
		fx, fy := float32(x)*k, float32(y)*k
		c := soft.at(x, y)
		l := (c.luma()-0.5)*1.25 + 0.5
		bend := 9*fractal(fx*0.006, fy*0.006, 2, seed) + 5*l
		across := fy*0.115 + bend
		line := abs32(across-float32(floor32(across))-0.5) * 2
		cut := l + 0.06*(noise(fx*0.3, fy*0.3, seed)-0.5)
		spot := mix(paper, c.saturated(1.6), 0.62)
		out := spot
		if c.luma() > 0.72 {
			out = paper
		}
		ink := smooth(cut-0.05, cut+0.05, line*0.82+0.06)
		if l < 0.17 {
			ink = 1
		}
		ink = max(ink, smooth(0.20, 0.28, e[y*w+x]))
		return mix(out, dark, ink)
	})
}

// halftonePass is the printed comic: few tones, dots in the shade, black lines.
func halftonePass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.size()
	step := float32(max(s.u/120, 4))
	return redraw(ctx, r, func(x, y int) rgb {
		c := r.at(x, y).saturated(1.45)
		l := c.luma()
		level := float32(math.Round(float64(l*5))) / 5
		c = c.bounded().scaled((level + 0.06) / (l + 0.06))
		u, v := (float32(x)+float32(y))*0.7071/step, (float32(x)-float32(y))*0.7071/step
		u, v = u-float32(floor32(u))-0.5, v-float32(floor32(v))-0.5
		size := 0.52 * smooth(0.78, 0.18, l)
		d := float32(math.Sqrt(float64(u*u + v*v)))
		c = mix(c, c.scaled(0.58), smooth(size+0.06, size-0.06, d))
		return mix(c, rgb{0.06, 0.05, 0.09}, smooth(0.26, 0.40, e[y*w+x]))
	})
}

// blueprintPass is white lines and a grid on blue.
func blueprintPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.size()
	seed := uint32(s.dice("blueprint").next())
	cell := max(int(s.u/36), 6)
	line := max(int(s.u/900), 1)
	return redraw(ctx, r, func(x, y int) rgb {
		c := mix(rgb{0.07, 0.22, 0.47}, rgb{0.10, 0.29, 0.56}, fractal(float32(x)/float32(s.u)*3, float32(y)/float32(s.u)*3, 4, seed))
		if x%cell < line || y%cell < line {
			c = mix(c, rgb{0.55, 0.72, 0.92}, 0.20)
		}
		if x%(cell*5) < line || y%(cell*5) < line {
			c = mix(c, rgb{0.55, 0.72, 0.92}, 0.26)
		}
		return mix(c, rgb{0.92, 0.97, 1}, smooth(0.07, 0.24, e[y*w+x]))
	})
}

// printPass is a Japanese wood block: few flat colours, soft bands at the top of
// the sky, paper fibres, a seal.
func printPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	soft, err := blur(ctx, r, s.u*0.005)
	if err != nil {
		return nil, err
	}
	e, err := edges(ctx, soft, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, h := r.size()
	blocks := []rgb{ink("#1c2f55"), ink("#2f5a8a"), ink("#7fa3b8"), ink("#c9d3c4"), ink("#efe4c8"), ink("#f6efdd"), ink("#d9b98a"), ink("#c4593f"), ink("#8a3b30"), ink("#5d7a55"), ink("#a9b37c"), ink("#4a4038"), ink("#e0a458"), ink("#e7b7a6")}
	table := blockTable(blocks)
	seed := uint32(s.dice("print").next())
	u := float32(s.u)
	out, err := redraw(ctx, r, func(x, y int) rgb {
		c := soft.at(x, y)
		p := mix(table[cube(c)], c, 0.22)
		px, py := float32(x)/u, float32(y)/u
		fibre := noise(px*40, py*260, seed)*0.6 + noise(px*420, py*420, seed+1)*0.4
		p = p.scaled(0.95 + 0.09*fibre)
		band := smooth(0.20, 0, float32(y)/float32(h))
		p = mix(p, ink("#2a4a78"), band*0.55*(1-0.5*s.light.night))
		return mix(p, ink("#1c2440"), smooth(0.17, 0.30, e[y*w+x])*0.85)
	})
	if err != nil {
		return nil, err
	}
	s.seal(out)
	return out, nil
}

// cube is the place of a colour in a table of 32 steps for each part.
func cube(c rgb) int {
	return int(unit(c.r)*31.5)<<10 | int(unit(c.g)*31.5)<<5 | int(unit(c.b)*31.5)
}

// blockTable answers for every colour how it prints: the two nearest blocks
// overlap a little where a colour lies between them.
func blockTable(blocks []rgb) []rgb {
	out := make([]rgb, 1<<15)
	for n := range out {
		c := rgb{float32(n>>10) / 31, float32(n>>5&31) / 31, float32(n&31) / 31}
		best, second := 0, 0
		a, b := float32(9), float32(9)
		for i, k := range blocks {
			if d := k.distance(c); d < a {
				best, second, a, b = i, best, d, a
			} else if d < b {
				second, b = i, d
			}
		}
		out[n] = mix(blocks[best], blocks[second], unit(0.5-(b-a)*6)*0.9)
	}
	return out
}

// seal stamps a red mark of three strokes in a corner.
func (s *stage) seal(r *raster) {
	side := int(s.u * 0.055)
	x0, y0 := int(s.w)-side*2, int(s.u*0.06)
	d := s.dice("seal")
	for y := range side * 7 / 4 {
		for x := range side {
			c := ink("#b8322a")
			u, v := float32(x)/float32(side), float32(y)/float32(side)
			if u < 0.08 || u > 0.92 || v < 0.08 || v > 1.66 || int(v*5)%2 == 1 && u > 0.2 && u < 0.8 || u > 0.45 && u < 0.55 {
				c = ink("#f2e2c8")
			}
			if x0 >= 0 && x0+x < int(s.w) && y0+y < int(s.h) && !d.chance(0.04) {
				r.set(x0+x, y0+y, mix(r.at(x0+x, y0+y), c, 0.85))
			}
		}
	}
}

// neonPass keeps the forms dark and lets their edges shine.
func neonPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	e, err := edges(ctx, r, s.lineReach())
	if err != nil {
		return nil, err
	}
	w, _ := r.size()
	u := float32(s.u)
	seed := uint32(s.dice("neon").next())
	lines, err := redraw(ctx, r, func(x, y int) rgb {
		v := smooth(0.10, 0.42, e[y*w+x])
		t := fractal(float32(x)/u*2, float32(y)/u*2, 2, seed)
		c := mix(rgb{1, 0.10, 0.75}, rgb{0.05, 0.9, 1}, smooth(0.38, 0.62, t))
		bright := r.at(x, y)
		light := smooth(0.55, 0.9, max(bright.r, bright.g, bright.b))
		return c.scaled(v * 0.9).plus(bright.saturated(1.4).scaled(light * 0.8)).bounded()
	})
	if err != nil {
		return nil, err
	}
	lines.depth = r.depth
	glowing, err := blur(ctx, lines, s.u*0.016)
	if err != nil {
		return nil, err
	}
	return redraw(ctx, r, func(x, y int) rgb {
		c := r.at(x, y)
		base := mix(c.scaled(0.55), rgb{0.16, 0.05, 0.30}, 0.32)
		return base.plus(lines.at(x, y).scaled(0.85)).plus(glowing.at(x, y).scaled(1.1))
	})
}
