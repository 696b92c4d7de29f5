package picture

// daylight is the light of a time of day.
type daylight struct {
	zenith, middle, horizon rgb
	lit, dim, haze          rgb
	night                   float32
	sunAt                   point // in parts of the canvas's width and of the sky's height
	sun                     rgb
	cloud, under            rgb
}

var daylights = map[string]daylight{
	"dawn": {
		zenith: ink("#6288bd"), middle: ink("#e2b4b4"), horizon: ink("#ffdca6"),
		lit: rgb{1.08, 0.97, 0.88}, dim: rgb{0.54, 0.50, 0.66}, haze: ink("#efd0c0"),
		sunAt: point{0.26, 0.86}, sun: ink("#fff0c4"), cloud: ink("#ffe6d6"), under: ink("#c79db0"), night: 0.15,
	},
	"day": {
		zenith: ink("#3c84cf"), middle: ink("#84bbe8"), horizon: ink("#dcedf5"),
		lit: rgb{1.07, 1.05, 0.99}, dim: rgb{0.55, 0.58, 0.69}, haze: ink("#c6dcea"),
		sunAt: point{0.78, 0.28}, sun: ink("#fffbe0"), cloud: ink("#ffffff"), under: ink("#bccbdc"),
	},
	"sunset": {
		zenith: ink("#3a3b7c"), middle: ink("#c9587c"), horizon: ink("#ffb658"),
		lit: rgb{1.14, 0.90, 0.72}, dim: rgb{0.45, 0.36, 0.54}, haze: ink("#b0708c"),
		sunAt: point{0.66, 0.86}, sun: ink("#fff0b0"), cloud: ink("#ffb08a"), under: ink("#6f4a80"), night: 0.4,
	},
	"night": {
		zenith: ink("#070b24"), middle: ink("#152454"), horizon: ink("#32497f"),
		lit: rgb{0.62, 0.70, 0.96}, dim: rgb{0.20, 0.22, 0.40}, haze: ink("#27385f"),
		sunAt: point{0.74, 0.30}, sun: ink("#fdf6dc"), cloud: ink("#46568a"), under: ink("#1a2348"), night: 1,
	},
	"storm": {
		zenith: ink("#252c39"), middle: ink("#475262"), horizon: ink("#8d98a2"),
		lit: rgb{0.80, 0.83, 0.88}, dim: rgb{0.36, 0.39, 0.47}, haze: ink("#78838e"),
		sunAt: point{0.5, 0.4}, sun: ink("#d8dde2"), cloud: ink("#7c8794"), under: ink("#2c3440"), night: 0.55,
	},
}

// daylight chooses the light of the scene and lets weather, mood and look bend it.
func (s *stage) daylight() daylight {
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
		grey := d.horizon.saturated(0.45)
		d.zenith, d.middle = mix(d.zenith, grey, 0.45), mix(d.middle, grey, 0.45)
		d.dim = mix(d.dim, d.lit, 0.15)
	}
	if c := s.scene.setting("clouds"); c != nil && len(c.Colours) > 0 {
		t := c.Colours[0].tint()
		d.zenith, d.middle, d.horizon = mix(d.zenith, t.shifted(-25), 0.8), mix(d.middle, t, 0.8), mix(d.horizon, t.shifted(45), 0.75)
	}
	return d
}

func (d daylight) towards(o daylight, t float32) daylight {
	m := d
	m.zenith, m.middle, m.horizon = mix(d.zenith, o.zenith, t), mix(d.middle, o.middle, t), mix(d.horizon, o.horizon, t)
	m.lit, m.dim, m.haze = mix(d.lit, o.lit, t), mix(d.dim, o.dim, t), mix(d.haze, o.haze, t)
	m.cloud, m.under = mix(d.cloud, o.cloud, t), mix(d.under, o.under, t)
	m.night += (o.night - d.night) * t
	return m
}

// at answers the sky's colour at a height from 0 (top) to 1 (horizon).
func (d *daylight) at(t float32) rgb {
	if t < 0.55 {
		return mix(d.zenith, d.middle, smooth(0, 0.55, t))
	}
	return mix(d.middle, d.horizon, smooth(0.55, 1, t))
}
