package picture

import (
	"context"
	"image"
	"math"
)

// Insert paints the subjects of a scene into a picture, in its light, on its
// ground, and beside what it already shows. Within an area, if one is given, they
// fill it. What they do not cover stays as it was, to the byte.
func Insert(ctx context.Context, img image.Image, scene Scene, look Look, area image.Rectangle, seed int64, progress func(float64)) (*image.NRGBA, error) {
	src := seen(img)
	scene = scene.own()
	scene.Styles, scene.Moods, scene.Palette = nil, nil, nil
	given := !area.Empty()
	if area = area.Intersect(src.Rect); area.Empty() {
		area = src.Rect
	}
	under := flatten(src.SubImage(area))
	if area.Dx() < minSide || area.Dy() < minSide || area.Dx() > maxSide || area.Dy() > maxSide {
		return nil, ErrSize
	}
	small, err := studyOf(ctx, under, studySide)
	if err != nil {
		return nil, err
	}
	s, err := small.stage(ctx, scene, look, under, seed)
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
		s.scene.Subjects[0].Place = small.emptier()
	}
	if given {
		for i := range s.scene.Subjects {
			s.scene.Subjects[i].Place = "middle"
		}
	}
	s.cast()
	s.letters()
	painted, err := s.paint(ctx, progress)
	if err != nil {
		return nil, err
	}
	keepSame(under, painted.NRGBA)
	out := flatten(src)
	for y := range area.Dy() {
		copy(out.Pix[(area.Min.Y+y)*out.Stride+area.Min.X*4:(area.Min.Y+y)*out.Stride+area.Max.X*4], painted.Pix[y*painted.Stride:])
	}
	return out, nil
}

// stage is an open-air stage whose backdrop is a picture and whose light and
// horizon are those of the picture.
func (s *study) stage(ctx context.Context, scene Scene, look Look, under *image.NRGBA, seed int64) (*stage, error) {
	sky, err := s.sky(ctx)
	if err != nil {
		return nil, err
	}
	w, h := under.Rect.Dx(), under.Rect.Dy()
	look.Night = false
	st := newStage(scene, look, w, h, seed, 0)
	st.world, st.snow = "", false
	st.scene.Settings, st.manner = nil, manner{texture: 1}
	st.horizon = st.h * 0.5
	if sky != nil {
		st.horizon = min(max(s.skyline(sky), 0.25), 0.8) * st.h
	}
	st.light = s.light(st.light)
	back := &raster{under, nil}
	st.wash(0, func(x, y float32) (rgb, float32) { return back.at(int(x), int(y)), 1 })
	return st, nil
}

// skyline is the mean height at which a sky ends, as a part of the picture's.
func (s *study) skyline(sky *Mask) float64 {
	var sum, n float64
	for x := range s.w {
		for y := s.h - 1; y >= 0; y-- {
			if sky.Pix[y*s.w+x] >= 128 {
				sum += float64(y+1) / float64(s.h)
				n++
				break
			}
		}
	}
	return sum / max(n, 1)
}

// light is the light of a photograph: as bright and of the colour that its tones
// are, so that what is painted into it belongs there.
func (s *study) light(l light) light {
	var sum lab
	for _, c := range s.colour {
		sum = sum.plus(c)
	}
	mean := sum.scaled(1 / float32(len(s.colour)))
	neutral, tinted := lab{mean.l, 0, 0}.rgb(), lab{mean.l, mean.a * 0.6, mean.b * 0.6}.rgb()
	tint := rgb{tinted.r / max(neutral.r, 0.05), tinted.g / max(neutral.g, 0.05), tinted.b / max(neutral.b, 0.05)}
	bright := min(max(0.22+mean.l*1.35, 0.30), 1.12)
	day := daylights["day"]
	l.lit, l.dim = day.lit.times(tint).scaled(bright), day.dim.times(tint).scaled(bright)
	l.haze = mean.rgb()
	l.night = smooth(0.38, 0.22, mean.l)
	l.flat, l.cel, l.outline, l.texture = false, false, 0, 0.75
	return l
}

// emptier is the side of a picture on which less happens: there is room for
// something new.
func (s *study) emptier() string {
	var left, right float32
	for i := range s.colour {
		x, y := i%s.w, i/s.w
		if y < s.h/3 {
			continue
		}
		if v := s.rough(x, y); x*2 < s.w {
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

// keepSame restores what painting only dithered, and the transparency of it.
func keepSame(before, after *image.NRGBA) {
	for i := 0; i+3 < len(before.Pix); i += 4 {
		p, q := before.Pix[i:i+4], after.Pix[i:i+4]
		if diff(p[0], q[0]) <= 1 && diff(p[1], q[1]) <= 1 && diff(p[2], q[2]) <= 1 {
			copy(q, p)
		}
	}
}

// InsertSky paints what a scene's sky holds into the sky of a picture: the moon,
// the sun, stars, clouds, a rainbow. It stays behind what stands before the sky;
// when no sky is seen it is painted at the top.
func InsertSky(ctx context.Context, img image.Image, scene Scene, look Look, seed int64) (*image.NRGBA, error) {
	under := seen(img)
	if under.Rect.Dx() < minSide || under.Rect.Dy() < minSide || under.Rect.Dx() > maxSide || under.Rect.Dy() > maxSide {
		return nil, ErrSize
	}
	small, err := studyOf(ctx, under, studySide)
	if err != nil {
		return nil, err
	}
	scene = scene.own()
	scene.Subjects, scene.Weather, scene.Styles = nil, nil, nil
	s, err := small.stage(ctx, scene, look, under, seed)
	if err != nil {
		return nil, err
	}
	sky, err := small.sky(ctx)
	if err != nil {
		return nil, err
	}
	s.scene.Without = append(s.scene.Without, "bird", "lightning")
	if s.scene.sky("lightning") != nil {
		s.scene.Without = nil
	}
	s.skies(small, sky)
	painted, err := s.paint(ctx, nil)
	if err != nil {
		return nil, err
	}
	keepSame(under, painted.NRGBA)
	if sky == nil {
		return painted.NRGBA, nil
	}
	m, err := matte(ctx, under, sky)
	if err != nil {
		return nil, err
	}
	return Blend(ctx, under, painted.NRGBA, m)
}

// skies puts the things of the sky on the stage.
func (s *stage) skies(small *study, sky *Mask) {
	if s.scene.sky("clouds") != nil {
		s.cloudLayer(0.8)
	}
	if s.scene.sky("stars") != nil {
		s.stars(s.horizon, 1)
	}
	if t := s.scene.sky("moon"); t != nil || s.scene.sky("sun") != nil {
		if t == nil {
			t = s.scene.sky("sun")
		}
		at := small.opening(sky, t.Place, s.dice("opening"))
		s.luminary(point{at.x * s.w, at.y * s.h})
	}
	s.wonders()
}

// cloudLayer is clouds alone, to lie over any sky.
func (s *stage) cloudLayer(cover float32) {
	seed, u, bottom := uint32(s.dice("sky").next()), float32(s.u), float32(s.horizon)
	cloud, under := daylights["day"].cloud.times(s.light.lit).bounded(), daylights["day"].under.times(s.light.lit).bounded()
	s.washBox(box{0, 0, s.w, s.horizon}, 0, func(x, y float32) (rgb, float32) {
		t := min(y/bottom, 1)
		cx, cy := x/u*2.1, y/u*2.4*1.3/(1.15-t*0.92)
		n := fractal(cx, cy, 5, seed)
		v := smooth(0.62-cover*0.34, 0.80-cover*0.22, n)
		shade := unit(0.5 + (n-fractal(cx, cy-0.16, 3, seed))*3.2)
		return mix(under, cloud, shade), v * (0.92 - 0.3*t) * smooth(1, 0.7, t)
	})
}

// opening is a place in the sky where nothing else is, in parts of the picture.
func (s *study) opening(sky *Mask, place string, d *dice) point {
	best, at := math.Inf(-1), point{0.75, 0.2}
	r := max(s.w, s.h) / 12
	for row := range 5 {
		for col := range 9 {
			p := point{0.1 + 0.1*float64(col), 0.12 + 0.07*float64(row)}
			if place == "left" && p.x > 0.4 || place == "right" && p.x < 0.6 || place == "middle" && math.Abs(p.x-0.5) > 0.15 {
				continue
			}
			cx, cy := int(p.x*float64(s.w)), int(p.y*float64(s.h))
			var rough, open, n float64
			for y := cy - r; y <= cy+r; y++ {
				for x := cx - r; x <= cx+r; x++ {
					n++
					if x < 0 || y < 0 || x >= s.w || y >= s.h {
						continue
					}
					rough += float64(s.rough(x, y))
					if sky == nil || sky.Pix[y*s.w+x] >= 128 {
						open++
					}
				}
			}
			v := open/n - 6*rough/n + 0.25*math.Abs(p.x-0.5) + 0.02*d.unit()
			if v > best {
				best, at = v, p
			}
		}
	}
	return at
}
