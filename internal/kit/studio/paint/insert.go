package paint

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// Insert paints the subjects of a scene into a picture, in its light, on its
// ground, and beside what it already shows. If an area is given, they fill it.
// Pixels that they do not cover stay unchanged.
func Insert(ctx context.Context, img image.Image, scene Scene, look Look, area image.Rectangle, seed int64, progress func(float64)) (*image.NRGBA, error) {
	src := pixel.AsNRGBA(img)
	scene = scene.clone()
	scene.Styles, scene.Moods, scene.Palette = nil, nil, nil
	given := !area.Empty()
	if area = area.Intersect(src.Rect); area.Empty() {
		area = src.Rect
	}
	under := pixel.Flatten(src.SubImage(area))
	if area.Dx() < pixel.MinSide || area.Dy() < pixel.MinSide || area.Dx() > pixel.MaxSide || area.Dy() > pixel.MaxSide {
		return nil, pixel.ErrSize
	}
	small, err := pixel.StudyOf(ctx, under, pixel.StudySide)
	if err != nil {
		return nil, err
	}
	s, err := rendererOver(small, ctx, scene, look, under, seed)
	if err != nil {
		return nil, err
	}
	switch {
	case given:
		s.scene.Framing, s.horizon = "close", s.h*0.55
	case s.scene.Framing == "":
		s.scene.Framing = "wide"
	}
	if !given && len(s.scene.Subjects) == 1 && s.scene.Subjects[0].Place == "" {
		s.scene.Subjects[0].Place = emptierSide(small)
	}
	if given {
		for i := range s.scene.Subjects {
			s.scene.Subjects[i].Place = "middle"
		}
	}
	s.drawFigures()
	s.drawTexts()
	painted, err := s.Paint(ctx, progress)
	if err != nil {
		return nil, err
	}
	restoreUnchanged(under, painted.NRGBA)
	out := pixel.Flatten(src)
	for y := range area.Dy() {
		copy(out.Pix[(area.Min.Y+y)*out.Stride+area.Min.X*4:(area.Min.Y+y)*out.Stride+area.Max.X*4], painted.Pix[y*painted.Stride:])
	}
	return out, nil
}

// rendererOver returns an open-air scene with a photograph as background, and its
// light and horizon.
func rendererOver(s *pixel.Study, ctx context.Context, scene Scene, look Look, under *image.NRGBA, seed int64) (*renderer, error) {
	sky, err := s.Sky(ctx)
	if err != nil {
		return nil, err
	}
	w, h := under.Rect.Dx(), under.Rect.Dy()
	look.Night = false
	st := newRenderer(scene, look, w, h, seed, 0)
	st.world, st.snow = "", false
	st.scene.Settings, st.manner = nil, styleSettings{texture: 1}
	st.horizon = st.h * 0.5
	if sky != nil {
		st.horizon = min(max(skyEnd(s, sky), 0.25), 0.8) * st.h
	}
	st.light = lightOf(s, st.light)
	back := &pixel.Raster{NRGBA: under, Depth: nil}
	st.Wash(0, func(x, y float32) (pixel.RGB, float32) { return back.At(int(x), int(y)), 1 })
	return st, nil
}

// skyEnd returns the mean height at which a sky ends, as a part of the
// picture's height.
func skyEnd(s *pixel.Study, sky *pixel.Mask) float64 {
	var sum, n float64
	for x := range s.W {
		for y := s.H - 1; y >= 0; y-- {
			if sky.Pix[y*s.W+x] >= 128 {
				sum += float64(y+1) / float64(s.H)
				n++
				break
			}
		}
	}
	return sum / max(n, 1)
}

// lightOf returns the light of a photograph, estimated from its tones, so that
// what is painted into it fits.
func lightOf(s *pixel.Study, l vector.Light) vector.Light {
	var sum pixel.Lab
	for _, c := range s.Colour {
		sum = sum.Plus(c)
	}
	mean := sum.Scaled(1 / float32(len(s.Colour)))
	neutral, tinted := pixel.Lab{L: mean.L, A: 0, B: 0}.RGB(), pixel.Lab{L: mean.L, A: mean.A * 0.6, B: mean.B * 0.6}.RGB()
	tint := pixel.RGB{R: tinted.R / max(neutral.R, 0.05), G: tinted.G / max(neutral.G, 0.05), B: tinted.B / max(neutral.B, 0.05)}
	bright := min(max(0.22+mean.L*1.35, 0.30), 1.12)
	day := daylights["day"]
	l.Lit, l.Dim = day.lit.Times(tint).Scaled(bright), day.dim.Times(tint).Scaled(bright)
	l.Haze = mean.RGB()
	l.Night = pixel.Smooth(0.38, 0.22, mean.L)
	l.Flat, l.Cel, l.Outline, l.Texture = false, false, 0, 0.75
	return l
}

// emptierSide returns the side of a picture with less detail, where there is
// space for something new.
func emptierSide(s *pixel.Study) string {
	var left, right float32
	for i := range s.Colour {
		x, y := i%s.W, i/s.W
		if y < s.H/3 {
			continue
		}
		if v := s.Gradient(x, y); x*2 < s.W {
			left += v
		} else {
			right += v
		}
	}
	if left < right {
		return "left"
	}
	return "right"
}

// restoreUnchanged restores pixels that differ only by dithering, and their
// transparency.
func restoreUnchanged(before, after *image.NRGBA) {
	for i := 0; i+3 < len(before.Pix); i += 4 {
		p, q := before.Pix[i:i+4], after.Pix[i:i+4]
		if pixel.Diff(p[0], q[0]) <= 1 && pixel.Diff(p[1], q[1]) <= 1 && pixel.Diff(p[2], q[2]) <= 1 {
			copy(q, p)
		}
	}
}

// InsertSky paints the things of a scene's sky into the sky of a picture: the
// moon, the sun, stars, clouds, a rainbow. Objects before the sky cover it;
// without a visible sky it is painted at the top.
func InsertSky(ctx context.Context, img image.Image, scene Scene, look Look, seed int64) (*image.NRGBA, error) {
	under := pixel.AsNRGBA(img)
	if under.Rect.Dx() < pixel.MinSide || under.Rect.Dy() < pixel.MinSide || under.Rect.Dx() > pixel.MaxSide || under.Rect.Dy() > pixel.MaxSide {
		return nil, pixel.ErrSize
	}
	small, err := pixel.StudyOf(ctx, under, pixel.StudySide)
	if err != nil {
		return nil, err
	}
	scene = scene.clone()
	scene.Subjects, scene.Weather, scene.Styles = nil, nil, nil
	s, err := rendererOver(small, ctx, scene, look, under, seed)
	if err != nil {
		return nil, err
	}
	sky, err := small.Sky(ctx)
	if err != nil {
		return nil, err
	}
	s.scene.Without = append(s.scene.Without, "bird", "lightning")
	if s.scene.SkyThing("lightning") != nil {
		s.scene.Without = nil
	}
	s.drawSkyThings(small, sky)
	painted, err := s.Paint(ctx, nil)
	if err != nil {
		return nil, err
	}
	restoreUnchanged(under, painted.NRGBA)
	if sky == nil {
		return painted.NRGBA, nil
	}
	m, err := pixel.Matte(ctx, under, sky)
	if err != nil {
		return nil, err
	}
	return pixel.Blend(ctx, under, painted.NRGBA, m)
}

// drawSkyThings draws the things of the sky.
func (s *renderer) drawSkyThings(small *pixel.Study, sky *pixel.Mask) {
	if s.scene.SkyThing("clouds") != nil {
		s.drawCloudLayer(0.8)
	}
	if s.scene.SkyThing("stars") != nil {
		s.drawStars(s.horizon, 1)
	}
	if t := s.scene.SkyThing("moon"); t != nil || s.scene.SkyThing("sun") != nil {
		if t == nil {
			t = s.scene.SkyThing("sun")
		}
		at := freeSkySpot(small, sky, t.Place, s.dice("opening"))
		s.drawSunOrMoon(vector.Point{X: at.X * s.w, Y: at.Y * s.h})
	}
	s.drawSkyEffects()
}

// drawCloudLayer draws clouds over any sky.
func (s *renderer) drawCloudLayer(cover float32) {
	seed, u, bottom := uint32(s.dice("sky").Next()), float32(s.u), float32(s.horizon)
	cloud, under := daylights["day"].cloud.Times(s.light.Lit).Bounded(), daylights["day"].under.Times(s.light.Lit).Bounded()
	s.WashBox(vector.Box{X0: 0, Y0: 0, X1: s.w, Y1: s.horizon}, 0, func(x, y float32) (pixel.RGB, float32) {
		t := min(y/bottom, 1)
		cx, cy := x/u*2.1, y/u*2.4*1.3/(1.15-t*0.92)
		n := chance.Fractal(cx, cy, 5, seed)
		v := pixel.Smooth(0.62-cover*0.34, 0.80-cover*0.22, n)
		shade := pixel.Unit(0.5 + (n-chance.Fractal(cx, cy-0.16, 3, seed))*3.2)
		return pixel.Mix(under, cloud, shade), v * (0.92 - 0.3*t) * pixel.Smooth(1, 0.7, t)
	})
}

// freeSkySpot returns a free place in the sky, in parts of the picture.
func freeSkySpot(s *pixel.Study, sky *pixel.Mask, place string, d *chance.Dice) vector.Point {
	best, at := math.Inf(-1), vector.Point{X: 0.75, Y: 0.2}
	r := max(s.W, s.H) / 12
	for row := range 5 {
		for col := range 9 {
			p := vector.Point{X: 0.1 + 0.1*float64(col), Y: 0.12 + 0.07*float64(row)}
			if place == "left" && p.X > 0.4 || place == "right" && p.X < 0.6 || place == "middle" && math.Abs(p.X-0.5) > 0.15 {
				continue
			}
			cx, cy := int(p.X*float64(s.W)), int(p.Y*float64(s.H))
			var rough, open, n float64
			for y := cy - r; y <= cy+r; y++ {
				for x := cx - r; x <= cx+r; x++ {
					n++
					if x < 0 || y < 0 || x >= s.W || y >= s.H {
						continue
					}
					rough += float64(s.Gradient(x, y))
					if sky == nil || sky.Pix[y*s.W+x] >= 128 {
						open++
					}
				}
			}
			v := open/n - 6*rough/n + 0.25*math.Abs(p.X-0.5) + 0.02*d.Unit()
			if v > best {
				best, at = v, p
			}
		}
	}
	return at
}
