package picture

import (
	"context"
	"math"
)

func curve(v float32) float32 { return smooth(-0.08, 1.05, v) }

// greyPass is black-and-white film with deep shadows.
func greyPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	w, h := r.size()
	seed := uint32(s.seed)
	return redraw(ctx, r, func(x, y int) rgb {
		c := r.at(x, y)
		l := curve(0.36*c.r + 0.52*c.g + 0.12*c.b)
		u, v := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		l = l*(1-0.55*smooth(0.12, 0.55, u*u+v*v)) + (cellUnit(int32(x), int32(y), seed)-0.5)*0.07
		return rgb{l, l, l * 1.01}
	})
}

// sepiaPass is an old print: brown, faded, spotted at the corners.
func sepiaPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	w, h := r.size()
	seed := uint32(s.dice("sepia").next())
	u := float32(s.u)
	return redraw(ctx, r, func(x, y int) rgb {
		l := 0.12 + 0.80*curve(r.at(x, y).luma())
		c := mix(rgb{0.20, 0.12, 0.07}, rgb{0.97, 0.90, 0.76}, l)
		dx, dy := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		stain := fractal(float32(x)/u*3, float32(y)/u*3, 4, seed)
		c = c.scaled(1 - 0.45*smooth(0.14, 0.55, dx*dx+dy*dy)*stain*1.6)
		n := (cellUnit(int32(x), int32(y), seed) - 0.5) * 0.05
		return c.plus(rgb{n, n, n})
	})
}

// lensPass gives depth of field, a gentle curve and grain: as near to a photograph
// as a drawing comes.
func lensPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	far := r
	var err error
	if len(s.scene.Subjects) > 0 {
		if far, err = blur(ctx, r, s.u*0.011); err != nil {
			return nil, err
		}
	}
	shine, err := blur(ctx, r, s.u*0.03)
	if err != nil {
		return nil, err
	}
	w, h := r.size()
	seed := uint32(s.seed)
	return redraw(ctx, r, func(x, y int) rgb {
		c := r.at(x, y)
		if d := r.depth[y*w+x]; d < 180 {
			c = far.at(x, y)
		}
		b := shine.at(x, y)
		c = mix(c, rgb{1 - (1-c.r)*(1-b.r*0.5), 1 - (1-c.g)*(1-b.g*0.5), 1 - (1-c.b)*(1-b.b*0.5)}, 0.22)
		c = mix(c, rgb{curve(c.r), curve(c.g), curve(c.b)}, 0.55).saturated(0.92)
		u, v := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		n := (cellUnit(int32(x), int32(y), seed) - 0.5) * 0.035
		return c.scaled(1 - 0.28*smooth(0.16, 0.5, u*u+v*v)).plus(rgb{n, n, n})
	})
}

// cinemaPass grades to teal shadows and orange lights.
func cinemaPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	shine, err := blur(ctx, r, s.u*0.03)
	if err != nil {
		return nil, err
	}
	w, h := r.size()
	return redraw(ctx, r, func(x, y int) rgb {
		c, b := r.at(x, y), shine.at(x, y)
		c = c.plus(b.scaled(0.35 * smooth(0.5, 0.95, b.luma())))
		l := c.luma()
		c = mix(c, mix(rgb{0.04, 0.20, 0.26}, rgb{1, 0.80, 0.56}, unit(l)), 0.24)
		c = rgb{curve(c.r), curve(c.g), curve(c.b)}
		u, v := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		return c.scaled(1 - 0.42*smooth(0.12, 0.55, u*u+v*v*1.3))
	})
}

// vaporPass is pink and cyan, with a glowing grid where the ground is.
func vaporPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	tones := ramp{{0, ink("#1a0b3c")}, {0.30, ink("#6a2a9a")}, {0.55, ink("#f0529c")}, {0.78, ink("#ff9ec4")}, {1, ink("#bff4ff")}}
	w, _ := r.size()
	u, top := float32(s.u), float32(s.horizon)
	open := s.world == ""
	return redraw(ctx, r, func(x, y int) rgb {
		c := r.at(x, y)
		c = mix(c, tones.at(c.luma()), 0.68)
		if open && float32(y) > top && r.depth[y*w+x] < 180 {
			z := u * 0.32 / (float32(y) - top + 1)
			gx, gz := (float32(x)-float32(w)/2)/u*z*9, z*4+float32(s.at)
			line := max(grid(gx), grid(gz)*smooth(0, u*0.03, float32(y)-top))
			c = mix(c.scaled(0.55), rgb{0.25, 0.95, 1}, line*0.85)
		}
		if int(float32(y)/max(u/400, 1))%2 == 0 {
			c = c.scaled(0.95)
		}
		return c
	})
}

// grid is 1 on the whole numbers and falls off beside them.
func grid(v float32) float32 {
	f := abs32(v - float32(math.Round(float64(v))))
	return smooth(0.06, 0.02, f)
}

// softenPass is the clean light of drawn films.
func softenPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	shine, err := blur(ctx, r, s.u*0.02)
	if err != nil {
		return nil, err
	}
	return redraw(ctx, r, func(x, y int) rgb {
		c, b := r.at(x, y), shine.at(x, y)
		c = c.plus(b.scaled(0.28 * smooth(0.45, 0.95, b.luma())))
		return c.saturated(1.16)
	})
}
