package paint

import (
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// daylight is the light of a time of day.
type daylight struct {
	zenith, middle, horizon pixel.RGB
	lit, dim, haze          pixel.RGB
	night                   float32
	sunAt                   vector.Point // in parts of the canvas's width and of the sky's height
	sun                     pixel.RGB
	cloud, under            pixel.RGB
}

var daylights = map[string]daylight{
	"dawn": {
		zenith: pixel.MustHex("#6288bd"), middle: pixel.MustHex("#e2b4b4"), horizon: pixel.MustHex("#ffdca6"),
		lit: pixel.RGB{R: 1.08, G: 0.97, B: 0.88}, dim: pixel.RGB{R: 0.54, G: 0.50, B: 0.66}, haze: pixel.MustHex("#efd0c0"),
		sunAt: vector.Point{X: 0.26, Y: 0.86}, sun: pixel.MustHex("#fff0c4"), cloud: pixel.MustHex("#ffe6d6"), under: pixel.MustHex("#c79db0"), night: 0.15,
	},
	"day": {
		zenith: pixel.MustHex("#3c84cf"), middle: pixel.MustHex("#84bbe8"), horizon: pixel.MustHex("#dcedf5"),
		lit: pixel.RGB{R: 1.07, G: 1.05, B: 0.99}, dim: pixel.RGB{R: 0.55, G: 0.58, B: 0.69}, haze: pixel.MustHex("#c6dcea"),
		sunAt: vector.Point{X: 0.78, Y: 0.28}, sun: pixel.MustHex("#fffbe0"), cloud: pixel.MustHex("#ffffff"), under: pixel.MustHex("#bccbdc"),
	},
	"sunset": {
		zenith: pixel.MustHex("#3a3b7c"), middle: pixel.MustHex("#c9587c"), horizon: pixel.MustHex("#ffb658"),
		lit: pixel.RGB{R: 1.14, G: 0.90, B: 0.72}, dim: pixel.RGB{R: 0.45, G: 0.36, B: 0.54}, haze: pixel.MustHex("#b0708c"),
		sunAt: vector.Point{X: 0.66, Y: 0.86}, sun: pixel.MustHex("#fff0b0"), cloud: pixel.MustHex("#ffb08a"), under: pixel.MustHex("#6f4a80"), night: 0.4,
	},
	"night": {
		zenith: pixel.MustHex("#070b24"), middle: pixel.MustHex("#152454"), horizon: pixel.MustHex("#32497f"),
		lit: pixel.RGB{R: 0.62, G: 0.70, B: 0.96}, dim: pixel.RGB{R: 0.20, G: 0.22, B: 0.40}, haze: pixel.MustHex("#27385f"),
		sunAt: vector.Point{X: 0.74, Y: 0.30}, sun: pixel.MustHex("#fdf6dc"), cloud: pixel.MustHex("#46568a"), under: pixel.MustHex("#1a2348"), night: 1,
	},
	"storm": {
		zenith: pixel.MustHex("#252c39"), middle: pixel.MustHex("#475262"), horizon: pixel.MustHex("#8d98a2"),
		lit: pixel.RGB{R: 0.80, G: 0.83, B: 0.88}, dim: pixel.RGB{R: 0.36, G: 0.39, B: 0.47}, haze: pixel.MustHex("#78838e"),
		sunAt: vector.Point{X: 0.5, Y: 0.4}, sun: pixel.MustHex("#d8dde2"), cloud: pixel.MustHex("#7c8794"), under: pixel.MustHex("#2c3440"), night: 0.55,
	},
}

// chooseLight chooses the light of the scene, changed by weather, mood and look.
func (s *renderer) chooseLight() daylight {
	time := s.scene.Time
	if time == "" {
		switch {
		case s.manner.time != "":
			time = s.manner.time
		case find(s.scene.Sky, "moon") != nil, find(s.scene.Sky, "stars") != nil, find(s.scene.Sky, "aurora") != nil,
			find(s.scene.Sky, "fireworks") != nil, find(s.scene.Sky, "comet") != nil, s.scene.setting("night") != nil:
			time = "night"
		case s.scene.mood("dark"):
			time = "night"
		case s.scene.mood("epic"), s.scene.mood("warm"):
			time = "sunset"
		default:
			time = "day"
		}
	}
	d, known := daylights[time]
	if !known {
		time, d = "day", daylights["day"]
	}
	s.time = time
	if s.scene.weather("storm") {
		storm := daylights["storm"]
		if time == "night" || time == "sunset" || time == "dawn" {
			storm = storm.towards(d, 0.4)
		}
		d = storm
	} else if s.scene.weather("rain") {
		d = d.towards(daylights["storm"], 0.5)
	} else if s.scene.weather("snow") || s.scene.weather("fog") {
		grey := d.horizon.Saturated(0.45)
		d.zenith, d.middle = pixel.Mix(d.zenith, grey, 0.45), pixel.Mix(d.middle, grey, 0.45)
		d.dim = pixel.Mix(d.dim, d.lit, 0.15)
	}
	if c := s.scene.setting("clouds"); c != nil && len(c.Colours) > 0 {
		t := c.Colours[0].Tint()
		d.zenith, d.middle, d.horizon = pixel.Mix(d.zenith, t.Shifted(-25), 0.8), pixel.Mix(d.middle, t, 0.8), pixel.Mix(d.horizon, t.Shifted(45), 0.75)
	}
	return d
}

func (d daylight) towards(o daylight, t float32) daylight {
	m := d
	m.zenith, m.middle, m.horizon = pixel.Mix(d.zenith, o.zenith, t), pixel.Mix(d.middle, o.middle, t), pixel.Mix(d.horizon, o.horizon, t)
	m.lit, m.dim, m.haze = pixel.Mix(d.lit, o.lit, t), pixel.Mix(d.dim, o.dim, t), pixel.Mix(d.haze, o.haze, t)
	m.cloud, m.under = pixel.Mix(d.cloud, o.cloud, t), pixel.Mix(d.under, o.under, t)
	m.night += (o.night - d.night) * t
	return m
}

// at returns the sky's colour at a height from 0 (top) to 1 (horizon).
func (d *daylight) at(t float32) pixel.RGB {
	if t < 0.55 {
		return pixel.Mix(d.zenith, d.middle, pixel.Smooth(0, 0.55, t))
	}
	return pixel.Mix(d.middle, d.horizon, pixel.Smooth(0.55, 1, t))
}
