package paint

import (
	"strconv"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/studio/pixel"
)

// manner is what the style words of a prompt ask of the painting itself and of
// the passes over the finished picture.
type manner struct {
	flat, cel, plainGround bool
	outline                float64
	texture                float64
	line                   pixel.RGB
	time                   string
	isometric              bool
	neon                   bool
	passes                 []string
}

// manners is read from data/style.txt: a style is a line of settings, and its
// passes are names of functions in this package.
var manners = sync.OnceValue(func() map[string]manner {
	out := map[string]manner{}
	for name, s := range settingsOf("data/style.txt") {
		m := manner{texture: 1, line: pixel.Ink("#1c1720")}
		m.flat, m.cel, m.plainGround = s["flat"] == "1", s["cel"] == "1", s["plain"] == "1"
		m.isometric, m.neon, m.time = s["isometric"] == "1", s["neon"] == "1", s["time"]
		if v, err := strconv.ParseFloat(s["outline"], 64); err == nil {
			m.outline = v
		}
		if v, err := strconv.ParseFloat(s["texture"], 64); err == nil {
			m.texture = v
		}
		if c, ok := pixel.Hex(s["line"]); ok {
			m.line = c
		}
		if s["passes"] != "" {
			m.passes = strings.Split(s["passes"], ",")
		}
		out[name] = m
	}
	return out
})

// mannerOf joins the styles of a scene with the look of a model.
func mannerOf(styles []string, l Look) manner {
	m := manner{texture: l.Texture, outline: l.Outline, cel: l.Cel, line: pixel.Ink("#221a24")}
	for _, name := range styles {
		o, ok := manners()[name]
		if !ok {
			continue
		}
		m.flat, m.cel, m.plainGround = m.flat || o.flat, m.cel || o.cel, m.plainGround || o.plainGround
		m.isometric, m.neon = m.isometric || o.isometric, m.neon || o.neon
		m.texture *= o.texture
		if o.outline > 0 {
			m.outline, m.line = max(m.outline, o.outline), o.line
		}
		if o.time != "" {
			m.time = o.time
		}
		for _, p := range o.passes {
			m.passes = Once(m.passes, p)
		}
	}
	if len(styles) == 0 {
		m.passes = append(m.passes, l.Passes...)
	}
	return m
}
