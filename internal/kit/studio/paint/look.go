package paint

import (
	"embed"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Look is the style of a model: what makes its pictures differ from those of
// another model for the same prompt. The zero value is neutral.
type Look struct {
	Name       string
	Warmth     float64 // above 0 leans to yellow, below to blue
	Contrast   float64
	Saturation float64
	Texture    float64 // grain of surfaces, 1 is normal
	Vignette   float64
	Bloom      float64
	Film       float64  // film grain
	Outline    float64  // ink lines around subjects
	Cel        bool     // two-tone shading
	Lift       float64  // raised blacks, as in faded prints
	Night      bool     // prefers low light when the prompt names no time
	Passes     []string // of data/style.txt, when the prompt names no style
}

// looks is read from data/look.txt: a line is a prefix of model ids and its
// settings. The longest prefix wins, so a new model needs a line and no code.
var looks = sync.OnceValue(func() map[string]Look {
	out := map[string]Look{}
	for name, settings := range settingsOf("data/look.txt") {
		l := Look{Name: name, Texture: 1}
		number := func(key string, to *float64) {
			if v, err := strconv.ParseFloat(settings[key], 64); err == nil {
				*to = v
			}
		}
		number("warmth", &l.Warmth)
		number("contrast", &l.Contrast)
		number("saturation", &l.Saturation)
		number("texture", &l.Texture)
		number("vignette", &l.Vignette)
		number("bloom", &l.Bloom)
		number("film", &l.Film)
		number("outline", &l.Outline)
		number("lift", &l.Lift)
		l.Cel, l.Night = settings["cel"] == "1", settings["night"] == "1"
		if settings["passes"] != "" {
			l.Passes = strings.Split(settings["passes"], ",")
		}
		out[name] = l
	}
	return out
})

//go:embed data/look.txt data/style.txt
var settingFiles embed.FS

// settingsOf reads a file of lines "name key=value key=value".
func settingsOf(file string) map[string]map[string]string {
	text, err := settingFiles.ReadFile(path.Clean(file))
	if err != nil {
		panic(err)
	}
	out := map[string]map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		out[words[0]] = map[string]string{}
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			out[words[0]][key] = value
		}
	}
	return out
}

// LookOf returns the look of a model id.
func LookOf(model string) Look {
	best := Look{Name: "neutral", Texture: 1}
	length := 0
	for prefix, l := range looks() {
		if len(prefix) > length && strings.HasPrefix(model, prefix) {
			best, length = l, len(prefix)
		}
	}
	return best
}

// styleSettings is the settings of a style, for drawing and for the passes over the
// finished picture.
type styleSettings struct {
	flat, cel, plainGround bool
	outline                float64
	texture                float64
	line                   pixel.RGB
	time                   string
	isometric              bool
	neon                   bool
	passes                 []string
}

// styleTable is read from data/style.txt: a style is a line of settings, and its
// passes are names of functions in this package.
var styleTable = sync.OnceValue(func() map[string]styleSettings {
	out := map[string]styleSettings{}
	for name, s := range settingsOf("data/style.txt") {
		m := styleSettings{texture: 1, line: pixel.MustHex("#1c1720")}
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

// styleSettingsOf joins the styles of a scene with the look of a model.
func styleSettingsOf(styles []string, l Look) styleSettings {
	m := styleSettings{texture: l.Texture, outline: l.Outline, cel: l.Cel, line: pixel.MustHex("#221a24")}
	for _, name := range styles {
		o, ok := styleTable()[name]
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
			m.passes = AppendOnce(m.passes, p)
		}
	}
	if len(styles) == 0 {
		m.passes = append(m.passes, l.Passes...)
	}
	return m
}
