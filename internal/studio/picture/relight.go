package picture

import (
	"context"
	"image"
)

// Relight changes the time of day, the weather and the season of a picture, as
// the scene says: the sky is painted anew where one is seen, the tones follow,
// and what falls from the sky is painted over all.
func Relight(ctx context.Context, img image.Image, scene Scene, look Look, seed int64) (*image.NRGBA, error) {
	src := seen(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if w < minSide || h < minSide || w > maxSide || h > maxSide {
		return nil, ErrSize
	}
	small, err := studyOf(ctx, src, studySide)
	if err != nil {
		return nil, err
	}
	sky, err := small.sky(ctx)
	if err != nil {
		return nil, err
	}
	mask := NewMask(w, h)
	if sky != nil {
		if mask, err = matte(ctx, src, sky); err != nil {
			return nil, err
		}
	}
	only := Scene{Time: scene.Time, Weather: scene.Weather, Season: scene.Season, Without: scene.Without}
	s := newStage(only, Look{Name: look.Name, Texture: 1}, w, h, seed, 0)
	s.world, s.horizon = "", s.h*0.5
	if sky != nil {
		s.horizon = small.skyline(sky) * s.h
	}
	var sum lab
	for _, c := range small.colour {
		sum = sum.plus(c)
	}
	a := &atmosphere{stage: s, sky: mask, has: sky != nil, mean: sum.l / float32(len(small.colour)), seed: uint32(s.dice("atmosphere").next())}
	if sky != nil {
		a.glow = small.glow(sky)
	}
	out, err := redraw(ctx, &raster{src, nil}, func(x, y int) rgb { return a.at(src, x, y) })
	if err != nil {
		return nil, err
	}
	return a.overlay(ctx, src, out)
}

// glow is the mean light of what a mask means.
func (s *study) glow(m *Mask) float32 {
	var sum, n float32
	for i, v := range m.Pix {
		if v >= 128 {
			sum += s.colour[i].rgb().luma()
			n++
		}
	}
	return sum / max(n, 1)
}

// atmosphere is what lies between a picture's things and the eye.
type atmosphere struct {
	*stage
	sky  *Mask
	has  bool    // a sky was found
	mean float32 // lightness of the picture
	glow float32 // light of its sky
	seed uint32
}

// at is the new colour of a pixel.
func (a *atmosphere) at(src *image.NRGBA, x, y int) rgb {
	p := src.Pix[y*src.Stride+x*4:]
	c := rgb{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
	up := float32(a.sky.Pix[y*a.sky.W+x]) / 255
	ground := a.season(c, x, y)
	ground = a.snowed(ground, x, y)
	ground = a.timed(ground, y)
	above := c
	if a.scene.Time != "" || a.scene.weather("storm") || a.scene.weather("rain") {
		t := unit(float32(y) / float32(max(a.horizon, 1)))
		// Of the old sky its clouds remain, as light and shade.
		above = a.stage.sky.at(t).scaled(unit(0.92 + 0.5*(c.luma()-a.glow)))
	} else if a.scene.weather("snow") || a.scene.weather("fog") {
		above = mix(c.saturated(0.35), rgb{0.84, 0.87, 0.91}, 0.55)
	}
	c = mix(ground, above, up)
	return a.misty(c, up, y)
}

// timed bends the tones of what stands on the ground to the hour and the weather.
func (a *atmosphere) timed(c rgb, y int) rgb {
	l := c.luma()
	low := unit(float32(y) / float32(a.h))
	switch a.scene.Time {
	case "night":
		lamp := smooth(0.80, 0.97, l) * smooth(-0.05, 0.15, c.r-c.b)
		dark := c.saturated(0.55).times(rgb{0.26, 0.33, 0.56}).scaled(0.65 + 0.5*l)
		c = mix(dark, c, lamp*0.8)
	case "sunset":
		c = mix(c.times(rgb{1.10, 0.80, 0.60}), c.saturated(0.7).times(rgb{0.70, 0.46, 0.58}), smooth(0.55, 0.05, l)*0.8)
		c = c.plus(rgb{0.10, 0.045, 0}.scaled(smooth(0.9, 0.35, low)))
	case "dawn":
		c = mix(c.times(rgb{1.05, 0.92, 0.84}), c.saturated(0.75).times(rgb{0.84, 0.78, 0.92}), smooth(0.6, 0.1, l)*0.7).plus(rgb{0.05, 0.03, 0.03})
	case "day":
		if lift := unit((0.62 - a.mean) * 2.2); lift > 0 { // a dark picture is opened up
			c = mix(c, rgb{1 - (1-c.r)*(1-c.r), 1 - (1-c.g)*(1-c.g), 1 - (1-c.b)*(1-c.b)}, lift).saturated(1 + 0.25*lift)
		}
		c = c.times(rgb{1.04, 1.02, 0.98})
	}
	if a.scene.weather("storm") || a.scene.weather("rain") {
		k := float32(0.75)
		if a.scene.weather("storm") {
			k = 0.6
		}
		c = c.saturated(0.62).times(rgb{0.92, 0.97, 1.05}).scaled(k)
	}
	return c
}

// season turns what is green.
func (a *atmosphere) season(c rgb, x, y int) rgb {
	if a.scene.Season == "" {
		return c
	}
	h, s, l := c.hsl()
	green := smooth(0.11, 0.19, h) * smooth(0.48, 0.38, h) * smooth(0.08, 0.22, s)
	if green <= 0 {
		if a.scene.Season == "summer" {
			return c.times(rgb{1.05, 1.02, 0.94}).saturated(1.12)
		}
		return c
	}
	u := float32(a.u)
	n := fractal(float32(x)/u*16, float32(y)/u*16, 4, a.seed)
	// Leaves turn and blossom; a meadow only pales and freshens.
	leaf := smooth(float32(a.horizon)+u*0.10, float32(a.horizon)-u*0.02, float32(y))
	var to rgb
	switch a.scene.Season {
	case "autumn":
		turned := fromHSL(0.025+0.09*smooth(0.3, 0.7, n), min(s*1.25+0.12, 0.95), min(l*1.08+0.02, 1))
		to = mix(fromHSL(0.105+0.05*n, min(s*0.95+0.05, 0.8), l), turned, leaf)
	case "spring":
		to = fromHSL(0.25, min(s*1.2+0.08, 0.9), min(l*1.12+0.04, 1))
		to = mix(to, rgb{0.98, 0.80, 0.87}.scaled(0.75+0.45*l), leaf*smooth(0.5, 0.62, n)*0.85)
	default:
		to = fromHSL(0.28, min(s*1.35+0.05, 0.95), l)
	}
	return mix(c, to, green)
}

// snowed lays snow on what lies low and is not too dark: the lighter it was, the
// more it holds.
func (a *atmosphere) snowed(c rgb, x, y int) rgb {
	if !a.scene.weather("snow") {
		return c
	}
	u := float32(a.u)
	l := c.luma()
	n := fractal(float32(x)/u*9, float32(y)/u*9, 4, a.seed)
	low := smooth(float32(a.horizon)-u*0.12, float32(a.horizon)+u*0.18, float32(y))
	hold := unit(smooth(0.16, 0.5, l+0.5*(n-0.5)) * (0.30 + 0.62*low))
	white := mix(rgb{0.70, 0.76, 0.86}, rgb{0.97, 0.98, 1}, smooth(0.1, 0.75, l+0.25*(n-0.5)))
	return mix(c.saturated(0.6).times(rgb{0.96, 1, 1.05}), white, hold)
}

// misty lets the air be seen, more where it is far.
func (a *atmosphere) misty(c rgb, up float32, y int) rgb {
	if !a.scene.weather("fog") {
		return c
	}
	far := smooth(float32(a.h), float32(a.horizon), float32(y))
	if !a.has {
		far = smooth(float32(a.h), 0, float32(y))
	}
	haze := a.stage.sky.haze.saturated(0.5)
	haze = mix(haze, rgb{0.86, 0.88, 0.90}, 0.5*(1-a.stage.sky.night))
	return mix(c.saturated(0.8), haze, 0.22+0.60*max(far, up*0.9))
}

// overlay paints stars, moon and sun into the sky and lets weather fall.
func (a *atmosphere) overlay(ctx context.Context, src *image.NRGBA, toned *raster) (*image.NRGBA, error) {
	s := a.stage
	back := toned
	s.wash(0, func(x, y float32) (rgb, float32) { return back.at(int(x), int(y)), 1 })
	lit := toned.NRGBA
	if a.has {
		clear := len(s.scene.Weather) == 0
		if s.scene.Time == "night" && clear {
			s.stars(s.horizon, 0.9)
		}
		if (s.scene.Time == "night" || s.scene.Time == "sunset" || s.scene.Time == "dawn") && clear {
			d := &s.sky
			s.luminary(point{d.sunAt.x * s.w, min(d.sunAt.y, 0.8) * s.horizon})
		}
		if s.scene.weather("storm") && !s.scene.without("lightning") {
			s.lightning()
		}
		painted, err := s.paint(ctx, nil)
		if err != nil {
			return nil, err
		}
		if lit, err = Blend(ctx, toned.NRGBA, painted.NRGBA, a.sky); err != nil {
			return nil, err
		}
	}
	s.easel = &easel{width: s.width, height: s.height}
	under := &raster{lit, nil}
	s.wash(0, func(x, y float32) (rgb, float32) { return under.at(int(x), int(y)), 1 })
	if !s.scene.weather("fog") || len(s.scene.Weather) > 1 {
		fog := s.scene.Weather
		s.scene.Weather = without(fog, "fog")
		s.weather()
		s.scene.Weather = fog
	}
	out, err := s.paint(ctx, nil)
	if err != nil {
		return nil, err
	}
	keepSame(lit, out.NRGBA)
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
