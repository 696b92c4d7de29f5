package paint

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// Relight changes the time of day, the weather and the season of a picture to
// those of a scene: it repaints a visible sky, changes the tones, and paints
// rain or snow over all.
func Relight(ctx context.Context, img image.Image, scene Scene, look Look, seed int64) (*image.NRGBA, error) {
	src := pixel.AsNRGBA(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if w < pixel.MinSide || h < pixel.MinSide || w > pixel.MaxSide || h > pixel.MaxSide {
		return nil, pixel.ErrSize
	}
	small, err := pixel.StudyOf(ctx, src, pixel.StudySide)
	if err != nil {
		return nil, err
	}
	sky, err := small.Sky(ctx)
	if err != nil {
		return nil, err
	}
	mask := pixel.NewMask(w, h)
	if sky != nil {
		if mask, err = pixel.Matte(ctx, src, sky); err != nil {
			return nil, err
		}
	}
	only := Scene{Time: scene.Time, Weather: scene.Weather, Season: scene.Season, Without: scene.Without}
	s := newRenderer(only, Look{Name: look.Name, Texture: 1}, w, h, seed, 0)
	s.world, s.horizon = "", s.h*0.5
	if sky != nil {
		s.horizon = skyEnd(small, sky) * s.h
	}
	var sum pixel.Lab
	for _, c := range small.Colour {
		sum = sum.Plus(c)
	}
	a := &atmosphere{renderer: s, sky: mask, has: sky != nil, mean: sum.L / float32(len(small.Colour)), seed: uint32(s.dice("atmosphere").Next())}
	if sky != nil {
		a.glow = meanLight(small, sky)
	}
	out, err := pixel.Redraw(ctx, &pixel.Raster{NRGBA: src, Depth: nil}, func(x, y int) pixel.RGB { return a.at(src, x, y) })
	if err != nil {
		return nil, err
	}
	return a.overlay(ctx, src, out)
}

// meanLight returns the mean light of what a mask selects.
func meanLight(s *pixel.Study, m *pixel.Mask) float32 {
	var sum, n float32
	for i, v := range m.Pix {
		if v >= 128 {
			sum += s.Colour[i].RGB().Luma()
			n++
		}
	}
	return sum / max(n, 1)
}

// atmosphere is the light and weather that Relight applies to a picture.
type atmosphere struct {
	*renderer
	sky  *pixel.Mask
	has  bool    // a sky was found
	mean float32 // lightness of the picture
	glow float32 // light of its sky
	seed uint32
}

// at returns the new colour of a pixel.
func (a *atmosphere) at(src *image.NRGBA, x, y int) pixel.RGB {
	p := src.Pix[y*src.Stride+x*4:]
	c := pixel.RGB{R: float32(p[0]) / 255, G: float32(p[1]) / 255, B: float32(p[2]) / 255}
	up := float32(a.sky.Pix[y*a.sky.W+x]) / 255
	ground := a.recolourSeason(c, x, y)
	ground = a.addSnow(ground, x, y)
	ground = a.relight(ground, y)
	above := c
	if a.scene.Time != "" || a.scene.weather("storm") || a.scene.weather("rain") {
		t := pixel.Unit(float32(y) / float32(max(a.horizon, 1)))
		// The clouds of the old sky remain, as light and shade.
		above = a.renderer.sky.at(t).Scaled(pixel.Unit(0.92 + 0.5*(c.Luma()-a.glow)))
	} else if a.scene.weather("snow") || a.scene.weather("fog") {
		above = pixel.Mix(c.Saturated(0.35), pixel.RGB{R: 0.84, G: 0.87, B: 0.91}, 0.55)
	}
	c = pixel.Mix(ground, above, up)
	return a.addMist(c, up, y)
}

// relight changes the tones of the ground to the time of day and the weather.
func (a *atmosphere) relight(c pixel.RGB, y int) pixel.RGB {
	l := c.Luma()
	low := pixel.Unit(float32(y) / float32(a.h))
	switch a.scene.Time {
	case "night":
		lamp := pixel.Smooth(0.80, 0.97, l) * pixel.Smooth(-0.05, 0.15, c.R-c.B)
		dark := c.Saturated(0.55).Times(pixel.RGB{R: 0.26, G: 0.33, B: 0.56}).Scaled(0.65 + 0.5*l)
		c = pixel.Mix(dark, c, lamp*0.8)
	case "sunset":
		c = pixel.Mix(c.Times(pixel.RGB{R: 1.10, G: 0.80, B: 0.60}), c.Saturated(0.7).Times(pixel.RGB{R: 0.70, G: 0.46, B: 0.58}), pixel.Smooth(0.55, 0.05, l)*0.8)
		c = c.Plus(pixel.RGB{R: 0.10, G: 0.045, B: 0}.Scaled(pixel.Smooth(0.9, 0.35, low)))
	case "dawn":
		c = pixel.Mix(c.Times(pixel.RGB{R: 1.05, G: 0.92, B: 0.84}), c.Saturated(0.75).Times(pixel.RGB{R: 0.84, G: 0.78, B: 0.92}), pixel.Smooth(0.6, 0.1, l)*0.7).Plus(pixel.RGB{R: 0.05, G: 0.03, B: 0.03})
	case "day":
		if lift := pixel.Unit((0.62 - a.mean) * 2.2); lift > 0 { // a dark picture is brightened
			c = pixel.Mix(c, pixel.RGB{R: 1 - (1-c.R)*(1-c.R), G: 1 - (1-c.G)*(1-c.G), B: 1 - (1-c.B)*(1-c.B)}, lift).Saturated(1 + 0.25*lift)
		}
		c = c.Times(pixel.RGB{R: 1.04, G: 1.02, B: 0.98})
	}
	if a.scene.weather("storm") || a.scene.weather("rain") {
		k := float32(0.75)
		if a.scene.weather("storm") {
			k = 0.6
		}
		c = c.Saturated(0.62).Times(pixel.RGB{R: 0.92, G: 0.97, B: 1.05}).Scaled(k)
	}
	return c
}

// recolourSeason changes what is green to the colours of the season.
func (a *atmosphere) recolourSeason(c pixel.RGB, x, y int) pixel.RGB {
	if a.scene.Season == "" {
		return c
	}
	h, s, l := c.HSL()
	green := pixel.Smooth(0.11, 0.19, h) * pixel.Smooth(0.48, 0.38, h) * pixel.Smooth(0.08, 0.22, s)
	if green <= 0 {
		if a.scene.Season == "summer" {
			return c.Times(pixel.RGB{R: 1.05, G: 1.02, B: 0.94}).Saturated(1.12)
		}
		return c
	}
	u := float32(a.u)
	n := chance.Fractal(float32(x)/u*16, float32(y)/u*16, 4, a.seed)
	// Leaves change colour and blossom; a meadow changes less.
	leaf := pixel.Smooth(float32(a.horizon)+u*0.10, float32(a.horizon)-u*0.02, float32(y))
	var to pixel.RGB
	switch a.scene.Season {
	case "autumn":
		turned := pixel.FromHSL(0.025+0.09*pixel.Smooth(0.3, 0.7, n), min(s*1.25+0.12, 0.95), min(l*1.08+0.02, 1))
		to = pixel.Mix(pixel.FromHSL(0.105+0.05*n, min(s*0.95+0.05, 0.8), l), turned, leaf)
	case "spring":
		to = pixel.FromHSL(0.25, min(s*1.2+0.08, 0.9), min(l*1.12+0.04, 1))
		to = pixel.Mix(to, pixel.RGB{R: 0.98, G: 0.80, B: 0.87}.Scaled(0.75+0.45*l), leaf*pixel.Smooth(0.5, 0.62, n)*0.85)
	default:
		to = pixel.FromHSL(0.28, min(s*1.35+0.05, 0.95), l)
	}
	return pixel.Mix(c, to, green)
}

// addSnow lays snow on the lower part, more on lighter pixels.
func (a *atmosphere) addSnow(c pixel.RGB, x, y int) pixel.RGB {
	if !a.scene.weather("snow") {
		return c
	}
	u := float32(a.u)
	l := c.Luma()
	n := chance.Fractal(float32(x)/u*9, float32(y)/u*9, 4, a.seed)
	low := pixel.Smooth(float32(a.horizon)-u*0.12, float32(a.horizon)+u*0.18, float32(y))
	hold := pixel.Unit(pixel.Smooth(0.16, 0.5, l+0.5*(n-0.5)) * (0.30 + 0.62*low))
	white := pixel.Mix(pixel.RGB{R: 0.70, G: 0.76, B: 0.86}, pixel.RGB{R: 0.97, G: 0.98, B: 1}, pixel.Smooth(0.1, 0.75, l+0.25*(n-0.5)))
	return pixel.Mix(c.Saturated(0.6).Times(pixel.RGB{R: 0.96, G: 1, B: 1.05}), white, hold)
}

// addMist adds mist, more in the distance.
func (a *atmosphere) addMist(c pixel.RGB, up float32, y int) pixel.RGB {
	if !a.scene.weather("fog") {
		return c
	}
	far := pixel.Smooth(float32(a.h), float32(a.horizon), float32(y))
	if !a.has {
		far = pixel.Smooth(float32(a.h), 0, float32(y))
	}
	haze := a.renderer.sky.haze.Saturated(0.5)
	haze = pixel.Mix(haze, pixel.RGB{R: 0.86, G: 0.88, B: 0.90}, 0.5*(1-a.renderer.sky.night))
	return pixel.Mix(c.Saturated(0.8), haze, 0.22+0.60*max(far, up*0.9))
}

// overlay paints stars, moon and sun into the sky, and rain or snow.
func (a *atmosphere) overlay(ctx context.Context, src *image.NRGBA, toned *pixel.Raster) (*image.NRGBA, error) {
	s := a.renderer
	back := toned
	s.Wash(0, func(x, y float32) (pixel.RGB, float32) { return back.At(int(x), int(y)), 1 })
	lit := toned.NRGBA
	if a.has {
		clear := len(s.scene.Weather) == 0
		if s.scene.Time == "night" && clear {
			s.drawStars(s.horizon, 0.9)
		}
		if (s.scene.Time == "night" || s.scene.Time == "sunset" || s.scene.Time == "dawn") && clear {
			d := &s.sky
			s.drawSunOrMoon(vector.Point{X: d.sunAt.X * s.w, Y: min(d.sunAt.Y, 0.8) * s.horizon})
		}
		if s.scene.weather("storm") && !s.scene.without("lightning") {
			s.drawLightning()
		}
		painted, err := s.Paint(ctx, nil)
		if err != nil {
			return nil, err
		}
		if lit, err = pixel.Blend(ctx, toned.NRGBA, painted.NRGBA, a.sky); err != nil {
			return nil, err
		}
	}
	s.Canvas = &vector.Canvas{Width: s.Width, Height: s.Height}
	under := &pixel.Raster{NRGBA: lit, Depth: nil}
	s.Wash(0, func(x, y float32) (pixel.RGB, float32) { return under.At(int(x), int(y)), 1 })
	if !s.scene.weather("fog") || len(s.scene.Weather) > 1 {
		fog := s.scene.Weather
		s.scene.Weather = without(fog, "fog")
		s.drawWeather()
		s.scene.Weather = fog
	}
	out, err := s.Paint(ctx, nil)
	if err != nil {
		return nil, err
	}
	restoreUnchanged(lit, out.NRGBA)
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = src.Pix[i]
	}
	return out.NRGBA, nil
}

func without(in []string, word string) (out []string) {
	for _, w := range in {
		if w != word {
			out = append(out, w)
		}
	}
	return out
}
