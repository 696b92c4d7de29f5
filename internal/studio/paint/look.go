package paint

import (
	"embed"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Look is the hand of a model: what makes its pictures differ from those of
// another model for the same words. The zero value is a neutral hand.
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
	Night      bool     // prefers low light when the prompt is silent
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

// LookOf answers the look of a model id.
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
