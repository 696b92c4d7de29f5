package comfyui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size says where the width and height of the result go, and how they follow from
// the arguments.
type size struct {
	To []sizeTarget `yaml:"to"`
	// Edge is the side of the square that is made by default; other shapes have
	// its area. Short is the short edge of a video instead.
	Edge  int `yaml:"edge"`
	Short int `yaml:"short"`
	// Ratio is the default shape; square when Edge is given, 16:9 with Short.
	Ratio    string      `yaml:"ratio"`
	Multiple int         `yaml:"multiple"` // edges are multiples of it
	Min      int         `yaml:"min"`      // least edge
	Max      int         `yaml:"max"`      // greatest edge
	Follow   string      `yaml:"follow"`   // the input whose shape is kept when none is requested
	Exact    bool        `yaml:"exact"`    // follow its size too, times the argument scale
	Named    map[int]int `yaml:"named"`    // short edges of values of targetResolution, where they differ
}

// sizeTarget is a pair of inputs. Scale is for graphs that render small and
// enlarge.
type sizeTarget struct {
	Width  target  `yaml:"width"`
	Height target  `yaml:"height"`
	Scale  float64 `yaml:"scale"`
}

// sizeArguments are the arguments that decide a size.
var sizeArguments = []string{"width", "height", "aspectRatio", "ratio", "targetResolution", "scale"}

// of computes width and height. The source is the size of the followed picture;
// zero without one.
func (s *size) of(args map[string]any, sourceWidth, sourceHeight int) (int, int, error) {
	w, h := number(args, "width", 0), number(args, "height", 0)
	if w > 0 && h > 0 {
		return s.fit(w, h)
	}
	ratio, err := s.shape(args, sourceWidth, sourceHeight)
	if err != nil {
		return 0, 0, err
	}
	followed := s.Exact && sourceWidth > 0 && sourceHeight > 0
	switch {
	case w > 0:
		return s.fit(w, w/ratio)
	case h > 0:
		return s.fit(h*ratio, h)
	case followed && !requestsShape(args):
		scale := number(args, "scale", 1)
		return s.fit(float64(sourceWidth)*scale, float64(sourceHeight)*scale)
	case s.Short > 0:
		short := float64(s.Short)
		if n := number(args, "targetResolution", 0); n > 0 {
			short = n
			if other, ok := s.Named[int(n)]; ok {
				short = float64(other)
			}
		}
		if ratio >= 1 {
			return s.fit(short*ratio, short)
		}
		return s.fit(short, short/ratio)
	}
	edge := float64(s.Edge) * number(args, "scale", 1)
	return s.fit(edge*math.Sqrt(ratio), edge/math.Sqrt(ratio))
}

// requestsShape reports whether the arguments request a shape.
func requestsShape(args map[string]any) bool {
	for _, name := range []string{"aspectRatio", "ratio"} {
		if v, _ := args[name].(string); v != "" && v != "adaptive" {
			return true
		}
	}
	return false
}

// shape is width over height.
func (s *size) shape(args map[string]any, sourceWidth, sourceHeight int) (float64, error) {
	for _, name := range []string{"aspectRatio", "ratio"} {
		if v, _ := args[name].(string); v != "" && v != "adaptive" {
			r, ok := parseRatio(v)
			if !ok {
				return 0, fmt.Errorf("the argument %s must be a ratio between 1:8 and 8:1, not %q", name, v)
			}
			return r, nil
		}
	}
	if sourceWidth > 0 && sourceHeight > 0 {
		return min(max(float64(sourceWidth)/float64(sourceHeight), 1.0/8), 8), nil
	}
	if r, ok := parseRatio(s.Ratio); ok {
		return r, nil
	}
	if s.Short > 0 {
		return 16.0 / 9, nil
	}
	return 1, nil
}

// fit moves edges into the range and to the multiple, and keeps the shape as far as
// possible.
func (s *size) fit(w, h float64) (int, int, error) {
	if math.IsNaN(w) || math.IsNaN(h) || math.IsInf(w, 0) || math.IsInf(h, 0) || w <= 0 || h <= 0 {
		return 0, 0, fmt.Errorf("no picture can be %v by %v", w, h)
	}
	if s.Max > 0 {
		if k := float64(s.Max) / max(w, h); k < 1 {
			w, h = w*k, h*k
		}
	}
	if s.Min > 0 {
		if k := float64(s.Min) / min(w, h); k > 1 {
			w, h = w*k, h*k
		}
	}
	w, h = s.round(w, h)
	return int(w), int(h), nil
}

// round moves both edges to the multiple: one of them up or down, and the other to the two
// edges that keep the shape best beside it. It takes the size whose shape is the nearest,
// because the difference is cropped, and the nearest size of those that keep it well.
func (s *size) round(w, h float64) (float64, float64) {
	const well = 0.02
	bestW, bestH, least, nearest := 0.0, 0.0, math.Inf(1), math.Inf(1)
	consider := func(x, y float64) {
		crop, far := max(well, math.Abs(math.Log(x/y)-math.Log(w/h))), math.Abs(x*y-w*h)
		if crop < least-1e-9 || crop < least+1e-9 && far <= nearest { // the larger one of two that are equally far
			bestW, bestH, least, nearest = x, y, crop, far
		}
	}
	for _, x := range s.edges(w) {
		for _, y := range s.edges(x / w * h) {
			consider(x, y)
		}
	}
	for _, y := range s.edges(h) {
		for _, x := range s.edges(y / h * w) {
			consider(x, y)
		}
	}
	return bestW, bestH
}

// edges are the multiples below and above an edge, within the range.
func (s *size) edges(x float64) [2]float64 {
	const tiny = 1e-6 // edges that follow from a ratio are not exact
	m, most := float64(max(1, s.Multiple)), math.Inf(1)
	if s.Max > 0 {
		most = math.Floor(float64(s.Max)/m) * m
	}
	return [2]float64{max(m, min(most, math.Floor(x/m+tiny)*m)), max(m, min(most, math.Ceil(x/m-tiny)*m))}
}

// set writes a size into a graph.
func (s *size) set(g graph, w, h int) {
	for _, t := range s.To {
		k := t.Scale
		if k == 0 {
			k = 1
		}
		g[t.Width.node].Inputs[t.Width.input] = int(math.Round(float64(w) * k))
		g[t.Height.node].Inputs[t.Height.input] = int(math.Round(float64(h) * k))
	}
}

func parseRatio(s string) (float64, bool) {
	a, b, ok := strings.Cut(s, ":")
	x, err1 := strconv.ParseFloat(strings.TrimSpace(a), 64)
	y, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
	if !ok || err1 != nil || err2 != nil || !(x > 0) || !(y > 0) {
		return 0, false
	}
	r := x / y
	return r, r >= 1.0/8 && r <= 8
}

// number is a numeric argument, or other when it is not given.
func number(args map[string]any, name string, other float64) float64 {
	if f, ok := args[name].(float64); ok {
		return f
	}
	return other
}
