package paint

import (
	"context"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

func curve(v float32) float32 { return pixel.Smooth(-0.08, 1.05, v) }

// greyPass renders black-and-white film with deep shadows.
func greyPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	w, h := r.Size()
	seed := uint32(s.seed)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := r.At(x, y)
		l := curve(0.36*c.R + 0.52*c.G + 0.12*c.B)
		u, v := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		l = l*(1-0.55*pixel.Smooth(0.12, 0.55, u*u+v*v)) + (chance.CellUnit(int32(x), int32(y), seed)-0.5)*0.07
		return pixel.RGB{R: l, G: l, B: l * 1.01}
	})
}

// sepiaPass renders an old print: brown, faded, spotted at the corners.
func sepiaPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	w, h := r.Size()
	seed := uint32(s.dice("sepia").Next())
	u := float32(s.u)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		l := 0.12 + 0.80*curve(r.At(x, y).Luma())
		c := pixel.Mix(pixel.RGB{R: 0.20, G: 0.12, B: 0.07}, pixel.RGB{R: 0.97, G: 0.90, B: 0.76}, l)
		dx, dy := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		stain := chance.Fractal(float32(x)/u*3, float32(y)/u*3, 4, seed)
		c = c.Scaled(1 - 0.45*pixel.Smooth(0.14, 0.55, dx*dx+dy*dy)*stain*1.6)
		n := (chance.CellUnit(int32(x), int32(y), seed) - 0.5) * 0.05
		return c.Plus(pixel.RGB{R: n, G: n, B: n})
	})
}

// lensPass imitates a photograph: depth of field, a soft tone curve and grain.
func lensPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	far := r
	var err error
	if len(s.scene.Subjects) > 0 {
		if far, err = pixel.Soften(ctx, r, s.u*0.011); err != nil {
			return nil, err
		}
	}
	shine, err := pixel.Soften(ctx, r, s.u*0.03)
	if err != nil {
		return nil, err
	}
	w, h := r.Size()
	seed := uint32(s.seed)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := r.At(x, y)
		if d := r.Depth[y*w+x]; d < 180 {
			c = far.At(x, y)
		}
		b := shine.At(x, y)
		c = pixel.Mix(c, pixel.RGB{R: 1 - (1-c.R)*(1-b.R*0.5), G: 1 - (1-c.G)*(1-b.G*0.5), B: 1 - (1-c.B)*(1-b.B*0.5)}, 0.22)
		c = pixel.Mix(c, pixel.RGB{R: curve(c.R), G: curve(c.G), B: curve(c.B)}, 0.55).Saturated(0.92)
		u, v := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		n := (chance.CellUnit(int32(x), int32(y), seed) - 0.5) * 0.035
		return c.Scaled(1 - 0.28*pixel.Smooth(0.16, 0.5, u*u+v*v)).Plus(pixel.RGB{R: n, G: n, B: n})
	})
}

// cinemaPass grades to teal shadows and orange lights.
func cinemaPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	shine, err := pixel.Soften(ctx, r, s.u*0.03)
	if err != nil {
		return nil, err
	}
	w, h := r.Size()
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c, b := r.At(x, y), shine.At(x, y)
		c = c.Plus(b.Scaled(0.35 * pixel.Smooth(0.5, 0.95, b.Luma())))
		l := c.Luma()
		c = pixel.Mix(c, pixel.Mix(pixel.RGB{R: 0.04, G: 0.20, B: 0.26}, pixel.RGB{R: 1, G: 0.80, B: 0.56}, pixel.Unit(l)), 0.24)
		c = pixel.RGB{R: curve(c.R), G: curve(c.G), B: curve(c.B)}
		u, v := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
		return c.Scaled(1 - 0.42*pixel.Smooth(0.12, 0.55, u*u+v*v*1.3))
	})
}

// vaporPass renders pink and cyan, with a glowing grid where the ground is.
func vaporPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	tones := pixel.Ramp{{At: 0, C: pixel.MustHex("#1a0b3c")}, {At: 0.30, C: pixel.MustHex("#6a2a9a")}, {At: 0.55, C: pixel.MustHex("#f0529c")}, {At: 0.78, C: pixel.MustHex("#ff9ec4")}, {At: 1, C: pixel.MustHex("#bff4ff")}}
	w, _ := r.Size()
	u, top := float32(s.u), float32(s.horizon)
	open := s.world == ""
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := r.At(x, y)
		c = pixel.Mix(c, tones.At(c.Luma()), 0.68)
		if open && float32(y) > top && r.Depth[y*w+x] < 180 {
			z := u * 0.32 / (float32(y) - top + 1)
			gx, gz := (float32(x)-float32(w)/2)/u*z*9, z*4+float32(s.at)
			line := max(grid(gx), grid(gz)*pixel.Smooth(0, u*0.03, float32(y)-top))
			c = pixel.Mix(c.Scaled(0.55), pixel.RGB{R: 0.25, G: 0.95, B: 1}, line*0.85)
		}
		if int(float32(y)/max(u/400, 1))%2 == 0 {
			c = c.Scaled(0.95)
		}
		return c
	})
}

// grid returns 1 on the whole numbers and falls off beside them.
func grid(v float32) float32 {
	f := chance.Abs32(v - float32(math.Round(float64(v))))
	return pixel.Smooth(0.06, 0.02, f)
}

// softenPass renders the clean light of drawn films.
func softenPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	shine, err := pixel.Soften(ctx, r, s.u*0.02)
	if err != nil {
		return nil, err
	}
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c, b := r.At(x, y), shine.At(x, y)
		c = c.Plus(b.Scaled(0.28 * pixel.Smooth(0.45, 0.95, b.Luma())))
		return c.Saturated(1.16)
	})
}
