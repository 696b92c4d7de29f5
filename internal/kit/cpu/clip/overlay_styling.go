package clip

import (
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// styling is the look of an overlay. The catalog leaves its keys open; keys
// that are unknown here are refused by name.
type styling struct {
	font       string
	size       float64 // in pixels
	sizePct    float64 // of the height of the frame
	colour     color.NRGBA
	outline    color.NRGBA
	border     float64 // in pixels, -1 for one that fits the letters
	background color.NRGBA
	align      string
	maxWidth   float64 // of a text, in percent of the frame
	opacity    float64
	fade       float64 // seconds
	width      float64 // of a picture, in pixels
	height     float64
	widthPct   float64 // of the frame
	heightPct  float64
	imageScale float64
}

// stylingSetters are the setters by key, aliases included.
var stylingSetters = map[string]func(s *styling, v any) bool{
	"font": font, "fontFamily": font, "fontWeight": font, "fontStyle": font,
	"fontSize": pixels(func(s *styling) *float64 { return &s.size }), "size": pixels(func(s *styling) *float64 { return &s.size }),
	"fontSizePct": percent(func(s *styling) *float64 { return &s.sizePct }),
	"color":       colour(func(s *styling) *color.NRGBA { return &s.colour }), "fontColor": colour(func(s *styling) *color.NRGBA { return &s.colour }),
	"outlineColor": colour(func(s *styling) *color.NRGBA { return &s.outline }), "strokeColor": colour(func(s *styling) *color.NRGBA { return &s.outline }),
	"outlineWidth": pixels(func(s *styling) *float64 { return &s.border }), "strokeWidth": pixels(func(s *styling) *float64 { return &s.border }),
	"backgroundColor": colour(func(s *styling) *color.NRGBA { return &s.background }), "background": colour(func(s *styling) *color.NRGBA { return &s.background }),
	"align": align, "textAlign": align,
	"maxWidthPct": percent(func(s *styling) *float64 { return &s.maxWidth }),
	"opacity":     share(func(s *styling) *float64 { return &s.opacity }),
	"fadeSeconds": pixels(func(s *styling) *float64 { return &s.fade }),
	"width":       pixels(func(s *styling) *float64 { return &s.width }), "height": pixels(func(s *styling) *float64 { return &s.height }),
	"widthPct": percent(func(s *styling) *float64 { return &s.widthPct }), "heightPct": percent(func(s *styling) *float64 { return &s.heightPct }),
	"scale": pixels(func(s *styling) *float64 { return &s.imageScale }),
}

// readStyling reads the keys of an overlay.
func readStyling(keys map[string]any, path string) (*styling, error) {
	s := &styling{colour: color.NRGBA{255, 255, 255, 255}, outline: color.NRGBA{0, 0, 0, 255}, border: -1, maxWidth: 90, opacity: 1}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		set := stylingSetters[name]
		if set == nil {
			return nil, worker.Failf("%s.%s is not understood here; known are %s.", path, name, strings.Join(slices.Sorted(maps.Keys(stylingSetters)), ", "))
		}
		if !set(s, keys[name]) {
			return nil, worker.Failf("%s.%s cannot be %v.", path, name, keys[name])
		}
	}
	return s, nil
}

// lettering returns the styling of a text at a position of a frame.
func (s *styling) lettering(w, h int, position string) paint.Lettering {
	l := paint.Lettering{Face: s.font, Size: s.size, Width: int(float64(w) * s.maxWidth / 100), Align: s.align, Colour: s.colour, Outline: s.outline, Border: s.border, Plate: s.background}
	if s.sizePct > 0 {
		l.Size = float64(h) * s.sizePct / 100
	}
	if l.Size == 0 {
		l.Size = max(8, float64(min(w, h))*0.07)
	}
	if l.Border < 0 {
		l.Border = max(1, l.Size*0.06)
		if l.Plate.A > 0 {
			l.Border = 0
		}
	}
	if l.Align == "" {
		switch {
		case strings.HasSuffix(position, "left"):
			l.Align = "left"
		case strings.HasSuffix(position, "right"):
			l.Align = "right"
		}
	}
	return l
}

// pictureSize returns the size of a picture in a frame: as the keys say, with
// its own aspect ratio when one side is missing, and at most a third of the
// frame by default.
func (s *styling) pictureSize(pw, ph, w, h int) (int, int) {
	shape := float64(pw) / float64(max(ph, 1))
	wide, high := s.width, s.height
	if s.widthPct > 0 {
		wide = float64(w) * s.widthPct / 100
	}
	if s.heightPct > 0 {
		high = float64(h) * s.heightPct / 100
	}
	switch {
	case wide > 0 && high > 0:
	case wide > 0:
		high = wide / shape
	case high > 0:
		wide = high * shape
	case s.imageScale > 0:
		wide, high = float64(pw)*s.imageScale, float64(ph)*s.imageScale
	default:
		k := min(1, float64(w)/3/float64(pw), float64(h)/3/float64(ph))
		wide, high = float64(pw)*k, float64(ph)*k
	}
	return int(wide + 0.5), int(high + 0.5)
}

func pixels(of func(*styling) *float64) func(*styling, any) bool {
	return func(s *styling, v any) bool {
		f, ok := v.(float64)
		*of(s) = f
		return ok && f >= 0 && f <= 8192
	}
}

func percent(of func(*styling) *float64) func(*styling, any) bool {
	return func(s *styling, v any) bool {
		f, ok := v.(float64)
		*of(s) = f
		return ok && f > 0 && f <= 100
	}
}

func share(of func(*styling) *float64) func(*styling, any) bool {
	return func(s *styling, v any) bool {
		f, ok := v.(float64)
		*of(s) = f
		return ok && f >= 0 && f <= 1
	}
}

func colour(of func(*styling) *color.NRGBA) func(*styling, any) bool {
	return func(s *styling, v any) bool {
		text, _ := v.(string)
		c, ok := parseColour(text)
		*of(s) = c
		return ok
	}
}

func align(s *styling, v any) bool {
	s.align, _ = v.(string)
	return s.align == "left" || s.align == "center" || s.align == "right"
}

func font(s *styling, v any) bool {
	name, ok := v.(string)
	if f, is := v.(float64); is { // a weight
		name, ok = "regular", f >= 100 && f <= 1000
		if f >= 600 {
			name = "bold"
		}
	}
	switch name = strings.ToLower(name); name {
	case "regular", "bold", "italic", "mono":
	case "normal", "sans", "sans-serif", "medium", "arial", "helvetica":
		name = "regular"
	case "monospace", "courier", "code":
		name = "mono"
	case "oblique":
		name = "italic"
	default:
		return false
	}
	s.font = name
	return ok
}

// parseColour reads #RGB, #RRGGBB, #RRGGBBAA and a few names.
func parseColour(s string) (color.NRGBA, bool) {
	if c, ok := colourNames[strings.ToLower(s)]; ok {
		return c, true
	}
	if !strings.HasPrefix(s, "#") {
		return color.NRGBA{}, false
	}
	c := color.NRGBA{A: 255}
	var n int
	var err error
	switch len(s) {
	case 4:
		n, err = fmt.Sscanf(s, "#%1x%1x%1x", &c.R, &c.G, &c.B)
		c.R, c.G, c.B = c.R*17, c.G*17, c.B*17
	case 7:
		n, err = fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B)
	case 9:
		n, err = fmt.Sscanf(s, "#%02x%02x%02x%02x", &c.R, &c.G, &c.B, &c.A)
	}
	return c, n >= 3 && err == nil
}

var colourNames = map[string]color.NRGBA{
	"white": {255, 255, 255, 255}, "black": {0, 0, 0, 255}, "red": {230, 40, 40, 255}, "green": {40, 180, 70, 255}, "blue": {40, 90, 220, 255},
	"yellow": {250, 220, 50, 255}, "orange": {245, 140, 30, 255}, "purple": {150, 70, 200, 255}, "pink": {250, 130, 180, 255}, "gray": {128, 128, 128, 255},
	"grey": {128, 128, 128, 255}, "gold": {220, 175, 50, 255}, "cyan": {50, 200, 230, 255}, "transparent": {},
}
