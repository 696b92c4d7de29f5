package picture

import (
	"context"
	"math"
)

// washPass is watercolour: colours run a little, pool dark at their edges, let
// the paper through, and stop before the sheet does.
func washPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	soft, err := blur(ctx, r, s.u*0.010)
	if err != nil {
		return nil, err
	}
	seed := uint32(s.dice("wash").next())
	u := float32(s.u)
	w, h := r.size()
	return redraw(ctx, r, func(x, y int) rgb {
		px, py := float32(x)/u, float32(y)/u
		n, m := fractal(px*9, py*9, 3, seed)-0.5, fractal(px*9+40, py*9, 3, seed)-0.5
		sx, sy := x+int(n*u*0.026), y+int(m*u*0.026)
		c, b := r.at(sx, sy), soft.at(sx, sy)
		c = mix(c, b, 0.45)
		pool := unit((b.luma() - r.at(sx, sy).luma()) * 2.2)
		density := 0.62 + 0.42*fractal(px*4, py*4, 4, seed+9) + pool*0.45
		// Pigment takes light away from the paper.
		c = rgb{1 - (1-c.r)*density, 1 - (1-c.g)*density, 1 - (1-c.b)*density}.saturated(1.18)
		tooth := noise(float32(x)*0.7/max(u/700, 1), float32(y)*0.7/max(u/700, 1), seed+5) - 0.5
		c = c.scaled(1 + tooth*0.09*(1.2-c.luma()))
		edge := min(float32(min(x, w-1-x)), float32(min(y, h-1-y))) / u
		if edge > 0.06 {
			return c
		}
		edge += 0.030 * (fractal(px*6, py*6, 4, seed+3) - 0.5)
		paper := rgb{0.985, 0.975, 0.95}.scaled(1 + tooth*0.04)
		in := smooth(0.018, 0.030, edge)
		rim := smooth(0.018, 0.026, edge) * smooth(0.044, 0.030, edge)
		return mix(paper, c.scaled(1-0.16*rim), in)
	})
}

// flow is the direction in which a brush would follow the forms: along the
// edges of a blurred picture.
func flow(r *raster, x, y, reach int) float64 {
	gx := r.at(x+reach, y).luma() - r.at(x-reach, y).luma()
	gy := r.at(x, y+reach).luma() - r.at(x, y-reach).luma()
	if gx*gx+gy*gy < 0.0004 {
		return math.NaN()
	}
	return math.Atan2(float64(gy), float64(gx)) + math.Pi/2
}

// strokes lays brush strokes over an underpainting, large ones first.
func brushwork(ctx context.Context, s *stage, r *raster, sizes []float64, long float64, hue, light float32) (*raster, error) {
	soft, err := blur(ctx, r, s.u*0.012)
	if err != nil {
		return nil, err
	}
	w, h := r.size()
	e := &easel{width: w, height: h}
	e.wash(0, func(x, y float32) (rgb, float32) { return soft.at(int(x), int(y)), 1 })
	seed := uint32(s.dice("brush").next())
	for i, size := range sizes {
		step := s.u * size
		d := s.dice("layer", string(rune('a'+i)))
		for gy := 0.0; gy < s.h+step; gy += step {
			for gx := 0.0; gx < s.w+step; gx += step {
				p := point{gx + d.around(0.5)*step, gy + d.around(0.5)*step}
				x, y := int(p.x), int(p.y)
				c := r.at(x, y)
				if i > 0 {
					// A small brush only touches what the large one missed.
					miss := soft.at(x, y).distance(c)
					if miss < 0.02 && d.chance(0.55) || i > 1 && miss < 0.035 || i > 2 && (miss < 0.05 || r.depth[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)] < 180) {
						continue
					}
				}
				a := flow(soft, x, y, max(int(step*0.4), 1))
				if math.IsNaN(a) {
					a = float64(noise(float32(p.x/s.u)*2.5, float32(p.y/s.u)*2.5, seed))*2*math.Pi + d.around(0.3)
				}
				sn, cs := math.Sincos(a)
				half := step * long * d.in(0.7, 1.3) / 2
				bend := d.around(0.25) * step
				line := []point{{p.x - cs*half, p.y - sn*half}, {p.x - sn*bend, p.y + cs*bend}, {p.x + cs*half, p.y + sn*half}}
				c = c.turned(d.in32(-hue, hue)).scaled(1 + d.in32(-light, light))
				wide := step * d.in(0.75, 1.15)
				ridge := point{-sn * wide / 2, cs * wide / 2}
				e.put(stroke{loops: [][]point{ribbon(spline(knots(line), false), wide, wide*0.6)}, shading: linear,
					from: p.sub(ridge), to: p.add(ridge), lit: c.scaled(1.05), dim: c.scaled(0.94), alpha: 0.92})
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return e.paint(ctx, nil)
}

// relief lights the picture's own texture from the upper left, as thick paint is.
func relief(ctx context.Context, r *raster, strength float32) (*raster, error) {
	return redraw(ctx, r, func(x, y int) rgb {
		bump := r.at(x-1, y-1).luma() - r.at(x+1, y+1).luma()
		return r.at(x, y).scaled(1 + min(max(bump*strength, -0.22), 0.22))
	})
}

func brushPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	out, err := brushwork(ctx, s, r, []float64{0.034, 0.0160, 0.0080, 0.0050}, 2.4, 0.010, 0.07)
	if err != nil {
		return nil, err
	}
	return relief(ctx, out, 0.9)
}

func dabsPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	bright, err := redraw(ctx, r, func(x, y int) rgb { return r.at(x, y).saturated(1.3).scaled(1.05) })
	if err != nil {
		return nil, err
	}
	bright.depth = r.depth
	out, err := brushwork(ctx, s, bright, []float64{0.024, 0.014}, 2.1, 0.035, 0.13)
	if err != nil {
		return nil, err
	}
	return relief(ctx, out, 0.7)
}

// dotsPass sets dots of pure colour side by side on a light ground.
func dotsPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	w, h := r.size()
	e := &easel{width: w, height: h}
	e.wash(0, func(x, y float32) (rgb, float32) { return mix(rgb{0.95, 0.92, 0.84}, r.at(int(x), int(y)), 0.45), 1 })
	for i, size := range []float64{0.0125, 0.0085} {
		step := max(s.u*size, 2)
		d := s.dice("dots", string(rune('a'+i)))
		for gy := 0.0; gy < s.h; gy += step {
			for gx := 0.0; gx < s.w; gx += step {
				p := point{gx + d.unit()*step, gy + d.unit()*step}
				c := r.at(int(p.x), int(p.y)).saturated(1.45).turned(d.in32(-0.04, 0.04)).scaled(1 + d.in32(-0.14, 0.16))
				q := step * d.in(0.36, 0.52)
				e.put(stroke{loops: [][]point{oval(p, q, q, 0)}, lit: c, alpha: 0.95})
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return e.paint(ctx, nil)
}

// chalkPass drags soft colour over toned paper; the paper's tooth stays bare.
func chalkPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	seed := uint32(s.dice("chalk").next())
	u := float32(s.u)
	paper := rgb{0.86, 0.81, 0.73}
	return redraw(ctx, r, func(x, y int) rgb {
		px, py := float32(x)/u, float32(y)/u
		along := noise((px+py)*150, (px-py)*40, seed)
		tooth := 0.3*along + 0.7*noise(px*360, py*360, seed+1)
		j := int((along - 0.5) * u * 0.012)
		c := r.at(x+j, y-j)
		c = mix(c, rgb{1, 0.98, 0.95}, 0.16).saturated(1.1)
		return mix(paper, c, smooth(0.14, 0.46, tooth+0.12*(1-c.luma()))*0.95)
	})
}
