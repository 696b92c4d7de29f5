package catalog

import (
	"math"
	"strconv"

	"github.com/atelier-project/atelier"
)

// Duration is the range of lengths that a model can render, in seconds.
type Duration struct {
	Min     float64 `yaml:"min"`
	Max     float64 `yaml:"max"`
	Default float64 `yaml:"default"`
	// Ceiling, when set, is the longest clip that is rendered; longer requests up to Max
	// are accepted and shortened.
	Ceiling float64 `yaml:"ceiling"`
	// Clamp moves a request outside the range to its nearest end instead of refusing it,
	// and bills the rendered frames instead of the requested seconds.
	Clamp bool `yaml:"clamp"`

	FPS    int        `yaml:"fps"`
	Frames *FrameGrid `yaml:"frames"`
}

// FrameGrid is the frame counts a model can make: Base plus any number of
// Steps, up to Max when that is set.
type FrameGrid struct {
	Base int `yaml:"base"`
	Step int `yaml:"step"`
	Max  int `yaml:"max"`
}

// Nearest returns the frame count of the grid that is closest to n; halfway
// goes up.
func (g FrameGrid) Nearest(n float64) int {
	steps := max(0, int(math.Floor((n-float64(g.Base))/float64(g.Step)+0.5)))
	f := g.Base + steps*g.Step
	if g.Max > 0 {
		f = min(f, g.Max)
	}
	return f
}

// Length is the actual length of a render.
type Length struct {
	Seconds float64
	Frames  int // 0 when the model has no frames

	// The exact length to bill, as a fraction of a second.
	num, den int64
}

// Render returns the length that is rendered for a requested length. The model's
// name is for the error message.
func (d *Duration) Render(field string, seconds float64, name string) (Length, error) {
	if !d.Clamp && (seconds < d.Min || seconds > d.Max) {
		return Length{}, atelier.Refuse(field, "must be between %s and %s seconds for %s", formatNumber(d.Min), formatNumber(d.Max), name)
	}
	if d.Clamp {
		seconds = min(max(seconds, d.Min), d.Max)
	}
	if d.Ceiling > 0 {
		seconds = min(seconds, d.Ceiling)
	}
	l := exact(seconds)
	if d.Frames != nil {
		l.Frames = d.Frames.Nearest(seconds * float64(d.FPS))
		if d.Clamp {
			l.num, l.den = int64(l.Frames), int64(d.FPS)
			l.Seconds = math.Round(float64(l.Frames)/float64(d.FPS)*1000) / 1000
		}
	} else if d.FPS > 0 {
		l.Frames = int(math.Round(seconds * float64(d.FPS)))
	}
	return l, nil
}

// finish derives the range of a clamping grid, so that the data states it once.
func (d *Duration) finish() {
	if d.Clamp && d.Frames != nil && d.FPS > 0 {
		d.Min = math.Round(float64(d.Frames.Base)/float64(d.FPS)*1000) / 1000
		d.Max = math.Round(float64(d.Frames.Max)/float64(d.FPS)*1000) / 1000
	}
	if d.Default == 0 {
		d.Default = max(5, d.Min)
	}
}

// formatNumber writes a number without trailing zeros.
func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
