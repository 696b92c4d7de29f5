package pixel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
)

// Facts is what can be measured in a picture.
type Facts struct {
	Width        int      `json:"width"`
	Height       int      `json:"height"`
	Aspect       string   `json:"aspect"`
	Orientation  string   `json:"orientation"` // landscape, portrait, square
	Megapixels   float64  `json:"megapixels"`
	Transparent  float64  `json:"transparent"` // share
	Brightness   float64  `json:"brightness"`  // mean lightness, from 0 to 1
	Contrast     float64  `json:"contrast"`    // spread of lightness, from 0 to 1
	Colourful    float64  `json:"colourfulness"`
	Temperature  string   `json:"temperature"` // warm, cool, neutral
	Greyscale    bool     `json:"greyscale"`
	Sharpness    float64  `json:"sharpness"` // of the sharpest parts, from 0 to 1
	Noise        float64  `json:"noise"`     // standard deviation, in steps of 255
	Edges        float64  `json:"edges"`     // share of the picture that is edge
	Symmetry     float64  `json:"symmetry"`  // between left and right, from 0 to 1
	Palette      []Swatch `json:"palette"`
	Regions      []Region `json:"regions,omitempty"`
	Subject      *Region  `json:"subject,omitempty"`
	SubjectScore float64  `json:"subjectScore,omitempty"`
	Sky          float64  `json:"smoothTop,omitempty"` // share of the smooth area at the top, a sky out of doors
}

// Region is an area of one colour, or the subject.
type Region struct {
	Colour string  `json:"colour"`
	Hex    string  `json:"hex"`
	Place  string  `json:"place"`
	Share  float64 `json:"share"`
	Box    Frame   `json:"box"`
}

// Measure takes the facts of a picture.
func Measure(ctx context.Context, img image.Image) (Facts, error) {
	src := AsNRGBA(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	s, err := StudyOf(ctx, src, StudySide)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{
		Width: w, Height: h, Aspect: aspect(w, h), Orientation: Orientation(w, h), Megapixels: math.Round(float64(w*h)/1e4) / 100,
		Palette: s.palette(6), Noise: rounded3(noiseOf(src)), Sharpness: rounded3(sharpness(src)),
	}
	s.tones(&f)
	f.Symmetry = rounded3(s.symmetry())
	f.Regions = s.regions()
	m, score, err := s.Subject(ctx)
	if err == nil {
		r := s.region(m)
		f.Subject, f.SubjectScore = &r, rounded3(score)
	} else if !errors.Is(err, ErrNoSubject) {
		return Facts{}, err
	}
	sky, err := s.Sky(ctx)
	if err != nil {
		return Facts{}, err
	}
	if sky != nil {
		f.Sky = rounded3(sky.Share())
	}
	return f, nil
}

// Orientation returns landscape, portrait or square.
func Orientation(w, h int) string {
	return [3]string{"portrait", "square", "landscape"}[cmp.Compare(w, h)+1]
}

// aspect returns a ratio in small numbers when there is one that fits.
func aspect(w, h int) string {
	for n := 1; n <= 21; n++ {
		for m := 1; m <= 21; m++ {
			if math.Abs(float64(w)/float64(h)*float64(m)/float64(n)-1) < 0.004 {
				return fmt.Sprintf("%d:%d", n, m)
			}
		}
	}
	return fmt.Sprintf("%.2f:1", float64(w)/float64(h))
}

// tones fills in light and colour.
func (s *Study) tones(f *Facts) {
	var light, square, a, b, aa, bb, n float64
	edges, clear := 0, 0
	for i, c := range s.Colour {
		if s.clear[i] {
			clear++
			continue
		}
		l := float64(c.L)
		light, square, n = light+l, square+l*l, n+1
		a, b = a+float64(c.A), b+float64(c.B)
		aa, bb = aa+float64(c.A*c.A), bb+float64(c.B*c.B)
		if s.Gradient(i%s.W, i/s.W) > 0.07 {
			edges++
		}
	}
	f.Transparent = rounded3(float64(clear) / float64(len(s.Colour)))
	if n == 0 {
		f.Temperature = "neutral"
		return
	}
	light, a, b = light/n, a/n, b/n
	f.Brightness = rounded3(light)
	f.Contrast = rounded3(min(2.4*math.Sqrt(max(square/n-light*light, 0)), 1))
	spread := math.Sqrt(max(aa/n-a*a, 0) + max(bb/n-b*b, 0))
	f.Colourful = rounded3(min(2.2*(spread+0.35*math.Hypot(a, b)), 1))
	f.Greyscale = spread < 0.008 && math.Hypot(a, b) < 0.02
	f.Edges = rounded3(float64(edges) / n)
	switch {
	case b > 0.045 || a > 0.06 && b > -0.02:
		f.Temperature = "warm"
	case b < -0.03:
		f.Temperature = "cool"
	default:
		f.Temperature = "neutral"
	}
}

// sharpness returns how steep the steepest edges are, compared with the step they make.
func sharpness(src *image.NRGBA) float64 {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if w < 8 || h < 8 {
		return 0
	}
	light := func(x, y int) float64 {
		p := src.Pix[y*src.Stride+x*4:]
		return 0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])
	}
	var steep []float64
	step := max(w*h/400000, 1)
	for i := 0; i < (w-6)*(h-6); i += step {
		x, y := i%(w-6)+3, i/(w-6)+3
		gx, gy := light(x+1, y)-light(x-1, y), light(x, y+1)-light(x, y-1)
		wide := max(math.Abs(light(x+3, y)-light(x-3, y)), math.Abs(light(x, y+3)-light(x, y-3)))
		if wide > 24 {
			steep = append(steep, min(max(math.Abs(gx), math.Abs(gy))/wide, 1))
		}
	}
	if len(steep) < 20 {
		return 0
	}
	slices.Sort(steep)
	return ease(0.30, 0.95, steep[len(steep)*9/10])
}

// symmetry returns how much the left of a study looks like its right, mirrored.
func (s *Study) symmetry() float64 {
	var sum, spread float64
	var mean Lab
	for _, c := range s.Colour {
		mean = mean.Plus(c)
	}
	mean = mean.Scaled(1 / float32(len(s.Colour)))
	for i, c := range s.Colour {
		x, y := i%s.W, i/s.W
		sum += float64(c.Minus(s.at(s.W-1-x, y)).square())
		spread += 2 * float64(c.Minus(mean).square())
	}
	return max(1-sum/max(spread, 1e-9), 0)
}

// regions returns the largest connected areas of one colour.
func (s *Study) regions() []Region {
	centres := CentresOf(s.Colour, 8)
	owner := make([]int, len(s.Colour))
	for i, c := range s.Colour {
		owner[i] = NearestOf(centres, c)
	}
	var out []Region
	for k := range centres {
		in := make([]bool, len(owner))
		for i, o := range owner {
			in[i] = o == k && !s.clear[i]
		}
		for _, piece := range MaskOfPixels(s.W, s.H, in).Components(0.02) {
			out = append(out, s.region(piece))
		}
	}
	slices.SortStableFunc(out, func(a, b Region) int { return cmp.Compare(b.Share, a.Share) })
	return out[:min(len(out), 8)]
}

// region describes an area of a study.
func (s *Study) region(m *Mask) Region {
	var sum Lab
	var x, y, n float64
	for i, v := range m.Pix {
		if v >= 128 {
			sum = sum.Plus(s.Colour[i])
			x, y, n = x+float64(i%s.W), y+float64(i/s.W), n+1
		}
	}
	mean := sum.Scaled(1 / float32(max(n, 1)))
	c, b := mean.RGB(), m.Box()
	return Region{
		Colour: nearestName(mean), Hex: fmt.Sprintf("#%02x%02x%02x", ByteOf(c.R), ByteOf(c.G), ByteOf(c.B)),
		Place: placeOf(x/max(n, 1)/float64(s.W), y/max(n, 1)/float64(s.H)), Share: rounded3(m.Share()),
		Box: Frame{rounded3(float64(b.Min.X) / float64(s.W)), rounded3(float64(b.Min.Y) / float64(s.H)), rounded3(float64(b.Max.X) / float64(s.W)), rounded3(float64(b.Max.Y) / float64(s.H))},
	}
}

// placeOf names a place of a picture.
func placeOf(x, y float64) string {
	third := func(v float64, lo, hi string) string {
		switch {
		case v < 0.38:
			return lo
		case v > 0.62:
			return hi
		}
		return ""
	}
	across, down := third(x, "left", "right"), third(y, "top", "bottom")
	switch {
	case across == "" && down == "":
		return "centre"
	case across == "":
		return down
	case down == "":
		return across
	}
	return down + " " + across
}
