package paint

import (
	"context"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// washPass renders watercolour: colours run a little, are darker at their
// edges, let the paper show, and leave a margin.
func washPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	soft, err := pixel.Soften(ctx, r, s.u*0.010)
	if err != nil {
		return nil, err
	}
	seed := uint32(s.dice("wash").Next())
	u := float32(s.u)
	w, h := r.Size()
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		px, py := float32(x)/u, float32(y)/u
		n, m := chance.Fractal(px*9, py*9, 3, seed)-0.5, chance.Fractal(px*9+40, py*9, 3, seed)-0.5
		sx, sy := x+int(n*u*0.026), y+int(m*u*0.026)
		c, b := r.At(sx, sy), soft.At(sx, sy)
		c = pixel.Mix(c, b, 0.45)
		pool := pixel.Unit((b.Luma() - r.At(sx, sy).Luma()) * 2.2)
		density := 0.62 + 0.42*chance.Fractal(px*4, py*4, 4, seed+9) + pool*0.45
		// Pigment darkens the paper.
		c = pixel.RGB{R: 1 - (1-c.R)*density, G: 1 - (1-c.G)*density, B: 1 - (1-c.B)*density}.Saturated(1.18)
		tooth := chance.Noise(float32(x)*0.7/max(u/700, 1), float32(y)*0.7/max(u/700, 1), seed+5) - 0.5
		c = c.Scaled(1 + tooth*0.09*(1.2-c.Luma()))
		edge := min(float32(min(x, w-1-x)), float32(min(y, h-1-y))) / u
		if edge > 0.06 {
			return c
		}
		edge += 0.030 * (chance.Fractal(px*6, py*6, 4, seed+3) - 0.5)
		paper := pixel.RGB{R: 0.985, G: 0.975, B: 0.95}.Scaled(1 + tooth*0.04)
		in := pixel.Smooth(0.018, 0.030, edge)
		rim := pixel.Smooth(0.018, 0.026, edge) * pixel.Smooth(0.044, 0.030, edge)
		return pixel.Mix(paper, c.Scaled(1-0.16*rim), in)
	})
}

// flow returns the direction in which a brush would follow the forms: along the
// edges of a blurred picture.
func flow(r *pixel.Raster, x, y, reach int) float64 {
	gx := r.At(x+reach, y).Luma() - r.At(x-reach, y).Luma()
	gy := r.At(x, y+reach).Luma() - r.At(x, y-reach).Luma()
	if gx*gx+gy*gy < 0.0004 {
		return math.NaN()
	}
	return math.Atan2(float64(gy), float64(gx)) + math.Pi/2
}

// brushwork lays brush strokes over an underpainting, large ones first.
func brushwork(ctx context.Context, s *renderer, r *pixel.Raster, sizes []float64, long float64, hue, light float32) (*pixel.Raster, error) {
	soft, err := pixel.Soften(ctx, r, s.u*0.012)
	if err != nil {
		return nil, err
	}
	w, h := r.Size()
	e := &vector.Canvas{Width: w, Height: h}
	e.Wash(0, func(x, y float32) (pixel.RGB, float32) { return soft.At(int(x), int(y)), 1 })
	seed := uint32(s.dice("brush").Next())
	for i, size := range sizes {
		step := s.u * size
		d := s.dice("layer", string(rune('a'+i)))
		for gy := 0.0; gy < s.h+step; gy += step {
			for gx := 0.0; gx < s.w+step; gx += step {
				p := vector.Point{X: gx + d.Around(0.5)*step, Y: gy + d.Around(0.5)*step}
				x, y := int(p.X), int(p.Y)
				c := r.At(x, y)
				if i > 0 {
					// A small brush only touches what the large one missed.
					miss := soft.At(x, y).Distance(c)
					if miss < 0.02 && d.Chance(0.55) || i > 1 && miss < 0.035 || i > 2 && (miss < 0.05 || r.Depth[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)] < 180) {
						continue
					}
				}
				a := flow(soft, x, y, max(int(step*0.4), 1))
				if math.IsNaN(a) {
					a = float64(chance.Noise(float32(p.X/s.u)*2.5, float32(p.Y/s.u)*2.5, seed))*2*math.Pi + d.Around(0.3)
				}
				sn, cs := math.Sincos(a)
				half := step * long * d.In(0.7, 1.3) / 2
				bend := d.Around(0.25) * step
				line := []vector.Point{{X: p.X - cs*half, Y: p.Y - sn*half}, {X: p.X - sn*bend, Y: p.Y + cs*bend}, {X: p.X + cs*half, Y: p.Y + sn*half}}
				c = c.Turned(d.In32(-hue, hue)).Scaled(1 + d.In32(-light, light))
				wide := step * d.In(0.75, 1.15)
				ridge := vector.Point{X: -sn * wide / 2, Y: cs * wide / 2}
				e.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(vector.Spline(vector.Knots(line), false), wide, wide*0.6)}, Shading: vector.Linear,
					From: p.Sub(ridge), To: p.Add(ridge), Lit: c.Scaled(1.05), Dim: c.Scaled(0.94), Alpha: 0.92})
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return e.Paint(ctx, nil)
}

// relief lights the texture of the picture from the upper left, like thick
// paint.
func relief(ctx context.Context, r *pixel.Raster, strength float32) (*pixel.Raster, error) {
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		bump := r.At(x-1, y-1).Luma() - r.At(x+1, y+1).Luma()
		return r.At(x, y).Scaled(1 + min(max(bump*strength, -0.22), 0.22))
	})
}

func brushPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	out, err := brushwork(ctx, s, r, []float64{0.034, 0.0160, 0.0080, 0.0050}, 2.4, 0.010, 0.07)
	if err != nil {
		return nil, err
	}
	return relief(ctx, out, 0.9)
}

func dabsPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	bright, err := pixel.Redraw(ctx, r, func(x, y int) pixel.RGB { return r.At(x, y).Saturated(1.3).Scaled(1.05) })
	if err != nil {
		return nil, err
	}
	bright.Depth = r.Depth
	out, err := brushwork(ctx, s, bright, []float64{0.024, 0.014}, 2.1, 0.035, 0.13)
	if err != nil {
		return nil, err
	}
	return relief(ctx, out, 0.7)
}

// dotsPass renders pointillism: dots of pure colour on a light ground.
func dotsPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	w, h := r.Size()
	e := &vector.Canvas{Width: w, Height: h}
	e.Wash(0, func(x, y float32) (pixel.RGB, float32) {
		return pixel.Mix(pixel.RGB{R: 0.95, G: 0.92, B: 0.84}, r.At(int(x), int(y)), 0.45), 1
	})
	for i, size := range []float64{0.0125, 0.0085} {
		step := max(s.u*size, 2)
		d := s.dice("dots", string(rune('a'+i)))
		for gy := 0.0; gy < s.h; gy += step {
			for gx := 0.0; gx < s.w; gx += step {
				p := vector.Point{X: gx + d.Unit()*step, Y: gy + d.Unit()*step}
				c := r.At(int(p.X), int(p.Y)).Saturated(1.45).Turned(d.In32(-0.04, 0.04)).Scaled(1 + d.In32(-0.14, 0.16))
				q := step * d.In(0.36, 0.52)
				e.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(p, q, q, 0)}, Lit: c, Alpha: 0.95})
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return e.Paint(ctx, nil)
}

// chalkPass draws soft colour over toned paper, whose grain stays visible.
func chalkPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	seed := uint32(s.dice("chalk").Next())
	u := float32(s.u)
	paper := pixel.RGB{R: 0.86, G: 0.81, B: 0.73}
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		px, py := float32(x)/u, float32(y)/u
		along := chance.Noise((px+py)*150, (px-py)*40, seed)
		tooth := 0.3*along + 0.7*chance.Noise(px*360, py*360, seed+1)
		j := int((along - 0.5) * u * 0.012)
		c := r.At(x+j, y-j)
		c = pixel.Mix(c, pixel.RGB{R: 1, G: 0.98, B: 0.95}, 0.16).Saturated(1.1)
		return pixel.Mix(paper, c, pixel.Smooth(0.14, 0.46, tooth+0.12*(1-c.Luma()))*0.95)
	})
}
