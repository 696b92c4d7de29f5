package catalog

import (
	"math"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
)

// Size is the sizes that a model can make: a free width and height for images, named
// resolutions for video.
type Size struct {
	Min     int `yaml:"min"`     // least edge
	Max     int `yaml:"max"`     // greatest edge
	Default int `yaml:"default"` // edge of the default square
	// Multiple is what computed edges are rounded down to. Exact refuses edges that are
	// not a multiple.
	Multiple  int     `yaml:"multiple"`
	Exact     bool    `yaml:"exact"`
	MaxAspect float64 `yaml:"maxAspect"`
	MinPixels int     `yaml:"minPixels"`
	MaxPixels int     `yaml:"maxPixels"`

	// MaxSource is the largest short edge of a source for the model.
	MaxSource int `yaml:"maxSource"`

	Resolutions []Resolution `yaml:"resolutions"`
	Ratios      []string     `yaml:"ratios"`
}

// Resolution is one value of targetResolution: the short edge of the rendered canvas and
// how many times larger the result is.
type Resolution struct {
	Name    int  `yaml:"name"`
	Short   int  `yaml:"short"`
	Scale   int  `yaml:"scale"`
	Default bool `yaml:"default"`
	// Below makes it the default for sources whose short edge is smaller.
	Below int `yaml:"below"`
}

// resolution returns the one named, or for 0 the default for a source.
func (s *Size) resolution(name int, source Source) (Resolution, bool) {
	short := min(source.Width, source.Height)
	for _, r := range s.Resolutions {
		if r.Name == name || name == 0 && short > 0 && short < r.Below {
			return r, true
		}
	}
	for _, r := range s.Resolutions {
		if name == 0 && r.Default {
			return r, true
		}
	}
	return Resolution{}, false
}

func (s *Size) resolutionNames() string {
	names := make([]string, len(s.Resolutions))
	for i, r := range s.Resolutions {
		names[i] = strconv.Itoa(r.Name)
	}
	return strings.Join(names, ", ")
}

// check refuses edges the model cannot make. Zero edges are not set.
func (s *Size) check(w, h int, name string) error {
	for _, e := range []struct {
		field string
		n     int
	}{{"arguments.width", w}, {"arguments.height", h}} {
		switch {
		case e.n == 0:
		case e.n < s.Min || e.n > s.Max:
			return atelier.Refuse(e.field, "must be between %d and %d pixels for %s", s.Min, s.Max, name)
		case s.Exact && e.n%s.Multiple != 0:
			return atelier.Refuse(e.field, "must be a multiple of %d for %s", s.Multiple, name)
		}
	}
	if w == 0 || h == 0 {
		return nil
	}
	if s.MaxAspect > 0 && float64(max(w, h)) > s.MaxAspect*float64(min(w, h)) {
		return atelier.Refuse("arguments.width", "and height must not be further apart than %s:1 for %s", formatNumber(s.MaxAspect), name)
	}
	if n := w * h; s.MinPixels > 0 && n < s.MinPixels || s.MaxPixels > 0 && n > s.MaxPixels {
		return atelier.Refuse("arguments.width", "times height must be between %d and %d pixels for %s, not %d", s.MinPixels, s.MaxPixels, name, n)
	}
	return nil
}

// area returns edges of about the default area in the given ratio.
func (s *Size) area(ratio float64) (w, h int) {
	side := float64(s.Default)
	return s.edge(side * math.Sqrt(ratio)), s.edge(side / math.Sqrt(ratio))
}

// canvas returns the delivered edges of a resolution in the given ratio; smaller ones
// when the longer edge would exceed the model's greatest.
func (s *Size) canvas(r Resolution, ratio float64) (w, h int) {
	long := s.floor(float64(r.Short) * max(ratio, 1/ratio))
	w, h = long, r.Short
	if ratio < 1 {
		w, h = h, w
	}
	scale := max(1, r.Scale)
	w, h = w*scale, h*scale
	if k := float64(s.Max) / float64(max(w, h)); k < 1 {
		return s.floor(float64(w) * k), s.floor(float64(h) * k)
	}
	return w, h
}

func (s *Size) floor(edge float64) int {
	m := max(1, s.Multiple)
	return max(m, int(edge)/m*m)
}

func (s *Size) edge(edge float64) int {
	m := max(1, s.Multiple)
	n := int(edge/float64(m)+0.5) * m
	return min(max(n, s.Min), s.Max)
}

// maxRatio is the longest shape that is allowed.
const maxRatio = 8

// parseRatio reads a ratio such as "16:9".
func parseRatio(s string) (float64, bool) {
	a, b, ok := strings.Cut(s, ":")
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if !ok || err1 != nil || err2 != nil || x <= 0 || y <= 0 {
		return 0, false
	}
	r := x / y
	return r, r >= 1.0/maxRatio && r <= maxRatio
}
