package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// renderer draws a scene on a canvas: sky, distance, ground, subjects, foreground.
type renderer struct {
	*vector.Canvas
	scene  Scene
	look   Look
	manner styleSettings
	seed   uint64
	at     float64 // seconds into a clip

	w, h, u float64 // the canvas, and its short side as the unit of length
	horizon float64
	time    string
	sky     daylight
	light   vector.Light
	world   string // undersea, space, room, table, studio, clouds, blank, or empty for the open air
	snow    bool
}

func newRenderer(scene Scene, look Look, w, h int, seed int64, at float64) *renderer {
	scene = scene.clone()
	s := &renderer{
		Canvas: &vector.Canvas{Width: w, Height: h}, scene: scene, look: look, seed: chance.Scramble(uint64(seed) ^ chance.Hash(look.Name)),
		at: at, w: float64(w), h: float64(h), u: float64(min(w, h)),
	}
	s.manner = styleSettingsOf(scene.Styles, look)
	if s.manner.time == "" && look.Night && chance.New(s.seed, "hour").Chance(0.5) {
		s.manner.time = "sunset"
	}
	s.chooseWorld()
	s.sky = s.chooseLight()
	if scene := &s.scene; scene.setting("moonland") != nil && scene.Time == "" && len(scene.Weather) == 0 {
		// No atmosphere: a black sky over lit ground.
		day := daylights["day"]
		s.sky = daylights["night"]
		s.sky.zenith, s.sky.middle, s.sky.horizon = pixel.MustHex("#04050d"), pixel.MustHex("#0a0e20"), pixel.MustHex("#1c2440")
		s.sky.lit, s.sky.dim, s.sky.haze = day.lit, pixel.RGB{R: 0.34, G: 0.36, B: 0.48}, pixel.MustHex("#4a4f63")
		scene.Without = append(scene.Without, "clouds")
	}
	s.snow = scene.weather("snow") || scene.setting("snowfield") != nil
	side := float32(-0.5)
	if s.sky.sunAt.X > 0.5 {
		side = 0.5
	}
	s.light = vector.Light{
		From: [3]float32{side, -0.6, 0.62}, Lit: s.sky.lit, Dim: s.sky.dim, Haze: s.sky.haze, Night: s.sky.night,
		Flat: s.manner.flat, Cel: s.manner.cel, Outline: s.manner.outline * s.u / 220, Line: s.manner.line,
		Texture: float32(s.manner.texture) * 0.75, Lamp: pixel.RGB{R: 1, G: 0.82, B: 0.45},
	}
	if s.manner.neon {
		s.light.Lamp = pixel.RGB{R: 0.45, G: 0.95, B: 1}
	}
	return s
}

// dice returns the random numbers for one purpose.
func (s *renderer) dice(names ...string) *chance.Dice { return chance.New(s.seed, names...) }

// chooseWorld chooses the world and the horizon, and the usual place of a subject
// when the prompt names none.
func (s *renderer) chooseWorld() {
	sc := &s.scene
	lexicon := lexicon.Words()
	if len(sc.Settings) == 0 && len(sc.Subjects) > 0 {
		home := lexicon.Subject(sc.Subjects[0].Key).Text("home", "studio")
		if find(sc.Subjects, "bridge") != nil {
			home = "river"
		}
		if !sc.without(home) {
			if sc.Framing == "bust" && home != "undersea" && home != "moonland" || home == "room" && (len(sc.Sky) > 0 || sc.Time != "" || len(sc.Weather) > 0) {
				home = map[bool]string{true: "studio", false: "meadow"}[sc.Framing == "bust" && len(sc.Sky) == 0 && sc.Time == ""]
			}
			sc.Settings = append(sc.Settings, Thing{Key: home, Count: 1, Size: 1, On: -1, HeldBy: -1})
		}
	}
	for _, t := range sc.Settings {
		if m := lexicon.Setting(t.Key); m != nil && m.Attributes["layer"] == "world" && (s.world == "" || s.world == "clouds" || t.Key == "space") {
			s.world = t.Key
		}
	}
	if s.world == "clouds" && len(sc.Settings) > 1 {
		s.world = "" // "sky" beside a landscape only colours the sky
	}
	if s.manner.plainGround && s.world != "blank" && len(sc.Subjects) > 0 {
		s.world = "plain"
	}
	if s.world == "" && len(sc.Settings) == 0 && len(sc.Sky) == 0 && len(sc.Subjects) == 0 {
		s.world = "blank"
	}
	part := 0.60
	switch {
	case sc.Framing == "above":
		part = 0.24
	case sc.Framing == "below":
		part = 0.80
	case sc.Framing == "close", sc.Framing == "bust":
		part = 0.66
	case s.waterAhead():
		part = 0.52
	case sc.Framing == "wide", len(sc.Subjects) == 0:
		part = 0.68
	}
	s.horizon = math.Round(s.h * (part + chance.New(s.seed, "horizon").Around(0.03)))
}

func (s *renderer) waterAhead() bool {
	return s.scene.setting("sea") != nil || s.scene.setting("lake") != nil || s.scene.setting("wave") != nil || s.scene.setting("river") != nil
}

// drawScene draws the whole scene on the canvas, back to front.
func (s *renderer) drawScene() {
	if s.manner.isometric {
		s.drawIsometric()
		s.drawTexts()
		return
	}
	switch s.world {
	case "undersea":
		s.drawUndersea()
	case "space":
		s.drawSpace()
	case "room":
		s.drawRoom()
	case "table":
		s.drawTabletop()
	case "studio", "plain":
		s.drawBackdrop()
	case "blank":
		s.drawAbstract()
	default:
		s.drawOpenAir()
	}
	s.drawFigures()
	s.drawForeground()
	s.drawWeather()
	s.drawTexts()
}

func (s *renderer) drawOpenAir() {
	s.drawSky()
	if s.world == "clouds" {
		s.drawCloudSea()
		return
	}
	s.drawDistance()
	s.drawMiddleGround()
	s.drawGround()
	if s.scene.weather("fog") {
		// Fog lies behind the subjects, so that they stand out from it.
		for i := range 3 {
			s.drawMist(s.horizon+s.u*(-0.12+0.13*float64(i)), s.u*0.26, 0.5)
		}
	}
}

// shadedStroke returns a stroke lit as a rounded surface of the scene.
func (s *renderer) shadedStroke(loop []vector.Point, c pixel.RGB, far float32, depth uint8) vector.Stroke {
	st := vector.Stroke{Loops: [][]vector.Point{loop}, Depth: depth, Shading: vector.Round, Alpha: 1, Light: s.light.From, Cel: s.light.Cel}
	st.Lit, st.Dim = s.light.Tones(c, far)
	if s.light.Flat {
		st.Shading = vector.Plain
	}
	return st
}

// fillShape draws a plain shape in the scene's light.
func (s *renderer) fillShape(loop []vector.Point, c pixel.RGB, far float32, depth uint8) {
	lit, dim := s.light.Tones(c, far)
	s.Add(vector.Stroke{Loops: [][]vector.Point{loop}, Depth: depth, Lit: pixel.Mix(lit, dim, 0.25), Alpha: 1})
}
